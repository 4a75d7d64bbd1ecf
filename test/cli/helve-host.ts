import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RpcParams } from '../../src/acp/json-rpc.js';
import { fieldsOf } from '../../src/acp/read-params.js';
import { HostClient, HostGone } from '../../src/cli/background/host-client.js';
import { type HostPlace, hostPlace } from '../../src/cli/background/host-place.js';

const helve = resolve('bin/helve.cjs');

export interface StartedHost {
  process: ChildProcess;
  place: HostPlace;
  /** Resolves when it has ended. */
  ended: Promise<void>;
  stderr(): string;
}

/** The host process of a data folder, as the command line starts it. */
export async function startHost(
  dataFolder: string,
  { env = {}, program = helve }: { env?: Readonly<Record<string, string>>; program?: string } = {},
): Promise<StartedHost> {
  const child = spawn(process.execPath, [program, 'host', 'run'], {
    env: { PATH: process.env['PATH'], HOME: dataFolder, HELVE_HOME: dataFolder, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  return { process: child, place: hostPlace(dataFolder), ended, stderr: () => stderr };
}

/** Connects as soon as the host listens. Rejects if it ends before. */
export async function connectTo(
  { place, process: child }: StartedHost,
  caller: { env: Readonly<Record<string, string>>; argv: readonly string[] },
): Promise<HostClient> {
  for (;;) {
    const client = await HostClient.connect(place.socket, caller);
    if (client) return client;
    if (child.exitCode !== null || child.signalCode !== null) throw new HostGone('The host has ended.');
    await delay(5);
  }
}

export interface SeenQuestion {
  id: string;
  kind: string;
  /** Of a question about permission. */
  callId: string;
}

/** What a client sees of one session. */
export interface Follower {
  readonly questions: readonly SeenQuestion[];
  readonly open: ReadonlyMap<string, SeenQuestion>;
  readonly entries: readonly RpcParams[];
  /** Of the last entry; undefined before the first one. */
  readonly seq: number | undefined;
  /** Resolves at each change. */
  changed(): Promise<void>;
}

/** Follows a session; to be called before it is attached to. */
export function follow(client: HostClient): Follower {
  const questions: SeenQuestion[] = [];
  const open = new Map<string, SeenQuestion>();
  const entries: RpcParams[] = [];
  let seq: number | undefined;
  let change = Promise.withResolvers<void>();
  const wake = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  void client.closed.then(wake);
  client.listen((method, params) => {
    if (method !== '_helve/session/entry') return;
    const entry = fieldsOf(params['entry']);
    entries.push(entry);
    seq = Number(params['seq']);
    if (entry['kind'] === 'question') {
      const question = fieldsOf(entry['question']);
      const id = String(entry['id']);
      const seen = { id, kind: String(question['kind']), callId: String(fieldsOf(question['question'])['callId']) };
      if (entry['isOpen'] === true) {
        questions.push(seen);
        open.set(id, seen);
      } else open.delete(id);
    }
    wake();
  });
  return {
    questions,
    open,
    entries,
    get seq() {
      return seq;
    },
    changed: () => change.promise,
  };
}
