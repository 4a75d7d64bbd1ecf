// Reads the steps of a plan from its Markdown: a numbered list, headings such as "Step 2: …", or checkboxes.
import type { PlanStep, PlanSteps } from '../../contract/planning.js';

const MAX_STEPS = 100;
const MAX_FILES = 20;

/** The first line of a step. */
interface Beginning {
  line: number;
  /** The indentation, or the level of the heading. */
  depth: number;
  /** The number of the step in the text. */
  number: string | undefined;
  title: string;
}

/** The steps of a plan, each with the text below it. */
export function planSteps(plan: string): PlanSteps {
  const lines = plan.split(/\r?\n/);
  const fenced = insideFences(lines);
  const beginnings = firstKindWithSteps(lines, fenced).slice(0, MAX_STEPS + 1);
  if (beginnings.length === 0) {
    const problem =
      'The plan has no steps that can be told apart. Write it as a numbered list, as headings ("## Step 1: …") or as checkboxes ("- [ ] …").';
    return { steps: [], problem };
  }
  const drafts = beginnings.map((beginning, index) => draftOf(beginning, index, beginnings, lines));
  const ids = drafts.map(({ number }, index) => String(Number(number ?? index + 1)));
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  const named = repeated === undefined ? ids : drafts.map((_, index) => String(index + 1));
  const steps = drafts.map(({ title, details }, index) => stepOf(named, index, title, details));
  const problem = beginnings.length > MAX_STEPS ? `The plan has more than ${MAX_STEPS} steps.` : problemWith(steps);
  return { steps: steps.slice(0, MAX_STEPS), ...(problem !== undefined && { problem }) };
}

/** Which lines are in code blocks, where numbers don't begin steps. */
function insideFences(lines: readonly string[]): boolean[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark[0] === fence[0] && mark.length >= fence.length) fence = undefined;
    return true;
  });
}

// None of these may match up to the end of a line: on a long run of blanks that takes quadratic time.
const STEP_HEADING = /^(#{1,6})\s+(?:(?:step|phase|task|part)\s+(\d+)|(\d+)(?=[.):]\s))\s*[.):–—-]*\s*(.*)$/i;
const CHECKBOX = /^(\s*)(?:[-*+]|(\d+)[.)])\s+\[[ xX]\]\s+(.*)$/;
const NUMBERED = /^(\s*)(\d+)[.)]\s+(.*)$/;

/** Headings take precedence over lists: a list below a heading is part of that step. */
function firstKindWithSteps(lines: readonly string[], fenced: readonly boolean[]): Beginning[] {
  const found = [STEP_HEADING, CHECKBOX, NUMBERED].map((kind) =>
    lines.flatMap((text, line): Beginning[] => {
      if (fenced[line]) return [];
      const parts = kind.exec(text);
      if (!parts) return [];
      const [, mark = '', first, second, third] = parts;
      if (kind === STEP_HEADING) {
        return [{ line, depth: mark.length, number: first ?? second, title: withoutClosing(third ?? '') }];
      }
      return [{ line, depth: mark.replaceAll('\t', '    ').length, number: first, title: second ?? '' }];
    }),
  );
  const all = found.find((beginnings) => beginnings.length > 0) ?? [];
  const outermost = Math.min(...all.map(({ depth }) => depth));
  // Items that are indented further are part of a step. One or two blanks are tolerated.
  return all.filter(({ depth }) => depth <= outermost + (all === found[0] ? 0 : 1));
}

