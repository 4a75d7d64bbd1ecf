import { refusal } from '../../refusal.js';

/** A change to one file in a patch. */
export type FilePatch =
  | { type: 'add'; path: string; lines: readonly string[] }
  | { type: 'delete'; path: string }
  | { type: 'update'; path: string; moveTo?: string; hunks: readonly Hunk[] };

/** A place in a file: its current lines, and the changes to them. */
export interface Hunk {
  /** The lines after `@@`, outermost first: the place is below them. */
  anchors: readonly string[];
  /** Context lines and removed lines. */
  before: readonly string[];
  /** In order, separated by context lines. */
  changes: readonly HunkChange[];
  /** The hunk is at the end of the file. */
  atEnd: boolean;
  /** Its 1-based line in the patch, for messages. */
  line: number;
}

/** Removed lines and the lines that replace them. */
export interface HunkChange {
  /** How many lines of `before` precede it. */
  at: number;
  removed: readonly string[];
  added: readonly string[];
}

const MAX_HUNKS = 10_000; // no model writes more, and each takes time

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const HEADERS = { add: '*** Add File: ', delete: '*** Delete File: ', update: '*** Update File: ' } as const;
const MOVE = '*** Move to: ';
const ENVIRONMENT = '*** Environment ID:';

/** Parses a patch. Anything malformed is refused with its line number, since a guess could change the wrong place. */
export function parsePatch(text: string): FilePatch[] {
  const lines = withoutHeredoc(text.replace(/\r\n/g, '\n').trim().split('\n'));
  const stray = lines.findIndex((line) => line.includes('\r'));
  if (stray !== -1) throw bad(stray + 1, lines[stray], 'a carriage return must be followed by a line feed');
  if (lines[0]?.trim() !== BEGIN) throw bad(1, lines[0], `the patch must begin with "${BEGIN}"`);
  if (lines.length < 2 || lines.at(-1)?.trim() !== END)
    throw bad(lines.length, lines.at(-1), `the patch must end with "${END}"`);
  const reader = new LineReader(lines.slice(0, -1), 1);
  const files: FilePatch[] = [];
  reader.skipGap();
  if (reader.current.trim().startsWith(ENVIRONMENT)) reader.next(); // names a machine; there is only one here
  for (reader.skipGap(); !reader.isDone; reader.skipGap()) files.push(parseFile(reader));
  if (files.length === 0) throw refusal('The patch names no file, so there is nothing to do. Nothing was written.');
  const hunks = files.reduce((sum, file) => sum + (file.type === 'update' ? file.hunks.length : 0), 0);
  if (hunks > MAX_HUNKS) {
    throw refusal(`The patch has ${hunks} hunks, and one patch may have at most ${MAX_HUNKS}. Nothing was written.`, {
      advice: 'Send it in parts, or use Bash for a change that is the same everywhere.',
    });
  }
  return files;
}

