// Where the host process of a data folder listens. Only this user can reach the folder, and so the socket.
import { join } from 'node:path';
import type { SessionFolder } from '../../agent/store/session-folder.js';
import { sha256 } from '../../platform/crypto.js';
import { realPathSync } from '../../platform/files/paths.js';
import { makePrivateFolder } from '../../platform/files/private-files.js';

const MAX_SOCKET_BYTES = 100; // the address of a socket has 104 bytes on macOS and 108 on Linux, with a final NUL

export interface HostPlace {
  dataFolder: string;
  folder: string;
  socket: string;
  log: string;
  /** The lock of the host. The file is of the same kind as that of a session. */
  lock: SessionFolder;
}

export function hostPlace(dataFolder: string): HostPlace {
  const folder = join(dataFolder, 'host');
  const own = join(folder, 'host.sock');
  const lock = { id: 'host', path: folder, file: join(folder, 'host'), lock: join(folder, 'lock'), results: folder };
  const socket = Buffer.byteLength(own) <= MAX_SOCKET_BYTES ? own : join(shortFolder(dataFolder), 'host.sock');
  return { dataFolder, folder, socket, log: join(folder, 'host.log'), lock };
}

/** Throws if a folder belongs to another user. */
export function makeHostFolders({ dataFolder, folder, socket }: HostPlace): void {
  makePrivateFolder(dataFolder);
  makePrivateFolder(folder);
  if (!socket.startsWith(`${folder}/`)) makePrivateFolder(shortFolder(dataFolder));
}

/** The same for every process, whatever its TMPDIR. Another user may have made it first: then it is refused. */
function shortFolder(dataFolder: string): string {
  const hash = sha256().update(realPathSync(dataFolder)).digest('hex').slice(0, 16);
  return `/tmp/helve-host-${process.getuid?.() ?? 'user'}-${hash}`;
}
