import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { inputLine, viewConversation } from '../agent/store/conversation-view.js';
import { exportFormats, exportSession, shownCost } from '../agent/store/export-session.js';
import { interruptionNotes } from '../agent/store/interrupted-calls.js';
import { findSession, listSessions } from '../agent/store/list-sessions.js';
import { readSession } from '../agent/store/read-session.js';
import { redactSecrets, secretsIn } from '../agent/store/redact-secrets.js';
import { removeSession } from '../agent/store/remove-session.js';
import { type RestoreOptions, restoreSession } from '../agent/store/restore-session.js';
import type { RestoredSession } from '../agent/store/restored-session.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { isInUse } from '../agent/store/session-lock.js';
import { SessionProblem } from '../agent/store/session-problem.js';
import { writeExport } from '../agent/store/write-export.js';
import type { SessionSummary } from '../contract/session-summary.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { oneOf } from './one-of.js';
import { resultPreview } from './sessions/result-preview.js';
import { cleanTitle, sessionTable } from './sessions/session-table.js';
import { SetupProblem, UsageProblem } from './usage-problem.js';
import { wrapped, writeLine } from './write-line.js';

const commands: Readonly<Record<string, (argv: readonly string[], location: SessionLocation) => Promise<number>>> = {
  list,
  show,
  delete: remove,
  export: write,
};

interface SessionLocation {
  dataFolder: string;
  /** The project: the directory that helve was started in. */
  root: string;
}

/** Shows and manages saved conversations. */
export async function sessions(argv: readonly string[]): Promise<number> {
  const [first = 'list', ...rest] = argv[0]?.startsWith('-') ? ['list', ...argv] : argv;
  const command = chooseAction('sessions', first, commands, `There are: ${Object.keys(commands).join(', ')}.`);
  try {
    return await command(rest, { dataFolder: dataFolderOf(), root: realpathSync(process.cwd()) });
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error;
    await writeLine(process.stderr, wrapped(`helve: ${visible(error.message)}`, process.stderr));
    return exitCode.failed;
  }
}

async function list(argv: readonly string[], { dataFolder, root }: SessionLocation): Promise<number> {
  const { values, positionals } = readArgs(argv, { all: { type: 'boolean' }, json: { type: 'boolean' } });
  if (positionals.length > 0)
    throw new UsageProblem(`helve sessions list takes no argument such as "${positionals[0]}".`);
  const found = await listSessions(dataFolder, values.all ? {} : { root });
  if (values.json) await writeLine(process.stdout, jsonText(found.map(asJson)));
  else if (found.length > 0) await writeLine(process.stdout, sessionTable(found, { withRoot: values.all === true }));
  else {
    const where = values.all ? '' : ` in ${root}. helve sessions list --all shows those of other folders`;
    await writeLine(process.stderr, `No sessions${where}.`);
  }
  return exitCode.ok;
}

const asJson = ({ id, title, root, model, created, updated, turns, costUsd, bytes, inUse, fork }: SessionSummary) => ({
  id,
  title: cleanTitle(title),
  root: root ?? null,
  model: model ?? null,
  created: created.toISOString(),
  updated: updated.toISOString(),
  turns,
  cost_usd: costUsd,
  bytes,
  in_use: inUse,
  forked_from: fork ?? null,
});

/** Secrets are masked in output for people: it is shared more easily than a conversation. */
async function show(argv: readonly string[], location: SessionLocation): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' }, raw: { type: 'boolean' } });
  const secrets = secretsIn(process.env);
  const clean = (text: string): string => (values.raw ? text : redactSecrets(text, secrets));
  // Showing a session does not resume its mode, so there is nothing to warn about.
  const options: RestoreOptions = values.json ? {} : { mode: 'default' };
  const { id, session } = await load(onlyId(positionals, 'show'), location, options);
  if (values.json) {
    const { header, title, messages, cwd, mode, totals, damaged } = session;
    const shown = {
      id,
      title,
      header: header ?? null,
      cwd: cwd ?? null,
      mode,
      totals,
      damaged_lines: damaged,
      messages,
    };
    await writeLine(process.stdout, jsonText(values.raw ? shown : withoutSecrets(shown, clean)));
    return exitCode.ok;
  }
  for (const line of factLines(id, session)) await writeLine(process.stdout, visible(clean(line)));
  for (const entry of viewConversation(session.messages)) {
    const text = entryText(entry, clean);
    if (text !== '') await writeLine(process.stdout, visible(clean(text)));
  }
  // A session that is running in another process looks interrupted.
  const notes = (await isInUse(sessionFolder(location.dataFolder, id)))
    ? []
    : [...session.notes, ...interruptionNotes(session.interrupted)];
  for (const note of notes) await writeLine(process.stderr, `helve: ${visible(note)}`);
  return exitCode.ok;
}

