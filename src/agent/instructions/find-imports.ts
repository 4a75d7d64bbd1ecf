// Finds imports: `@path` in an instruction file includes another file. Paths in code are examples, not imports.
const MAX_IMPORTS = 50; // in one file
const MAX_PATH_CHARS = 1_000;

export function findImports(text: string): string[] {
  const prose = withoutFences(text)
    .split(/\n[ \t]*\n/)
    .map(withoutSpans)
    .join('\n');
  const found = [...prose.matchAll(/(?<=^|\s)@((?:[^\s\\]|\\ )+)/g)].map(([, path = '']) =>
    path.replaceAll('\\ ', ' '),
  );
  return [...new Set(found)].filter((path) => path.length <= MAX_PATH_CHARS).slice(0, MAX_IMPORTS);
}

/** Removes punctuation that ends the sentence rather than the path. */
export const withoutEnding = (path: string): string => path.replace(/(?<![.,;:!?)\]}'"*_])[.,;:!?)\]}'"*_]+$/, '');

/** Replaces code blocks by empty lines. */
function withoutFences(text: string): string {
  let fence: string | undefined;
  const lines = text.split(/\r?\n/).map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      return mark === undefined ? line : '';
    }
    if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    return '';
  });
  return lines.join('\n');
}

/** In one paragraph: a run of backticks ends with the next run of the same length. */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ index, length }));
  const nextOfLength = new Map<number, number>();
  const partner = new Array<number | undefined>(runs.length);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    partner[at] = nextOfLength.get(length);
    nextOfLength.set(length, at);
  }
  let prose = '';
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const [start, end] = [runs[at], runs[partner[at] ?? -1]];
    if (!start || !end) continue;
    prose += `${paragraph.slice(from, start.index)}\``; // keeps a character, so that an `@` after the span is not at the beginning of a word
    from = end.index + end.length;
    at = partner[at] ?? at;
  }
  return prose + paragraph.slice(from);
}
