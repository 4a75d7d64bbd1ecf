// Pieces of coloured code, apart from the tables of languages: a page shows code before these are loaded.

export type CodeRole = 'keyword' | 'string' | 'number' | 'comment' | 'function' | 'type' | 'added' | 'removed';

/** A piece of a line with one meaning. */
export interface CodeSpan {
  text: string;
  role?: CodeRole;
}

/** The pieces between two offsets of a line. */
export function sliceSpans(spans: readonly CodeSpan[], from: number, to: number): CodeSpan[] {
  const result: CodeSpan[] = [];
  let offset = 0;
  for (const { text, role } of spans) {
    const part = text.slice(Math.max(0, from - offset), Math.max(0, to - offset));
    if (part !== '') result.push(role === undefined ? { text: part } : { text: part, role });
    offset += text.length;
  }
  return result;
}

/** The language of a file, by its name. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'dockerfile' || name === 'makefile') return name;
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
}
