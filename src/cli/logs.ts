// `helve logs`: what a session has done so far, from its file; with --follow, also what it does next.
import type { ListedPresence } from '../agent/store/presence.js';
import { readSession } from '../agent/store/read-session.js';
import { restoreSession } from '../agent/store/restore-session.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { pastEntries } from '../host/past-entries.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { fullyVisible, visible } from '../platform/text/visible.js';
import { builtInTools } from '../tools/index.js';
import { readArgs } from './args.js';
import { printEntries } from './attach.js';
import { elsewhere, findListed, SHORT_CHARS } from './background/background-sessions.js';
import { hostPlace } from './background/host-place.js';
import { attachTo } from './background/remote-session.js';
import { callerHere, withHost } from './background/with-host.js';
import { exitCode } from './exit-codes.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

declare const HELVE_VERSION: string; // defined by the build

const flags = { follow: { type: 'boolean', short: 'f' }, json: { type: 'boolean' } } as const;

export async function logs(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [wanted, more] = positionals;
  if (more !== undefined) {
    throw new UsageProblem('helve logs takes the id of one session, or last. helve ps lists them.');
  }
  const place = hostPlace(dataFolderOf());
  const listed = await findListed(place.dataFolder, wanted);
  const { id, isLive, surface } = listed;
  if (values.follow && surface !== 'background') {
    throw new UsageProblem(
      `${elsewhere(listed)} --follow works for background sessions; without it, helve logs ${id.slice(0, SHORT_CHARS)} shows what it has done.`,
    );
  }
  if (values.follow && isLive) {
    const tell = (sentence: string): void => void process.stderr.write(`helve: ${visible(sentence)}\n`);
    return await withHost({ place, version: HELVE_VERSION, caller: callerHere(), tell }, async (host) => {
      await printEntries(await attachTo(host, id), values.json === true);
      return exitCode.ok;
    });
  }
  const past = restoreSession(readSession(sessionFolder(place.dataFolder, id)), { whole: true });
  const tools = new Map(builtInTools().map((tool) => [tool.name, tool]));
  const working = isLive ? callsWithoutResult(past) : new Set<string>();
  async function* entries() {
    for await (const entry of pastEntries(past, (name) => tools.get(name))) {
      if (!working.has(entry.id)) yield { entry, isNew: true, from: 0 };
    }
  }
  await printEntries({ id, entries: entries() }, values.json === true);
  if (values.json !== true) await tellState(listed);
  return exitCode.ok;
}

/** The calls of the last answer that a session at work has not finished. What its file lacks is not lost. */
function callsWithoutResult({ messages, failures }: ReturnType<typeof restoreSession>): Set<string> {
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? [];
  const calls = last.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  return new Set(calls.filter((id) => failures.get(id)?.kind === 'interrupted'));
}

async function tellState({ id, surface, state, activity, isLive }: ListedPresence): Promise<void> {
  const what = fullyVisible(activity.replace(/\s+/g, ' '));
  const attach = surface === 'background' ? ` helve attach ${id.slice(0, SHORT_CHARS)} answers it.` : '';
  if (state === 'failed') await writeLine(process.stderr, `helve: Its last prompt failed${what && `: ${what}`}`);
  else if (!isLive) return;
  else if (state === 'waiting') await writeLine(process.stderr, `helve: It waits for an answer: ${what}.${attach}`);
  else if (state === 'running') await writeLine(process.stderr, `helve: It is running${what && `: ${what}`}.`);
}
