import { normalizeEndings } from '../../../platform/text/line-endings.js';
import type { TargetFile } from '../../target-file.js';
import { rangeText } from '../check-editable.js';
import { showDifference } from '../show-difference.js';
import { findText, hasLoneReturn, withoutLineNumbers } from './find-text.js';
import { differenceOf, nearestPassages, sideBySide } from './nearest-passages.js';
import { showLines } from './show-place.js';
import type { TextLines } from './text-lines.js';

/** Why the text is not in the file, and what is there instead, so that the next attempt can succeed. */
export function notFound({ shown }: TargetFile, text: TextLines, wanted: string, sought = 'old_string'): string {
  const isThere = (other: string): boolean => findText(text, other, 1).matches.length > 0;
  const numbered = withoutLineNumbers(wanted);
  if (numbered) {
    const carries = `${sought} carries line-number prefixes from Read's output (${numbered.prefix})`;
    if (isThere(numbered.text)) return `${carries}. Send it without them:\n${numbered.text}`;
    const last = numbered.first + numbered.text.split('\n').length - 1;
    const there = showLines(text, [numbered.first, last]);
    const real = there
      ? ` The file's text there is:\n${there}\nSend that, without the numbers.`
      : ' Read the file again.';
    return `${carries}, and without them it was not found in ${shown} either (0 matches).${real}`;
  }
  const missing = `${sought} was not found in ${shown} (0 matches).`;
  if (hasLoneReturn(wanted) && isThere(normalizeEndings(wanted))) {
    return `${missing} It has a carriage return without a line feed, which stands for that very byte. Send \\n for a line ending, whatever its kind.`;
  }
  const withoutEnd = wanted.replace(/(\r\n|\n)$/, '');
  if (withoutEnd !== wanted && !/[\r\n]$/.test(text.raw) && text.raw.endsWith(withoutEnd) && withoutEnd !== '') {
    return `${missing} It ends with a line break, and the last line of ${shown} (${text.lineCount}) has none: the file has no newline at its end. Send it without the last line break.`;
  }
  const plain = PLAIN_FORMS.find(({ of }) => {
    const text = of(wanted);
    return text !== wanted && isThere(text);
  });
  if (plain) return `${missing} ${plain.why} Send the text as it is in the file:\n${plain.of(wanted)}`;
  const [nearest, ...others] = nearestPassages(text, wanted);
  if (!nearest)
    return `${missing} No passage of the file is similar to it. Read the file again, then copy the text from it.`;
  const difference = differenceOf(text, wanted, nearest);
  const where =
    nearest.lines[0] === nearest.lines[1] ? `line ${nearest.lines[0]}` : `lines ${rangeText(nearest.lines)}`;
  const passages = [nearest, ...others].map(({ lines }) => showLines(text, lines)).join('\n…\n');
  return `${missing} The nearest text is at ${where}${difference ? ` and differs ${difference}` : ''}. Copy the text exactly as in the file:\n${passages}${showDifference(sideBySide(text, wanted, nearest), nearest.lines[0])}`;
}

/** Ways in which a text may have been escaped by mistake. */
const PLAIN_FORMS: ReadonlyArray<{ of(text: string): string; why: string }> = [
  {
    of: (text) => text.replace(/\\([nrt"'`$\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter),
    why: 'It holds escapes that are written out (a backslash and n, t, $ or a quote) where the file has the line break, the tab or the character itself.',
  },
  {
    of: (text) => text.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? name),
    why: 'It holds entities (such as &lt;) where the file has the characters themselves.',
  },
];

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
