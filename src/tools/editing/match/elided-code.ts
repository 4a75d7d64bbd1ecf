const MARK = String.raw`(?:\.\.\.|…)`;
const WORDS = String.raw`(?:existing|rest of|remaining|unchanged|previous|other|same|keep)\b`;
const REMARK = String.raw`(?://|#|--|/\*|<!--|;|%|\{/\*|\(\*)`;
// Whether a place is at the start of its line is checked only where a mark is, so that long runs of blanks take no time.
const ELIDED = new RegExp(
  String.raw`(?=[^\s\w])(?<=^[^\S\n\r\u2028\u2029]*)(?:${REMARK}\s*)?${MARK}\s*\(?${WORDS}.*$`,
  'im',
);

/**
 * The note on a line such as "// ... existing code ..." that is new in a text: it is written literally, and was often
 * meant as a placeholder for existing code.
 */
export function elidedCode(before: string, fresh: string, name: string): string[] {
  const line = ELIDED.exec(fresh)?.[0].trim();
  if (line === undefined || before.includes(line)) return [];
  return [
    `Warning: ${name} holds the line ${JSON.stringify(line.slice(0, 80))}, which was written as it stands and does not stand for code of the file. If code is missing now, put it back.`,
  ];
}
