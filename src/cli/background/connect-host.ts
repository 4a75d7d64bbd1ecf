// Finds the host process of the data folder, or starts one. An idle host of another version is replaced, and so is one
// whose program files were.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { HELVE_PROTOCOL, type HelveAbout } from '../../acp/helve-methods.js';
import { UserFacingError } from '../../contract/user-facing-error.js';
import type { Caller } from '../../host/hosted-conversation.js';
import { monotonicMs } from '../../platform/clock.js';
import { openFlags } from '../../platform/files/private-files.js';
import { HostClient, HostGone } from './host-client.js';
import { MAX_LOG_BYTES } from './host-log.js';
import { type HostPlace, makeHostFolders } from './host-place.js';

const START_MS = 30_000; // on a busy machine
const POLL_MS = 25;

/** It can't be reached; the message says why and what to do. */
export class HostProblem extends UserFacingError {
  override readonly name = 'HostProblem';
}

export interface HostConnectOptions {
  place: HostPlace;
  version: string;
  caller?: Caller;
  /** A prompt is sent, for which the host may have to open a session. */
  sendsPrompt?: boolean;
  /** Says something to the person. */
  tell(sentence: string): void;
}

/** A connection to a host that understands this client. Starts a host if there is none. */
export async function connectHost(options: HostConnectOptions): Promise<HostClient> {
  const { place, version, caller, sendsPrompt = false, tell } = options;
  makeHostFolders(place);
  const until = monotonicMs() + START_MS;
  let starting: { hasFailed(): string | undefined; isOver(): boolean } | undefined;
  while (monotonicMs() < until) {
    const client = await HostClient.connect(place.socket, caller);
    if (client) {
      const { about } = client;
      if (about.version === version && !about.replaced) return client;
      const isStopping = await stopIfIdle(client);
      if (!isStopping && about.replaced && !sendsPrompt) {
        tell(`${replacedWords(about)} helve host stop ends it now and interrupts its sessions.`);
        return client;
      }
      if (!isStopping && about.replaced) {
        client.close();
        throw new HostProblem(
          `The prompt was not sent. ${replacedWords(about)} Send the prompt again when its work is done (helve ps lists it), or end it with helve host stop: its sessions are interrupted, and can be attached to afterwards.`,
        );
      }
      if (!isStopping && about.protocol === HELVE_PROTOCOL) {
        tell(
          `The host process is Helve ${about.version} and has work to do, so it is not replaced by ${version} yet. It ends when it is idle; helve host stop ends it now and interrupts its sessions.`,
        );
        return client;
      }
      client.close();
      if (!isStopping) {
        throw new HostProblem(
          `The host process is Helve ${about.version}, which this Helve ${version} can't talk to, and it has work to do. Wait until its sessions are done, use them with that version, or end it with helve host stop, which interrupts them: they can be attached to afterwards.`,
        );
      }
      await client.closed;
      continue;
    }
    const why = starting?.hasFailed();
    if (why !== undefined) throw new HostProblem(`The host process could not start. ${why} Its log is ${place.log}.`);
    if (!starting || starting.isOver()) starting = startHost(place);
    await delay(POLL_MS);
  }
  throw new HostProblem(
    `The host process did not answer within ${START_MS / 1_000} s. Its log is ${place.log}. helve host stop ends it.`,
  );
}

const replacedWords = ({ pid }: HelveAbout): string =>
  `The files of Helve were replaced, as by an update, after the host process ${pid} had started. It has work to do, so it keeps running, but it can't open sessions any more.`;

/** A connection to the host that runs now; undefined if there is none. */
export const runningHost = async (place: HostPlace): Promise<HostClient | undefined> =>
  await HostClient.connect(place.socket);

async function stopIfIdle(client: HostClient): Promise<boolean> {
  try {
    return (await client.request('_helve/host/stop', { ifIdle: true }))['isStopping'] === true;
  } catch (error) {
    if (error instanceof HostGone) return true;
    throw error;
  }
}

/** In a session of its own, so that it survives the terminal. Another host may be starting, too: one of them ends at once. */
function startHost({ log, dataFolder }: HostPlace) {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(log, `${log}.old`);
  const output = openSync(log, openFlags.append, 0o600);
  const from = statSync(log).size;
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [program, 'host', 'run'], {
    cwd: dataFolder,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...environmentOfHost(process.env), HELVE_HOME: dataFolder },
  });
  closeSync(output);
  let code: number | null | undefined;
  let problem: string | undefined;
  child.on('error', ({ message }) => {
    problem = message;
  });
  child.on('exit', (status) => {
    code = status ?? 1;
  });
  child.unref();
  return {
    isOver: () => code === 0, // another host has won
    hasFailed(): string | undefined {
      if (problem !== undefined) return `${problem}.`;
      if (code === undefined || code === null || code === 0) return undefined;
      const said = readFileSync(log, 'utf8').slice(from).trim().split('\n').at(-1) ?? '';
      return said === '' ? `It ended with the exit status ${code}.` : said.replace(/^helve: /, '');
    },
  };
}

const ofHost =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|HELVE_HOST_IDLE_MS)$/;

/** Without keys: the host has none of its own, and each session gets those of its caller. */
export const environmentOfHost = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && ofHost.test(entry[0])),
  );
