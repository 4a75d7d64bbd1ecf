// The host process: `helve host run`. It is started by its first client, and ends when it has had nothing to do for a while.
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { AcpAgent } from '../../acp/acp-agent.js';
import { helveMethods } from '../../acp/helve-methods.js';
import { lockSession, type SessionLock } from '../../agent/store/session-lock.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import { BackgroundHost } from '../../host/background-host.js';
import { SessionHost } from '../../host/session-host.js';
import { SessionIndex } from '../../host/session-index.js';
import { monotonicMs } from '../../platform/clock.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { exitCode } from '../exit-codes.js';
import { dueSchedules } from './due-schedules.js';
import { hostLog } from './host-log.js';
import { hostPlace, makeHostFolders } from './host-place.js';
import { backgroundOpener } from './open-background.js';
import { optionsOfFolder } from './options-of-folder.js';
import { watchProgramFiles } from './program-files.js';
import { socketTransport } from './socket-transport.js';

const IDLE_MS = 5 * 60_000;

export async function runHost(version: string): Promise<number> {
  const wasReplaced = watchProgramFiles();
  const place = hostPlace(dataFolderOf());
  const tell = hostLog(place.log);
  process.umask(0o077);
  makeHostFolders(place);
  const lock = await onlyHost(place.lock);
  if (!lock) return exitCode.ok; // another host has started at the same time, and clients connect to it
  const sessions = new SessionHost(backgroundOpener(place.dataFolder));
  const due = dueSchedules(place.dataFolder, tell);
  const given = Number(process.env['HELVE_HOST_IDLE_MS']);
  const idleMs = given > 0 ? given : IDLE_MS;
  const rests = idleMs < IDLE_MS && { restMs: idleMs / 4 }; // sessions rest before their host ends
  const host = new BackgroundHost({ sessions, dataFolder: place.dataFolder, due, ...rests, onProblem: tell });
  const index = new SessionIndex(place.dataFolder);
  const ending = new AbortController();
  let keepsWork = false;
  const connections = new Set<Socket>();
  const extend = helveMethods({
    host,
    index,
    dataFolder: place.dataFolder,
    optionsOf: optionsOfFolder,
    version,
    wasReplaced,
    onProblem: tell,
    onStop(how) {
      keepsWork = how.keepsWork;
      ending.abort();
    },
  });
  const serve = async (socket: Socket): Promise<void> => {
    const agent = new AcpAgent(socketTransport(socket, new AbortController().signal), {
      host: sessions,
      version,
      dataFolder: place.dataFolder,
      answerLimitMs: undefined,
      checkModel: async () => {},
      onProblem: tell,
      keepsPrompts: true,
      onLeft: (session) => host.clientLeft(session),
      extend,
    });
    connections.add(socket);
    await agent.serve().catch(() => {}); // a client that was killed
    connections.delete(socket);
    socket.destroy();
  };
  // Keeps nothing: what was accepted goes on with the next host, as after a kill.
  const onSignal = (): void => process.exit(exitCode.terminated);
  process.on('exit', () => sessions.killAll());
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, onSignal);
  process.on('SIGHUP', () => {}); // the terminal of its first client was closed

  rmSync(place.socket, { force: true }); // of a host that was killed: we hold the lock
  const server = createServer((socket) => void serve(socket));
  await listening(server, place.socket);
  chmodSync(place.socket, 0o600);
  const idle = watchIdle(
    () => connections.size > 0 || host.isNeeded,
    () => ending.abort(),
    idleMs,
  );
  await new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve(), { once: true }));
  clearInterval(idle);
  server.close();
  rmSync(place.socket, { force: true });
  await host.end({ keepsWork }).catch((error: unknown) => tell(messageOf(error)));
  for (const socket of connections) socket.destroy();
  await lock.release();
  process.exit(exitCode.ok); // nothing that a session has left behind may keep it
}

async function onlyHost(folder: Parameters<typeof lockSession>[0]): Promise<SessionLock | undefined> {
  try {
    return await lockSession(folder);
  } catch (error) {
    if (error instanceof SessionProblem && error.kind === 'in_use') return undefined;
    throw error;
  }
}

async function listening(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

/** Calls the function once nothing was going on for a while. */
function watchIdle(isBusy: () => boolean, onIdle: () => void, idleMs: number): NodeJS.Timeout {
  let busyAt = monotonicMs();
  return setInterval(
    () => {
      if (isBusy()) busyAt = monotonicMs();
      else if (monotonicMs() - busyAt >= idleMs) onIdle();
    },
    Math.min(idleMs, 5_000),
  );
}
