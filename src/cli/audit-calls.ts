import type { AuditEntry } from '../agent/observe/read-audit.js';
import type { FailureKind } from '../contract/failure.js';
import { withShownPaths } from '../display/shown-path.js';
import { homeFolder } from '../platform/files/paths.js';
import { isObject } from '../platform/is-object.js';
import { localSecond } from '../platform/text/local-time.js';
import { oneLine } from '../settings/settings-problem.js';

const MAX_SUBJECT = 50;
const MIN_REASON = 20;

/** One line for each call: time, outcome, tool, subject, decision, duration. Lines are cut to the width, if there is one. */
export function auditedCallLines(entries: readonly AuditEntry[], columns = Number.POSITIVE_INFINITY): string[] {
  const root = textOf(entries.find((entry) => typeof entry['root'] === 'string')?.['root']);
  const home = homeFolder();
  const calls = [...Map.groupBy(entries, ({ call }) => call)].flatMap(([id, of]) =>
    typeof id === 'string' ? [asCall(of, (text) => withShownPaths(text, { root, home }))] : [],
  );
  const toolWidth = Math.max(...calls.map(({ tool }) => tool.length), 0);
  const subjectWidth = Math.max(...calls.map(({ subject }) => subject.length), 0);
  return calls.map(({ at, sign, tool, subject, decision, duration }) => {
    const head = `${at}  ${sign} ${tool.padEnd(toolWidth)}  ${subject.padEnd(subjectWidth)}  `;
    const room = Math.max(columns - head.length - duration.length - 2, MIN_REASON);
    return `${head}${cut(decision, room)}${duration === '' ? '' : `  ${duration}`}`.trimEnd();
  });
}

function asCall(entries: readonly AuditEntry[], shorten: (text: string) => string) {
  const find = (type: string): AuditEntry | undefined => entries.findLast((entry) => entry.type === type);
  const [first, start, result] = [entries[0], find('start'), find('result')];
  const isDenied = result?.['failure'] === 'permission_denied';
  const milliseconds = start && result ? Date.parse(result.at) - Date.parse(start.at) : undefined;
  return {
    at: localSecond(first?.at ?? ''),
    sign: result === undefined ? '?' : result['ok'] === true ? '✓' : isDenied ? '⊘' : '✗',
    tool: oneLine(textOf(first?.['tool'])),
    subject: cut(oneLine(shorten(subjectOf(find('call')?.['input']))), MAX_SUBJECT),
    decision: oneLine(
      shorten([decisionOf(find('decision'), find('answer'), isDenied), failureOf(result)].filter(Boolean).join('; ')),
    ),
    duration: milliseconds === undefined ? '' : `${milliseconds} ms`,
  };
}

/** The first text of the input: the file, the command, the pattern. */
function subjectOf(input: unknown): string {
  const texts = isObject(input) ? Object.values(input).filter((value) => typeof value === 'string') : [];
  return texts[0]?.split('\n', 1)[0] ?? '';
}

function decisionOf(decision: AuditEntry | undefined, answer: AuditEntry | undefined, isDenied: boolean): string {
  if (answer) return answer['behavior'] === 'deny' ? 'denied by you' : 'allowed by you';
  if (!decision) return isDenied ? 'denied' : '';
  return `${isDenied ? 'denied' : 'allowed'}: ${textOf(decision['reason'])}`;
}

/** A refusal is the decision itself, and a failure beyond these kinds is of a newer version. */
const failureWords: Readonly<Record<Exclude<FailureKind, 'permission_denied'>, string>> = {
  unknown_tool: 'failed: no tool has that name',
  interrupted: 'interrupted',
  invalid_input: 'failed: the input was not valid',
  check_refused: 'failed: the tool refused it, and nothing was done',
  exception: 'failed in its work',
};

function failureOf(result: AuditEntry | undefined): string | undefined {
  const kind = result?.['failure'];
  return Object.entries(failureWords).find(([known]) => known === kind)?.[1];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
