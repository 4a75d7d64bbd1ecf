// The first two phases of every change to an existing file: validate and prepare. Nothing is written here, so that the
// check before the decision and the work after it share their code.

import { ToolFailure } from '../../contract/failure.js';
import type { ToolCheck } from '../../contract/tool.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { hashOf } from '../../platform/crypto.js';
import { formatName, UnencodableText } from '../../platform/encodings/text-file.js';
import { clause } from '../../platform/text/clause.js';
import { counted } from '../../platform/text/counted.js';
import { countEndings } from '../../platform/text/line-endings.js';
import { type WholePatch, wholePatch } from '../../platform/text/whole-patch.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { seenOf } from './check-editable.js';
import { type Change, differingPart, type FilePlan, fitToDisk } from './fit-to-disk.js';
import { type LoadedText, loadText } from './load-text.js';
import type { ChangedText } from './match/edit-text.js';
import { scanNewText, type TextFinding } from './secrets/scan-new-text.js';
import { conflictRefusal, settleConflict } from './settle-conflict.js';

const MAX_WHOLLY_SCANNED = 1024 * 1024; // for a longer text only the lines that differ are scanned
const MAX_NAMED = 5;
const MAX_REFUSALS = 3;

/** A plan without a conflict, or one that the user has decided about. */
export type SettledPlan = FilePlan & { changed: ChangedText };

/** Loads the file, checks that the model knows it, and applies the change in memory. */
export async function planChange(
  target: TargetFile,
  change: Change & { action: 'edit' | 'write' | 'patch' },
  context: ToolContext,
): Promise<FilePlan> {
  const before = await loadText(target, context);
  change.check?.(before);
  const seen = seenOf(context.session.ledger, target, change.action);
  const plan = await fitToDisk(target, before, seen, change).catch((error: unknown) => {
    throw error instanceof UnencodableText ? unencodable(target, before, error) : error;
  });
  if (plan.conflict && !context.askUser) throw conflictRefusal(plan.conflict);
  return plan;
}

function unencodable(target: TargetFile, { format }: LoadedText, error: UnencodableText): Error {
  return refusal(`${target.shown} is in ${formatName(format)}, and ${clause(error.message)}. Nothing was written.`, {
    advice: 'Send characters that it has, or convert the file to UTF-8 first (for example with iconv).',
    cause: error,
  });
}

/** Asks the user about a conflict, if there is one. */
export async function settled(plan: FilePlan, context: ToolContext): Promise<SettledPlan> {
  const { target, before } = plan;
  const changed = plan.changed ?? (await settleConflict(plan.conflict, context));
  return { target, before, changed: { ...changed, notes: [...changed.notes, ...guessedEncoding(before)] } };
}

const guessedEncoding = ({ format }: LoadedText): string[] =>
  format.sure === false
    ? [
        `Its encoding is not marked and was taken for ${formatName(format)}; bytes that were not edited are as they were.`,
      ]
    : [];

/** The question to the user before texts with secrets or hidden characters are written. */
export function questionAbout(
  texts: ReadonlyArray<{ target: TargetFile; before?: string | undefined; after: string }>,
): { ask: string } | undefined {
  const findings = texts.flatMap(({ target, before, after }) =>
    newFindings(before, after).map(({ line, kind }) => `${kind} at line ${line} of ${target.shown}`),
  );
  if (findings.length === 0) return undefined;
  const more = findings.length - MAX_NAMED;
  return {
    ask: `the new text holds ${findings.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${counted(more, 'thing')} more` : ''}`,
  };
}

/** The result of validating changes: the question to ask, and the files' planned content. */
export function checkOf(texts: Parameters<typeof questionAbout>[0]): ToolCheck {
  const names = texts.map(({ target }) => target.shown).join(', ');
  const patches = () => texts.map(({ target, before = '', after }) => wholePatch(target.shown, before, after));
  return { ...questionAbout(texts), display: () => ({ title: names, body: diffOf(names, patches()) }) };
}

/** Patches as one body, for a question that shows the whole change. */
export const diffOf = (path: string, patches: readonly WholePatch[]) => ({
  type: 'diff' as const,
  path,
  patch: patches.map(({ patch }) => patch).join('\n'),
  ...(patches.some(({ isPartial }) => isPartial) && { isPartial: true }),
});

/** The texts that a plan may write, to be scanned before the decision. */
export const textsOf = ({ target, before, changed, conflict }: FilePlan) => ({
  target,
  before: before.text,
  after: (changed ?? conflict.ours).text.raw,
});

function newFindings(before: string | undefined, after: string): TextFinding[] {
  if (before === undefined) return scanNewText(undefined, after);
  const { start, end, text: fresh } = differingPart(before, after);
  // A hidden character is identified by its neighbours. An unmoved one is not new because its neighbour is.
  const isNew = ({ kind }: TextFinding): boolean => {
    const code = /U\+([0-9A-F]+)$/.exec(kind)?.[1];
    return code === undefined || fresh.includes(String.fromCodePoint(Number.parseInt(code, 16)));
  };
  if (after.length <= MAX_WHOLLY_SCANNED) return scanNewText(before, after).filter(isNew);
  const from = start === 0 ? 0 : after.lastIndexOf('\n', start - 1) + 1;
  const feed = after.indexOf('\n', after.length - (before.length - end));
  const to = feed === -1 ? after.length : feed;
  const above = countEndings(after.slice(0, from));
  const found = scanNewText(before.slice(from, before.length - (after.length - to)), after.slice(from, to));
  return found.filter(isNew).map(({ line, kind }) => ({ line: line + above, kind }));
}

/** Counts refusals of the same change: before a third attempt, the model has to look at the file. */
export async function countingRefusals<Result>(
  target: TargetFile,
  change: unknown,
  { session: { ledger } }: ToolContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const seen = ledger.get(target.real);
    if (!(error instanceof ToolFailure) || error.kind !== 'check_refused' || !seen) throw error;
    const key = hashOf(Buffer.from(JSON.stringify(change)));
    const times = seen.refused?.change === key ? seen.refused.times + 1 : 1;
    ledger.set(target.real, { ...seen, refused: { change: key, times } });
    if (times < MAX_REFUSALS) throw error;
    throw refusal(
      `This is the ${ordinal(times)} time that this very change of ${target.shown} fails, so stop sending it: it will fail again.`,
      {
        problem: `The same change of ${target.shown} failed for the ${ordinal(times)} time: ${error.problem}`,
        advice: `Read ${target.shown}, then make another change from what you see there.\n${error.message}`,
        cause: error,
      },
    );
  }
}

const ordinal = (number: number): string => (number === 3 ? 'third' : `${number}th`);
