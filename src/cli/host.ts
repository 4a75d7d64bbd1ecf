// `helve host`: the host process itself.
import { dataFolderOf } from '../platform/files/paths.js';
import { runningHost } from './background/connect-host.js';
import { hostPlace } from './background/host-place.js';
import { exitCode } from './exit-codes.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

declare const HELVE_VERSION: string; // defined by the build

export async function host(argv: readonly string[]): Promise<number> {
  const [action = 'status', ...rest] = argv;
  if (rest[0] !== undefined) throw new UsageProblem(`helve host ${action} takes no argument such as "${rest[0]}".`);
  if (action === 'run') return await (await import('./background/run-host.js')).runHost(HELVE_VERSION);
  if (action !== 'status' && action !== 'stop') {
    throw new UsageProblem(`helve host takes status or stop, but was given "${action}".`);
  }
  const place = hostPlace(dataFolderOf());
  const client = await runningHost(place);
  if (!client) {
    await writeLine(process.stdout, 'No host process runs. helve --bg "…" starts one.');
    return exitCode.ok;
  }
  const { version, pid } = client.about;
  if (action === 'stop') {
    await client.request('_helve/host/stop');
    await client.closed;
    await writeLine(process.stdout, `The host process ${pid} has ended.`);
  } else {
    const { busySessions } = await client.request('_helve/host/status');
    client.close();
    const work = `${busySessions} ${busySessions === 1 ? 'session has' : 'sessions have'} work`;
    await writeLine(process.stdout, `Helve ${version}, process ${pid}: ${work}. It listens on ${place.socket}.`);
  }
  return exitCode.ok;
}
