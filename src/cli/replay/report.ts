import { shortCallId } from '../../agent/undo/short-call-id.js';
import { counted } from '../../platform/text/counted.js';
import { visible } from '../../platform/text/visible.js';
import type { PolicyDifference, PolicyReport } from './policy.js';

export interface ReplayReport {
  session: string;
  title: string;
  root: string;
  tree: { state: 'as it is now' | 'as at the start of the session'; entries: number; bytes: number };
  calls: number;
  same: number;
  /** Equal except for volatile parts. */
  alike: ReadonlyArray<{ call: string; tool: string; butFor: readonly string[] }>;
  notPlayed: ReadonlyArray<{ call: string; tool: string; why: string }>;
  different: ReadonlyArray<{
    call: string;
    tool: string;
    input: unknown;
    recorded: string;
    now: string;
    diff: string;
  }>;
  /** Calls that ran without a question, because they were allowed in the recorded session. */
  allowedAgain: readonly string[];
  /** How commands were sandboxed; null if they were not. */
  sandbox: string | null;
  /** Whether there were any commands. */
  hasCommands: boolean;
  notes: readonly string[];
  /** Files that the recorded session has changed. */
  changedFiles: number;
}

export function replayLines(report: ReplayReport): string[] {
  const { session, title, root, tree, calls, different, alike, notPlayed } = report;
  const ids = [...different, ...alike, ...notPlayed].map(({ call }) => call);
  const shortId = (call: string): string => visible(shortCallId(call, ids));
  const size = `${counted(tree.entries, 'entry', 'entries')}, ${megabytes(tree.bytes)}`;
  const lines = [
    `${session} "${visible(title)}": ${counted(calls, 'call')} in a copy of ${visible(root)} ${tree.state} (${size})`,
    '',
  ];
  for (const { call, tool, input, diff } of different) {
    lines.push(`✗ ${visible(tool)} ${shortId(call)}  ${inputLine(input)}`, ...indented(diff), '');
  }
  lines.push(...report.notes.map((note) => `Note: ${visible(note)}`));
  if (notPlayed.length > 0) {
    lines.push(
      `Not played: ${notPlayed.map(({ tool, call }) => `${visible(tool)} ${shortId(call)}`).join(', ')} (interrupted in the session).`,
    );
  }
  if (report.allowedAgain.length > 0) {
    lines.push(`${counted(report.allowedAgain.length, 'call')} allowed again, as in the recorded session.`);
  }
  if (report.hasCommands) {
    lines.push(
      report.sandbox === null
        ? 'Commands ran without a sandbox, with network.'
        : `Commands ran in a sandbox, without network: ${report.sandbox}.`,
    );
  }
  const kinds = [...new Set(alike.flatMap(({ butFor }) => butFor))].join(', ');
  const butFor = alike.length > 0 ? ` (${alike.length} of them apart from ${kinds})` : '';
  const same = report.same + alike.length;
  if (calls === 0) return ['The session made no calls, so there is nothing to play.'];
  if (different.length > 0) {
    lines.push(`${counted(different.length, 'result differs', 'results differ')}, ${same} the same${butFor}.`);
  } else if (same === 0) lines.push('There was no result to compare.');
  else lines.push(`${same === 1 ? '1 result is' : `All ${same} results are`} the same${butFor}.`);
  if (different.length > 0 && report.changedFiles > 0 && tree.state === 'as it is now') {
    const files = counted(report.changedFiles, 'file');
    lines.push(
      `The session itself changed ${files}; without --from-now it is played on the files as they were before.`,
    );
  }
  if (different.length > 0 && tree.state !== 'as it is now') {
    lines.push('To play it on the files as they are now: --from-now.');
  }
  return lines;
}

export function policyLines({ calls, different, fromAudit, notes }: PolicyReport, file: string): string[] {
  const ids = different.map(({ call }) => call);
  const lines = different.flatMap(({ call, tool, input, before, after }) => [
    `${visible(tool)} ${visible(shortCallId(call, ids))}  ${inputLine(input)}`,
    `  then: ${describe(before)}`,
    `  with ${visible(file)}: ${words[after.decision]}: ${visible(after.reason)}`,
    '',
  ]);
  lines.push(...notes.map((note) => `Note: ${visible(note)}`));
  const source =
    fromAudit === calls ? 'the audit log' : `${fromAudit} from the audit log, the rest by current settings`;
  lines.push(
    different.length === 0
      ? `${calls === 1 ? '1 call' : `All ${calls} calls`} would be decided in the same way (${source}). Nothing was run.`
      : `${different.length} of ${counted(calls, 'call')} would be decided differently (${source}). Nothing was run.`,
  );
  return lines;
}

const words = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const;

const describe = ({ decision, reason, allowedByPerson }: PolicyDifference['before']): string =>
  `${words[decision]}${allowedByPerson ? ', and allowed' : ''}: ${visible(reason)}`;

const MAX_INPUT_CHARS = 160;

function inputLine(input: unknown): string {
  const text = visible(JSON.stringify(input) ?? '');
  return text.length > MAX_INPUT_CHARS ? `${text.slice(0, MAX_INPUT_CHARS)}…` : text;
}

const indented = (text: string): string[] =>
  visible(text)
    .split('\n')
    .map((line) => `  ${line}`);

const megabytes = (bytes: number): string =>
  bytes < 100_000 ? 'less than 0.1 MB' : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
