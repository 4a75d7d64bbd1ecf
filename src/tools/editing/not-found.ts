import type { TargetFile } from '../target-file.js';
import { rangeText } from './check-editable.js';
import { differenceOf, findText, nearestPassages, withoutLineNumbers } from './find-text.js';
import type { NormalText } from './normal-text.js';
import { showLines } from './show-place.js';

/** Why old_string is not in the file, and what is there in its place, so that the next try can succeed. */
export function notFound({ shown }: TargetFile, text: NormalText, wanted: string): string {
  const numbered = withoutLineNumbers(wanted);
  if (numbered) {
    const carries = `old_string carries line-number prefixes from Read's output (${numbered.prefix})`;
    if (findText(text, numbered.text).matches.length > 0) return `${carries}. Send it without them:\n${numbered.text}`;
    const last = numbered.first + numbered.text.split('\n').length - 1;
    const there = showLines(text, [numbered.first, last]);
    const real = there
      ? ` The file's text there is:\n${there}\nSend that, without the numbers.`
      : ' Read the file again.';
    return `${carries}, and without them it was not found in ${shown} either (0 matches).${real}`;
  }
  const missing = `old_string was not found in ${shown} (0 matches).`;
  const [nearest, ...others] = nearestPassages(text, wanted);
  if (!nearest)
    return `${missing} No passage of the file is similar to it. Read the file again, then copy the text from it.`;
  const difference = differenceOf(text, wanted, nearest);
  const where =
    nearest.lines[0] === nearest.lines[1] ? `line ${nearest.lines[0]}` : `lines ${rangeText(nearest.lines)}`;
  const passages = [nearest, ...others].map(({ lines }) => showLines(text, lines)).join('\n…\n');
  return `${missing} The nearest text is at ${where}${difference ? ` and differs ${difference}` : ''}. Copy the text exactly as in the file:\n${passages}`;
}