/** Masks every string at any depth, together with its key, which may show that it is secret. */
function withoutSecrets(value: unknown, clean: (text: string) => string): unknown {
  const text = JSON.stringify(value, (name, inner: unknown) => {
    const named = `${name}: `;
    return typeof inner === 'string' ? clean(named + inner).slice(named.length) : inner;
  });
  return JSON.parse(text);
}

function factLines(id: string, { header, title, totals }: RestoredSession): string[] {
  const { turns, costUsd } = totals;
  const facts = [header?.root, header?.model, counted(turns, 'turn'), `cost ${shownCost(costUsd)}`];
  return [title || '(no title)', `${id}: ${facts.filter((fact) => fact !== undefined).join(', ')}`];
}

type Entry = ReturnType<typeof viewConversation> extends Generator<infer One> ? One : never;

function entryText(entry: Entry, clean: (text: string) => string): string {
  switch (entry.type) {
    case 'prompt':
      return `\n> ${entry.text.trimEnd().replaceAll('\n', '\n> ')}`;
    case 'answer':
      return `\n${entry.text.trimEnd()}`;
    case 'thinking':
      return '';
    case 'image':
      return `  [an image, ${entry.image.source.media_type}]`;
    case 'other':
      return `  ${entry.text}`;
    case 'call': {
      const { tool, input, result } = entry;
      const failed = result?.isError === true;
      const lines = resultPreview(clean(result?.text ?? 'no result'), failed).join('\n    ');
      return `  ${tool} ${inputLine(input, clean)}\n    ${failed ? 'failed: ' : ''}${lines}`;
    }
  }
}

async function remove(argv: readonly string[], { dataFolder, root }: SessionLocation): Promise<number> {
  const { positionals } = readArgs(argv, {});
  if (positionals.length === 0)
    throw new UsageProblem('helve sessions delete needs the ids of sessions, or their beginnings.');
  let failed = false;
  // Resolves all names first: a typo in the second must not be found after the first was deleted.
  const ids = new Set<string>();
  for (const wanted of positionals) ids.add(await findSession(dataFolder, wanted, { root }));
  const titles = new Map((await listSessions(dataFolder)).map(({ id, title }) => [id, title]));
  for (const id of ids) {
    try {
      const left = await removeSession(dataFolder, id);
      const title = titles.get(id);
      await writeLine(process.stdout, `Deleted ${id}${title ? `: ${visible(cleanTitle(title))}` : ''}`);
      for (const sentence of left) await writeLine(process.stderr, `helve: ${visible(sentence)}`);
    } catch (error) {
      if (!(error instanceof SessionProblem)) throw error;
      failed = true;
      await writeLine(process.stderr, `helve: ${visible(error.message)} It was not deleted.`);
    }
  }
  return failed ? exitCode.failed : exitCode.ok;
}

async function write(argv: readonly string[], location: SessionLocation): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    format: { type: 'string' },
    output: { type: 'string', short: 'o' },
  });
  const wanted = values.format ?? (values.output?.endsWith('.html') ? 'html' : 'md');
  const format = oneOf('--format', exportFormats, wanted);
  const { id, session } = await load(onlyId(positionals, 'export'), location);
  const pieces = exportSession(session, { id, format, secrets: secretsIn(process.env) });
  if (values.output === undefined) {
    for (const piece of pieces) if (piece !== '') await writeLine(process.stdout, piece.replace(/\n$/, ''));
    return exitCode.ok;
  }
  await writeExport(resolve(values.output), pieces).catch((error: unknown) => {
    throw error instanceof SessionProblem ? new SetupProblem(error.message) : error;
  });
  await writeLine(
    process.stdout,
    `Written to ${values.output}. Known formats of secrets are blacked out; read it before you share it.`,
  );
  return exitCode.ok;
}

function onlyId(positionals: readonly string[], command: string): string {
  const [wanted, more] = positionals;
  if (wanted !== undefined && more === undefined) return wanted;
  throw new UsageProblem(`helve sessions ${command} takes the id of one session, its beginning, or "last".`);
}

async function load(
  wanted: string,
  { dataFolder, root }: SessionLocation,
  options: RestoreOptions = {},
): Promise<{ id: string; session: RestoredSession }> {
  const id = await findSession(dataFolder, wanted, { root });
  return { id, session: restoreSession(readSession(sessionFolder(dataFolder, id)), { ...options, whole: true }) };
}
