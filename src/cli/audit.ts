import { realpathSync } from 'node:fs';
import { type AuditEntry, auditedSessions, checkAudit, readAudit } from '../agent/observe/read-audit.js';
import { listSessions } from '../agent/store/list-sessions.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { noSuchSession, SessionProblem } from '../agent/store/session-problem.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { counted } from '../platform/text/counted.js';
import { jsonLine, jsonText } from '../platform/text/json-line.js';
import { localMinute, localSecond } from '../platform/text/local-time.js';
import { table } from '../platform/text/table.js';
import { visible } from '../platform/text/visible.js';
import { oneLine } from '../settings/settings-problem.js';
import { readArgs } from './args.js';
import { auditedCallLines } from './audit-calls.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { cleanTitle, SHORT_ID_CHARS } from './sessions/session-table.js';
import { terminalWidth } from './terminal-width.js';
import { UsageProblem } from './usage-problem.js';
import { wrapped, writeLine } from './write-line.js';

const USAGE = 'Use helve audit list, helve audit show SESSION, or helve audit verify [SESSION|--all].';

const flags = {
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  hash: { type: 'string' },
  long: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof readArgs<typeof flags>>['values'];

const actions: Readonly<Record<string, (words: readonly string[], values: Flags) => Promise<number>>> = {
  list,
  show,
  verify,
};

/** Shows the log of decisions and actions, and verifies that it is unchanged. */
export async function audit(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [name = 'list', ...words] = positionals;
  const action = chooseAction('audit', name, actions, USAGE);
  try {
    return await action(words, values);
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error;
    await writeLine(process.stderr, wrapped(`helve: ${visible(error.message)}`, process.stderr));
    return exitCode.failed;
  }
}

const dataFolder = (): string => dataFolderOf({ env: process.env });

function summaryOf(id: string) {
  const { entries, problems, last } = load(id);
  const [first] = entries;
  const root = first?.['root'];
  const count = (type: string, fits: (entry: AuditEntry) => boolean = () => true): number =>
    entries.filter((entry) => entry.type === type && fits(entry)).length;
  return {
    session: id,
    begun: first?.at ?? null,
    root: typeof root === 'string' ? root : null,
    calls: count('call'),
    denied: count('result', ({ failure }) => failure === 'permission_denied'),
    entries: entries.length,
    intact: problems.length === 0,
    problems,
    last,
  };
}

function load(id: string) {
  const text = readAudit(sessionFolder(dataFolder(), id).path);
  if (!text) throw noSuchSession(id);
  return checkAudit(text);
}

async function list(words: readonly string[], { json, all }: Flags): Promise<number> {
  if (words.length > 0) throw new UsageProblem(`helve audit list takes no argument such as "${words[0]}". ${USAGE}`);
  const here = realpathSync(process.cwd());
  const rows = auditedSessions(dataFolder())
    .map(summaryOf)
    .filter(({ root }) => all || root === here);
  if (json) await writeLine(process.stdout, jsonText(rows));
  else {
    const titles = new Map((await listSessions(dataFolder())).map(({ id, title }) => [id, title]));
    const shown = rows.map(({ session, begun, calls, denied, intact, root }) => [
      session.slice(0, SHORT_ID_CHARS),
      begun === null ? '?' : localMinute(new Date(begun)),
      `${counted(calls, 'call')}, ${denied} denied${intact ? '' : ', NOT INTACT'}`,
      ...(all ? [oneLine(root ?? '?')] : []),
      oneLine(cleanTitle(titles.get(session) ?? '')) || '(no title)',
    ]);
    for (const line of table(shown, { indent: '', width: terminalWidth() })) await writeLine(process.stdout, line);
    if (rows.length === 0) {
      const where = all ? '' : ` for ${oneLine(here)}. helve audit list --all shows those of other folders`;
      await writeLine(process.stderr, `No audit log${where}.`);
    }
  }
  return exitCode.ok;
}

/** A session by its id, a prefix of it, or "last", the latest of this folder. */
function sessionOf(wanted: string): string {
  const ids = auditedSessions(dataFolder());
  if (wanted === 'last') {
    const here = realpathSync(process.cwd());
    const latest = ids.find((id) => summaryOf(id).root === here);
    if (latest !== undefined) return latest;
    const text = `No audit log for ${oneLine(here)}. helve audit list --all shows those of other folders.`;
    throw new SessionProblem('unknown', text);
  }
  const meant = ids.includes(wanted) ? [wanted] : ids.filter((id) => wanted !== '' && id.startsWith(wanted));
  const [only, second] = meant;
  if (only !== undefined && second === undefined) return only;
  throw new SessionProblem(
    only === undefined ? 'unknown' : 'ambiguous',
    only === undefined
      ? `There is no audit log of a session "${wanted.slice(0, 80)}". helve audit list --all shows those there are.`
      : `"${wanted}" is the beginning of ${meant.length} ids: ${meant.slice(0, 5).join(', ')}. Give more of the one you mean.`,
  );
}

async function show(words: readonly string[], { json, long }: Flags): Promise<number> {
  const [wanted, ...more] = words;
  if (wanted === undefined || more.length > 0) throw new UsageProblem(`helve audit show takes one session. ${USAGE}`);
  const { entries, problems } = load(sessionOf(wanted));
  const lines = json
    ? entries.map((entry) => jsonLine(entry))
    : long
      ? entries.map(describe)
      : auditedCallLines(entries, terminalWidth());
  for (const line of lines) await writeLine(process.stdout, line);
  if (lines.length === 0) await writeLine(process.stderr, 'helve: The session made no calls.');
  for (const problem of problems) await writeLine(process.stderr, `helve: ${problem}`);
  return problems.length === 0 ? exitCode.ok : exitCode.failed;
}

function describe({ n, at, type, hash: _, ...fields }: AuditEntry): string {
  const { call, tool, ...rest } = fields;
  const what = [type, tool, call].filter((word) => typeof word === 'string').join(' ');
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return oneLine(`${String(n).padStart(5)}  ${localSecond(at)}  ${[what, ...facts].join('  ')}`);
}

async function verify(words: readonly string[], { all, json, hash }: Flags): Promise<number> {
  const [wanted, ...more] = words;
  if (more.length > 0 || (all && wanted !== undefined)) throw new UsageProblem(`One session, or --all. ${USAGE}`);
  if (hash !== undefined && (all || !/^[0-9a-f]{64}$/.test(hash))) {
    throw new UsageProblem('--hash takes the 64 digits that an earlier verify of one session has printed.');
  }
  const ids = all ? auditedSessions(dataFolder()) : [sessionOf(wanted ?? 'last')];
  const reports = ids.map((id) => {
    const { entries, problems, last } = load(id);
    const isMissing = hash !== undefined && !entries.some((entry) => entry.hash === hash);
    const found = isMissing
      ? [...problems, `no entry has the hash ${hash}: the log was replaced or cut off`]
      : problems;
    return { session: id, intact: found.length === 0, entries: entries.length, last, problems: found };
  });
  if (json) await writeLine(process.stdout, jsonText(reports));
  else {
    for (const { session, intact, entries, last, problems } of reports) {
      const count = counted(entries, 'entry', 'entries');
      await writeLine(
        process.stdout,
        `${session}: ${intact ? `intact, ${count}, last hash ${last.hash}` : 'NOT INTACT'}`,
      );
      for (const problem of problems) await writeLine(process.stdout, `  ${problem}`);
    }
    if (reports.length === 0) await writeLine(process.stderr, 'No audit log.');
  }
  return reports.every(({ intact }) => intact) ? exitCode.ok : exitCode.failed;
}