/** Removes closing `#` marks after a blank; "C#" is kept. */
function withoutClosing(title: string): string {
  const words = title.trimEnd();
  let end = words.length;
  while (end > 0 && words[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(words[end - 1] ?? '') ? words.slice(0, end).trimEnd() : words;
}

function draftOf(
  { line, number, title }: Beginning,
  index: number,
  beginnings: readonly Beginning[],
  lines: readonly string[],
): { number: string | undefined; title: string; details: string } {
  const next = beginnings[index + 1]?.line ?? lines.length;
  const below = lines.slice(line + 1, next);
  // A section with its own heading after the last step belongs to the plan, not to that step.
  const isListed = !/^#/.test(lines[line] ?? '');
  const end = isListed ? below.findIndex((text) => /^#{1,6}\s/.test(text)) : -1;
  const details = (end < 0 ? below : below.slice(0, end)).join('\n').trim();
  return { number, title: plain(title), details: unindented(details) };
}

function stepOf(ids: readonly string[], index: number, title: string, details: string): PlanStep {
  const id = ids[index] ?? String(index + 1);
  const text = `${title}\n${details}`;
  const dependsOn = dependencies(text.replaceAll(/\s+/g, ' '), ids, index).filter((other) => other !== id);
  const files = filesIn(text);
  return { id, title, details, dependsOn, ...(files.length > 0 && { files }) };
}

const plain = (title: string): string => {
  const words = title.replaceAll(/\*\*|__/g, '').trim();
  return words.endsWith(':') ? words.slice(0, -1).trim() : words;
};

const unindented = (text: string): string => {
  const lines = text.split('\n');
  const depths = lines.slice(1).flatMap((line) => (line.trim() === '' ? [] : [/^\s*/.exec(line)?.[0].length ?? 0]));
  const common = depths.length === 0 ? 0 : Math.min(...depths);
  return [lines[0] ?? '', ...lines.slice(1).map((line) => line.slice(common))].join('\n').trim();
};

const NUMBERS = String.raw`(?:steps?\s+|#)?\d+(?:\s*(?:,|;|&|and|or|to|[-–])\s*(?:steps?\s+|#)?\d+)*`;
const DEPENDS = new RegExp(
  String.raw`\b(?:depends?\s+on|depending\s+on|dependenc(?:y|ies)|blocked\s+by|needs|requires)\s*(?::\s*)?(${NUMBERS})(?![\w.])`,
  'gi',
);
const AFTER = new RegExp(String.raw`\b(?:after|once|following)\s+((?:steps?\s+|#)${NUMBERS})`, 'gi');

/** The steps that must come first according to a text with single blanks between its words. */
function dependencies(text: string, ids: readonly string[], index: number): string[] {
  const said = [...text.matchAll(DEPENDS), ...text.matchAll(AFTER)].map(([, numbers = '']) => numbers);
  const found = said.flatMap(numbersIn);
  if (/\b(?:depends?\s+on|after)\s+(?:the\s+)?previous\s+step\b/i.test(text)) found.push(ids[index - 1] ?? '');
  if (/\b(?:depends?\s+on|after)\s+all\s+(?:of\s+the\s+)?(?:previous|other)\s+steps\b/i.test(text)) {
    found.push(...ids.slice(0, index));
  }
  return [...new Set(found)].filter((id) => id !== '');
}

function numbersIn(text: string): string[] {
  const ranges = text.matchAll(/(\d+)(?:\s*(?:to|-|–)\s*(?:steps?\s+|#)?(\d+))?/g);
  return [...ranges].flatMap(([, first = '', last]) => {
    if (last === undefined) return [String(Number(first))];
    const [from, to] = [Number(first), Number(last)];
    if (to < from || to - from > MAX_STEPS) return [String(from), String(to)];
    return Array.from({ length: to - from + 1 }, (_, offset) => String(from + offset));
  });
}

/** Names in backticks that look like files: with a slash, or with an ending. */
function filesIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]{1,200})`/g)].map(([, name = '']) => name);
  const files = quoted.filter(
    (name) => /^[\w@.~/\\-]+$/.test(name) && (/[\w-]\/[\w.-]/.test(name) || /^[\w.-]*\.[a-z]\w{0,7}$/i.test(name)),
  );
  return [...new Set(files)].slice(0, MAX_FILES);
}

function problemWith(steps: readonly PlanStep[]): string | undefined {
  const known = new Set(steps.map(({ id }) => id));
  for (const { id, dependsOn } of steps) {
    const missing = dependsOn.find((other) => !known.has(other));
    if (missing !== undefined) return `Step ${id} depends on step ${missing}, which the plan does not have.`;
  }
  const circle = waitingForEachOther(steps);
  if (circle.length === 0) return undefined;
  return `The steps ${circle.join(', ')} wait for each other, so none of them could begin.`;
}

/** The steps in a cycle: those that remain after repeatedly removing all steps that could run. */
function waitingForEachOther(steps: readonly PlanStep[]): string[] {
  const done = new Set<string>();
  for (;;) {
    const ready = steps.filter(({ id, dependsOn }) => !done.has(id) && dependsOn.every((other) => done.has(other)));
    if (ready.length === 0) return steps.map(({ id }) => id).filter((id) => !done.has(id));
    for (const { id } of ready) done.add(id);
  }
}
