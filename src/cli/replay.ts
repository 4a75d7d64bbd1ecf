import { realpathSync, statSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { knownNames } from '../agent/known-names.js';
import { type RecordedSession, recordedCalls } from '../agent/replay/replay-calls.js';
import { type CopiedTree, copyTree, putBack, removeTree, TreeProblem } from '../agent/replay/replay-tree.js';
import { findSession } from '../agent/store/list-sessions.js';
import { readSession } from '../agent/store/read-session.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { SessionProblem } from '../agent/store/session-problem.js';
import { secretVariables } from '../models/catalogue/catalogue.js';
import { dataFolderOf, realPathSync } from '../platform/files/paths.js';
import { readRegularFile } from '../platform/files/read-regular-file.js';
import { listChanges } from '../platform/journal/journal.js';
import type { RecordedChange } from '../platform/journal/recorded-change.js';
import { messageOf } from '../platform/message-of.js';
import { listSome } from '../platform/text/counted.js';
import { jsonLine } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import { environmentWith } from '../settings/environment.js';
import { loadSettings } from '../settings/load.js';
import { SettingsRefused } from '../settings/settings-problem.js';
import { type WatchedSettings, watchSettings } from '../settings/watch.js';
import { toolTable } from '../tools/index.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { readCatalogue } from './read-catalogue.js';
import { compare } from './replay/compare.js';
import { type Played, play } from './replay/play.js';
import { comparePolicy } from './replay/policy.js';
import { policyLines, type ReplayReport, replayLines } from './replay/report.js';
import { onSignals } from './signals.js';
import { variablesForTracing } from './telemetry-flags.js';
import { SetupProblem, UsageProblem } from './usage-problem.js';
import { wrapped, writeLine } from './write-line.js';

const flags = {
  policy: { type: 'string' },
  'from-now': { type: 'boolean' },
  'from-start': { type: 'boolean' },
  strict: { type: 'boolean' },
  skip: { type: 'string', multiple: true },
  settings: { type: 'string' },
  'no-sandbox': { type: 'boolean' },
  keep: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof readArgs<typeof flags>>['values'];

const ONLY_PLAYED = ['from-now', 'from-start', 'strict', 'skip', 'settings', 'no-sandbox', 'keep'] as const;

/** Replays the calls of a saved session and reports which results differ, or which decisions under another policy. */
export async function replay(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [wanted, ...more] = positionals;
  if (wanted === undefined || more.length > 0) {
    throw new UsageProblem(
      'The session to replay is missing. Use helve replay ID, with the id of a session or "last"; helve sessions lists them.',
    );
  }
  const idle = values.policy === undefined ? undefined : ONLY_PLAYED.find((flag) => values[flag] !== undefined);
  if (idle !== undefined) throw new UsageProblem(`--policy runs nothing, so --${idle} does not go with it.`);
  if (values['from-now'] && values['from-start']) {
    throw new UsageProblem('--from-now and --from-start contradict each other. --from-start is the default.');
  }
  try {
    const dataFolder = realPathSync(dataFolderOf({ env: process.env }));
    const id = await findSession(dataFolder, wanted, { root: realpathSync(process.cwd()) });
    const session = recordedCalls(sessionFolder(dataFolder, id));
    if (session.root === undefined) {
      throw new SessionProblem('unreadable', `The session ${id} does not record its folder.`);
    }
    const location = { dataFolder, root: session.root };
    return values.policy === undefined
      ? await replayCalls(session, location, values)
      : await replayPolicy(session, location, values.policy, values);
  } catch (error) {
    if (error instanceof SettingsRefused) throw new SetupProblem(error.message);
    if (!(error instanceof SessionProblem || error instanceof TreeProblem)) throw error;
    await writeLine(process.stderr, wrapped(`helve: ${visible(error.message)}`, process.stderr));
    return exitCode.failed;
  }
}

interface SessionLocation {
  dataFolder: string;
  /** The session's project. */
  root: string;
}

async function replayPolicy(
  session: RecordedSession,
  location: SessionLocation,
  file: string,
  { json }: Flags,
): Promise<number> {
  const policy = await readPolicy(file, location);
  const folder = sessionFolder(location.dataFolder, session.id);
  const report = await comparePolicy(session, { folder, root: location.root, policy });
  const lines = json ? [jsonLine({ session: session.id, policy: file, ...report })] : policyLines(report, file);
  for (const line of lines) await writeLine(process.stdout, line);
  return report.different.length > 0 ? exitCode.failed : exitCode.ok;
}

const readPolicyText = async (file: string): Promise<string> => readRegularFile(file);

async function readPolicy(file: string, { root }: SessionLocation): Promise<unknown> {
  const text = await readPolicyText(file).catch((error: unknown) => {
    throw new UsageProblem(`The policy ${file} can't be read: ${messageOf(error)}`);
  });
  const { parseDocument, plainValue } = await import('../settings/document.js');
  const parsed = parseDocument(text);
  if ('problem' in parsed) {
    throw new UsageProblem(`The policy ${file}:${parsed.at.line} is not valid JSON: ${parsed.problem}.`);
  }
  const { checkPolicy } = await import('./permissions/check-policy.js');
  for (const notice of checkPolicy(parsed.node, { file, root })) await writeLine(process.stderr, `helve: ${notice}`);
  return plainValue(parsed.node);
}

async function replayCalls(session: RecordedSession, location: SessionLocation, values: Flags): Promise<number> {
  if (!statSync(location.root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TreeProblem(
      `The folder of the session, ${location.root}, no longer exists, so its calls can't be played. Restore it; --policy FILE works without it.`,
    );
  }
  const realRoot = await realpath(location.root); // where the project is now, if it was moved and a link is in its place
  let killAll = (): void => {};
  const signals = onSignals(() => killAll());
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-replay-')));
  const copy = join(folder, basename(location.root) || 'root');
  try {
    const skip = [folder, ...(values.skip ?? []).map((path) => resolve(realRoot, path))];
    const tree = await copyTree({ from: realRoot, to: copy, skip, signal: signals.signal });
    const changes = await changesOf(session, location.dataFolder);
    const notes = [...session.notes, ...leftOut(tree)];
    if (!values['from-now']) {
      const date = session.created ?? new Date(0);
      notes.push(...(await putBack({ dataFolder: location.dataFolder, changes, root: location.root, copy, date })));
    }
    const settings = await settingsIn(copy, location.root, values.settings);
    const env = environmentWith(settings.current, process.env);
    const walls = values['no-sandbox'] || !hasCommands(session) ? undefined : await sandboxInUse(env, copy);
    const played = await play({
      session,
      ...location,
      realRoot,
      copy,
      dataFolder: join(folder, 'helve'),
      recordedDataFolder: location.dataFolder,
      settings,
      env,
      hiddenVariables: [...secretVariables(await readCatalogue(env)), ...variablesForTracing(env)],
      sandbox: walls !== undefined,
      signal: signals.signal,
      onEngine: (engine) => {
        killAll = () => engine.session.killAll();
      },
      onNotice: (text) => void process.stderr.write(`helve: ${visible(text)}\n`),
    });
    const report = reportOf(session, location.root, { tree, played, notes, values, walls, changes });
    const lines = values.json ? [jsonLine(values.keep ? { ...report, copy } : report)] : replayLines(report);
    for (const line of lines) await writeLine(process.stdout, values.json ? line : wrapped(line, process.stdout));
    if (values.keep) await writeLine(process.stderr, `helve: the copy is kept in ${copy}`);
    return report.different.length > 0 ? exitCode.failed : exitCode.ok;
  } catch (error) {
    if (!signals.signal.aborted) throw error;
    return signals.exitCode ?? exitCode.failed;
  } finally {
    signals.dispose();
    if (!values.keep) await removeTree(folder).catch(() => reportLeftover(folder));
  }
}

const reportLeftover = (folder: string): Promise<void> =>
  writeLine(process.stderr, `helve: ${folder} could not be removed. Remove it when nothing uses it any more.`);

const leftOut = ({ leftOut: paths }: CopiedTree): string[] =>
  paths.length === 0 ? [] : [`Not in the copy, because it can't be read or is not a file: ${listSome(paths, 5)}.`];

/** The session's changes to files, oldest first, including those before a fork. */
async function changesOf(session: RecordedSession, dataFolder: string): Promise<RecordedChange[]> {
  const ids = new Set(session.turns.flatMap(({ calls }) => calls.map(({ id }) => id)));
  const sessions = [session.id];
  for (let parent = session.forkOf; parent !== undefined && !sessions.includes(parent); ) {
    sessions.unshift(parent);
    parent = forkOf(dataFolder, parent);
  }
  const changes: RecordedChange[] = [];
  for (const id of sessions) changes.push(...(await listChanges(dataFolder, id)));
  return changes.filter(({ callId }) => ids.has(callId));
}

function forkOf(dataFolder: string, id: string): string | undefined {
  try {
    for (const { line } of readSession(sessionFolder(dataFolder, id), { withoutLarge: true })) {
      return line?.type === 'session' ? line.fork?.id : undefined;
    }
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error; // it was deleted, but the journal may still have its changes
  }
  return undefined;
}

/** The project's settings, read from the copy. Trust in the project extends to its copy. */
async function settingsIn(copy: string, root: string, flag: string | undefined): Promise<WatchedSettings> {
  const shared = {
    env: process.env,
    ...knownNames({ root }),
    ...(flag !== undefined && { flag }),
  };
  const original = await loadSettings({ ...shared, root });
  return await watchSettings({ ...shared, root: copy, trust: original.trust.state === 'trusted' });
}

function hasCommands({ turns }: RecordedSession): boolean {
  const { traits } = toolTable();
  return turns.some(({ calls }) => calls.some(({ tool }) => traits.get(tool)?.family === 'command'));
}

/** A description, or undefined if there are none. */
async function sandboxInUse(env: NodeJS.ProcessEnv, copy: string): Promise<string | undefined> {
  const { chooseSandbox } = await import('../platform/sandbox/choose.js');
  const { kind, why } = await chooseSandbox({ env, workspace: [copy] });
  return kind === 'none' ? undefined : why;
}

interface Replayed {
  tree: CopiedTree;
  played: Played;
  notes: readonly string[];
  values: Flags;
  walls: string | undefined;
  changes: readonly RecordedChange[];
}

function reportOf(session: RecordedSession, root: string, replayed: Replayed): ReplayReport {
  const { tree, played, notes, values, walls, changes } = replayed;
  const compared = played.calls.map((each) => ({
    call: each.call,
    ...compare(each, { strict: values.strict === true }),
  }));
  return {
    session: session.id,
    title: session.title,
    root,
    tree: {
      state: values['from-now'] ? 'as it is now' : 'as at the start of the session',
      entries: tree.entries,
      bytes: tree.bytes,
    },
    calls: compared.length,
    same: compared.filter(({ verdict }) => verdict === 'same').length,
    alike: compared.flatMap((each) =>
      each.verdict === 'alike' ? [{ call: each.call.id, tool: each.call.tool, butFor: each.butFor }] : [],
    ),
    notPlayed: compared.flatMap((each) =>
      each.verdict === 'not_played' ? [{ call: each.call.id, tool: each.call.tool, why: each.why }] : [],
    ),
    different: compared.flatMap((each) => {
      if (each.verdict !== 'different') return [];
      const { call, recorded, now, diff } = each;
      return [{ call: call.id, tool: call.tool, input: call.input, recorded, now, diff }];
    }),
    allowedAgain: played.allowedAgain,
    sandbox: walls ?? null,
    hasCommands: hasCommands(session),
    notes,
    changedFiles: new Set(changes.flatMap(({ files }) => files.map(({ real }) => real))).size,
  };
}
