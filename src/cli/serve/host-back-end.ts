// The host process of this machine, as what is behind `helve serve`.
import { createConnection, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { listPresence } from '../../agent/store/presence.js';
import { codeOf } from '../../platform/error-code.js';
import type { BackEnd, BackEndConnection } from '../../serve/back-end.js';
import { connectHost } from '../background/connect-host.js';
import { type HostPlace, hostPlace } from '../background/host-place.js';
import { socketTransport } from '../background/socket-transport.js';
import { callerHere } from '../background/with-host.js';

export interface HostBackEndOptions {
  dataFolder: string;
  version: string;
  /** The options of the sessions that are opened for clients. */
  argv: readonly string[];
  /** Where the server was started. */
  folder: string;
  tell(sentence: string): void;
}

export function hostBackEnd({ dataFolder, version, argv, folder, tell }: HostBackEndOptions): BackEnd {
  const place = hostPlace(dataFolder);
  // A service is usually started in the home folder, which is no project.
  const isProject = folder !== homedir() && dirname(folder) !== folder;
  const caller = { ...callerHere(argv), ...(isProject && { folder }) };
  return {
    async connect() {
      for (let round = 1; ; round += 1) {
        (await connectHost({ place, version, tell })).close(); // starts it, or replaces an idle one of another version
        const socket = await connected(place);
        if (socket) return overSocket(socket);
        if (round === 3)
          throw new Error('The host process ends as soon as it is connected to. Its log is in host/host.log.');
      }
    },
    caller: () => ({ ...caller }),
    async sessionStates() {
      const states = new Map<string, number>();
      for (const { state } of await listPresence(dataFolder)) states.set(state, (states.get(state) ?? 0) + 1);
      return states;
    },
  };
}

function overSocket(socket: Socket): BackEndConnection {
  const { lines, write } = socketTransport(socket, new AbortController().signal);
  return { lines, write, close: () => socket.destroy() };
}

/** Undefined if it has ended meanwhile. */
async function connected({ socket: path }: HostPlace): Promise<Socket | undefined> {
  return await new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].includes(codeOf(error) ?? '')) resolve(undefined);
      else reject(error);
    });
  });
}
