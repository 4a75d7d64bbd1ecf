import type { UserBlock } from '../../contract/message.js';
import { safeCut } from '../../platform/text/truncate.js';
import { visible } from '../../platform/text/visible.js';

const MAX_CHARS = 80;

/** Blocks that Helve or a command of the person has added to a prompt. */
const ADDED = /^<(?:system-reminder|user-command)>/;

/** The first non-empty line of a prompt. */
export function titleOf(content: readonly UserBlock[]): string {
  const text = content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .find((words) => words.trim() !== '' && !ADDED.test(words));
  const line = visible(text ?? '')
    .trimStart()
    .slice(0, 10 * MAX_CHARS)
    .split('\n', 1)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= MAX_CHARS) return line;
  const cut = line.slice(0, safeCut(line, MAX_CHARS - 1));
  // A key that is cut can't be recognized and redacted: a long word that may be a key is left out.
  const start = cut.lastIndexOf(' ');
  const isLong = start >= 0 && /^ [!-~]{20}/.test(line.slice(start));
  return `${isLong ? cut.slice(0, start) : cut}…`;
}
