// Checks whether servers can be reached. An untrusted server is never started, resolved or contacted.
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ServerState } from '../../mcp/client/client.js';
import { readConfig } from '../../mcp/client/config.js';
import { counted } from '../../platform/text/counted.js';
import { visible } from '../../platform/text/visible.js';
import { connectServers } from './connect-servers.js';
import type { KnownServer, ServerFlags } from './known-servers.js';

export interface ServerCheck {
  ok: boolean;
  /** What was found, or what is wrong and how to fix it. */
  detail: string;
  /** Tools that are held back until the person approves how the server has changed them. */
  changes?: ServerState['changes'];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A finding for every server in use: its entry and its command are checked first, then it is connected to. */
export async function checkServers(
  servers: readonly KnownServer[],
  flags: ServerFlags,
): Promise<ReadonlyMap<KnownServer, ServerCheck>> {
  const counting = servers.filter(({ state }) => state === 'trusted' || state === 'broken');
  const problems = new Map(
    await Promise.all(counting.map(async (server) => [server, await problemOf(server, process.env)] as const)),
  );
  const ready = counting.filter((server) => problems.get(server) === undefined);
  const states = ready.length > 0 ? await connectServers(ready, flags) : new Map<string, ServerState>();
  return new Map(
    counting.map((server) => {
      const detail = problems.get(server);
      if (detail !== undefined) return [server, { ok: false, detail: visible(detail) }];
      return [server, told(states.get(server.name))];
    }),
  );
}

/** Problems that can be found without connecting. */
async function problemOf(server: KnownServer, env: Environment): Promise<string | undefined> {
  const read = readConfig({ name: server.name, entry: server.entry, source: server.scope }, env);
  if ('problem' in read) return read.problem;
  const [warning] = read.warnings;
  if (warning !== undefined) return warning;
  const { config } = read;
  if (config.type !== 'stdio' || (await findCommand(config.command, { ...env, ...config.env }))) return undefined;
  return `${config.command} was not found. Install it, or write its whole path.`;
}

function told(state: ServerState | undefined): ServerCheck {
  const { status = 'pending', detail, tools = 0, setAside = [], changes = [] } = state ?? {};
  if (status === 'connected') {
    const unusable = setAside.length === 0 ? '' : `, and ${setAside.length} that can't be used`;
    const held =
      changes.length === 0
        ? ''
        : `, and ${counted(changes.length, 'change')} held back. To approve: helve mcp approve ${state?.name}`;
    const problem = detail === undefined ? '' : `. ${visible(detail)}`;
    const ok = changes.length === 0 && detail === undefined;
    return { ok, detail: `connected, ${counted(tools, 'tool')}${unusable}${held}${problem}`, changes };
  }
  return { ok: false, detail: visible(detail ?? 'It did not connect in time.') };
}

async function findCommand(command: string, env: Environment): Promise<string | undefined> {
  if (isAbsolute(command)) return (await canRun(command)) ? command : undefined;
  if (/[\\/]/.test(command)) return (await canRun(join(process.cwd(), command))) ? command : undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const path of folders.flatMap((folder) => endings.map((ending) => join(folder, command + ending)))) {
    if (await canRun(path)) return path;
  }
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