/** The patch alone, if it was sent as a shell here-document. */
function withoutHeredoc(lines: readonly string[]): readonly string[] {
  const [, , word] = /^(?:(?:apply_patch|cat)\s+)?<<-?\s*(['"]?)(\w+)\1$/.exec(lines[0]?.trim() ?? '') ?? [];
  if (word === undefined || lines.at(-1)?.trim() !== word) return lines;
  return lines.slice(1, -1).join('\n').trim().split('\n');
}

class LineReader {
  readonly #lines: readonly string[];
  #at: number;

  constructor(lines: readonly string[], at: number) {
    this.#lines = lines;
    this.#at = at;
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** 1-based. */
  get number(): number {
    return this.#at + 1;
  }

  get current(): string {
    return this.#lines[this.#at] ?? '';
  }

  next(): string {
    const line = this.current;
    this.#at += 1;
    return line;
  }

  skipGap(): void {
    this.takeWhile((line) => line.trim() === '');
  }

  skipEmpty(): void {
    this.takeWhile((line) => line === '');
  }

  /** Takes the lines that satisfy `holds`. */
  takeWhile(holds: (line: string) => boolean): string[] {
    const taken: string[] = [];
    while (!this.isDone && holds(this.current)) taken.push(this.next());
    return taken;
  }
}

function parseFile(reader: LineReader): FilePatch {
  const { number } = reader;
  const header = reader.current.trimStart();
  if (header.startsWith(HEADERS.delete)) return { type: 'delete', path: parsePath(reader, HEADERS.delete) };
  if (header.startsWith(HEADERS.add)) {
    const path = parsePath(reader, HEADERS.add);
    const lines = reader.takeWhile((line) => line.startsWith('+'));
    return { type: 'add', path, lines: lines.map((line) => line.slice(1)) };
  }
  if (!header.startsWith(HEADERS.update)) {
    throw bad(number, header, `expected "${HEADERS.add}…", "${HEADERS.update}…" or "${HEADERS.delete}…"`);
  }
  const path = parsePath(reader, HEADERS.update);
  const moveTo = reader.current.trimStart().startsWith(MOVE) ? parsePath(reader, MOVE) : undefined;
  const hunks: Hunk[] = [];
  const isHunk = (): boolean => !reader.isDone && !reader.current.startsWith('*** ') && !isHeader(reader.current);
  for (reader.skipEmpty(); isHunk(); reader.skipEmpty()) hunks.push(parseHunk(reader));
  if (hunks.length === 0 && !moveTo) throw bad(number, header, 'the update changes nothing');
  return { type: 'update', path, ...(moveTo && { moveTo }), hunks };
}

const isHeader = (line: string): boolean =>
  Object.values(HEADERS).some((header) => line.trimStart().startsWith(header));

function parsePath(reader: LineReader, prefix: string): string {
  const { number } = reader;
  const header = reader.next().trimStart();
  const path = header.slice(prefix.length).trim();
  if (path === '') throw bad(number, header, 'the name of the file is missing');
  if (path.includes('\0')) throw bad(number, header, 'the name of a file has no NUL character');
  return path;
}

function parseHunk(reader: LineReader): Hunk {
  const line = reader.number;
  const anchors = reader
    .takeWhile((text) => text.startsWith('@@'))
    .map((text) => text.slice(2).trim())
    .filter((text) => text !== '' && !isLineNumbers(text));
  const first = reader.number;
  const body = reader.takeWhile((next) => !next.startsWith('@@') && !next.startsWith('*** '));
  for (const [index, text] of body.entries()) {
    // Many writers omit the space before an empty line.
    if (text !== '' && ![' ', '-', '+'].includes(text.charAt(0))) {
      throw bad(first + index, text, 'a line of a change must begin with " ", "-" or "+"');
    }
  }
  const atEnd = !reader.isDone && reader.current.startsWith(END_OF_FILE);
  if (atEnd) reader.next();
  const { before, changes } = changesOf(body);
  if (before.length === 0 && changes.length === 0) throw bad(line, reader.current, 'a change without lines');
  return { anchors, before, changes, atEnd, line };
}

function changesOf(body: readonly string[]): Pick<Hunk, 'before' | 'changes'> {
  // After lines that are only added, an empty line is a gap in the patch: it would match any empty line of the file.
  const onlyAdds = body.every((text) => text === '' || text.startsWith('+'));
  const last = body.findLastIndex((text) => text !== '');
  const before: string[] = [];
  const changes: Array<{ at: number; removed: string[]; added: string[] }> = [];
  let open: (typeof changes)[number] | undefined;
  for (const text of onlyAdds ? body.slice(0, last + 1) : body) {
    const [mark, rest] = [text.charAt(0), text.slice(1)];
    if (mark === '-' || mark === '+') {
      if (!open) {
        open = { at: before.length, removed: [], added: [] };
        changes.push(open);
      }
      (mark === '-' ? open.removed : open.added).push(rest);
    } else open = undefined;
    if (mark !== '+') before.push(rest);
  }
  return { before, changes };
}

/**
 * `@@ -1,4 +1,5 @@`, which some models write out of habit; it is ignored, because the lines themselves identify the
 * place.
 */
const isLineNumbers = (text: string): boolean => /^-\d+(,\d+)? \+\d+(,\d+)? @@/.test(text);

const bad = (line: number, text: string | undefined, why: string) =>
  refusal(
    `Line ${line} of the patch does not fit: ${why}, but it reads ${JSON.stringify((text ?? '').slice(0, 80))}. Nothing was written.`,
    { advice: 'Correct the patch and send it again.' },
  );
