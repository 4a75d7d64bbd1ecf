import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

const TIMEOUT_MS = 500; // two large texts with nothing in common take seconds to compare
const MAX_CHARS = 12_000;

/** A unified patch from one text to the other, without regard to line endings, or a line that says why there is none. */
export function unifiedPatch(path: string, before: string, after: string): string {
  const [old, fresh] = [lineFeeds(before), lineFeeds(after)];
  if (old === fresh) return before === after ? '' : '(only line endings changed)';
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, old, fresh, undefined, undefined, {
    context: 3,
    timeout: TIMEOUT_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  if (patch === undefined || patch.length > MAX_CHARS) {
    return `(the difference is too large to show: ${countLines(old)} lines before, ${countLines(fresh)} after)`;
  }
  return patch.trimEnd();
}

const lineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

const countLines = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
