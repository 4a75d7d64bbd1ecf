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
    const { busySessions } = await client.request('_helve/host/status');
    await client.request('_helve/host/stop');
    await client.closed;
    await writeLine(process.stdout, `The host process ${pid} has ended.${interruptedWords(Number(busySessions))}`);
  } else {
    const { busySessions } = await client.request('_helve/host/status');
    client.close();
    const work = `${busySessions} ${busySessions === 1 ? 'session has' : 'sessions have'} work`;
    await writeLine(process.stdout, `Helve ${version}, process ${pid}: ${work}. It listens on ${place.socket}.`);
  }
  return exitCode.ok;
}

/** What a stop ends stays ended: the next host runs neither the prompts that were cut off nor those that waited. */
function interruptedWords(sessions: number): string {
  if (sessions === 0) return '';
  if (sessions === 1) {
    return ' 1 session was interrupted, and its prompts do not run again. To continue it: helve attach, and a new prompt.';
  }
  return ` ${sessions} sessions were interrupted, and their prompts do not run again. To continue one: helve attach ID, and a new prompt. helve ps lists them.`;
}
