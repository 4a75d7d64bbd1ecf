import type { TextMode } from './query.js';

/** The parameters of a search, fixed for the thread's lifetime. */
export interface WorkerTask {
  source: string;
  flags: string;
  mode: TextMode;
  multiline: boolean;
  onlyMatching: boolean;
  before: number;
  after: number;
  maxColumns: number;
  cutMark: string;
  separator: string;
}

/** One file; a binary one is searched only if it was named explicitly. */
export interface WorkerOrder {
  path: string;
  isNamed: boolean;
  /** The path is the system's link to an open file; other symlinks are not followed. */
  isOpen: boolean;
}

export interface WorkerAnswer {
  lines: string[];
  matches: number;
  isBinary: boolean;
  /** The file could not be searched. */
  failed: boolean;
}

/**
 * Searches files in a worker thread, which can be terminated during catastrophic backtracking. The thread gets the
 * function's source text, so it must not use anything from outside itself.
 */
export function searchWorker(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const fs = process.getBuiltinModule('node:fs');
  const task: WorkerTask = workerData;
  const CHUNK_BYTES = 256 * 1024;
  const SNIFFED_BYTES = 64 * 1024;
  const MAX_HELD_CHARS = 64 * 1024 * 1024; // of one line, or of a file that is matched as a whole
  const expression = new RegExp(task.source, task.flags);
  const chunk = Buffer.alloc(CHUNK_BYTES);

  parentPort?.on('message', (orders: WorkerOrder[]) => {
    parentPort.postMessage(orders.map(search));
  });

  function search({ path, isNamed, isOpen }: WorkerOrder): WorkerAnswer {
    const answer: WorkerAnswer = { lines: [], matches: 0, isBinary: false, failed: false };
    let file: number | undefined;
    try {
      const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
      file = fs.openSync(path, O_RDONLY | O_NONBLOCK | (isOpen ? 0 : O_NOFOLLOW));
      if (fs.fstatSync(file).isFile()) read(file, isNamed, answer);
    } catch {
      answer.failed = true;
    } finally {
      if (file !== undefined) fs.closeSync(file);
    }
    return answer;
  }

  function read(file: number, isNamed: boolean, answer: WorkerAnswer): void {
    const consume = task.multiline ? wholeText(answer) : lineByLine(answer);
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let position = 0;
    for (;;) {
      const size = fs.readSync(file, chunk, 0, CHUNK_BYTES, position);
      let bytes = chunk.subarray(0, size);
      decoder ??= new TextDecoder(encodingOf(bytes));
      const nul = decoder.encoding === 'utf-8' && !answer.isBinary ? bytes.indexOf(0) : -1;
      if (nul !== -1) {
        if (!isNamed) {
          if (position + nul < SNIFFED_BYTES) return; // a binary file: no matches count
          bytes = bytes.subarray(0, nul); // the text ends here
        } else answer.isBinary = true;
      }
      const isLast = size === 0 || bytes.length < size;
      const goesOn = consume(decoder.decode(bytes, { stream: !isLast }), isLast);
      if (isLast || !goesOn) break;
      position += size;
    }
    if (!answer.isBinary) return;
    answer.isBinary = task.mode === 'content' && answer.matches > 0; // in other modes it counts like any file
    if (!answer.isBinary) return;
    answer.lines = [];
    answer.matches = 1;
  }

  function encodingOf(bytes: Buffer): string {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
    return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  }

  /** Consumes chunks of a file; false when no more are needed. */
  function lineByLine(answer: WorkerAnswer): (text: string, isLast: boolean) => boolean {
    let held: string[] = [];
    let heldChars = 0;
    let number = 0;
    const show = shower(answer);
    return (text, isLast) => {
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        number += 1;
        if (!look(held.join('') + text.slice(start, end), number)) return false;
        if (held.length > 0) held = [];
        heldChars = 0;
        start = end + 1;
      }
      held.push(text.slice(start));
      heldChars += text.length - start;
      if (heldChars > MAX_HELD_CHARS) throw new Error('a line is too long');
      if (isLast && heldChars > 0) look(held.join(''), number + 1);
      return true;
    };

    function look(written: string, at: number): boolean {
      const line = written.endsWith('\r') ? written.slice(0, -1) : written;
      const found = matchesIn(line, task.mode === 'count' || task.onlyMatching);
      if (task.mode === 'content') {
        if (task.onlyMatching) for (const [first, last] of found) show.part(line.slice(first, last), at);
        else show.line(line, at, found.length > 0);
      }
      answer.matches += task.mode === 'count' || task.onlyMatching ? found.length : Math.min(found.length, 1);
      return task.mode !== 'files_with_matches' || found.length === 0;
    }
  }

  function wholeText(answer: WorkerAnswer): (text: string, isLast: boolean) => boolean {
    let pieces: string[] = [];
    let chars = 0;
    return (piece, isLast) => {
      pieces.push(piece);
      chars += piece.length;
      if (chars > MAX_HELD_CHARS) throw new Error('the file is too long to be matched as a whole');
      if (!isLast) return true;
      const text = pieces.join('');
      pieces = [];
      const found = matchesIn(text, task.mode !== 'files_with_matches');
      if (task.mode !== 'content') answer.matches = found.length;
      else showMatches(text, found, answer);
      return false;
    };
  }

  function showMatches(text: string, found: ReadonlyArray<[number, number]>, answer: WorkerAnswer): void {
    const show = shower(answer);
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    let next = 0; // of the matches
    let start = 0; // of the line
    for (const [index, written] of lines.entries()) {
      const end = start + written.length;
      const line = written.endsWith('\r') ? written.slice(0, -1) : written;
      let isMatch = false;
      for (let at = next; at < found.length; at += 1) {
        const [first, last] = found[at] ?? [0, 0];
        if (first > end) break;
        // A match that ends with a line's ending is not part of the next line.
        const touches = last > start || (first === last && first >= start);
        if (touches) isMatch = true;
        if (touches && task.onlyMatching) {
          show.part(line.slice(Math.max(first - start, 0), Math.min(last, end) - start), index + 1);
          answer.matches += 1;
        }
        if (last <= end + 1) next = at + 1;
      }
      if (!task.onlyMatching) {
        show.line(line, index + 1, isMatch);
        if (isMatch) answer.matches += 1;
      }
      start = end + 1;
    }
  }

  function matchesIn(text: string, wantsAll: boolean): Array<[number, number]> {
    const found: Array<[number, number]> = [];
    expression.lastIndex = 0;
    for (let match = expression.exec(text); match; match = expression.exec(text)) {
      found.push([match.index, match.index + match[0].length]);
      if (!wantsAll) break;
      if (match[0] === '') expression.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1;
    }
    return found;
  }

  function shower(answer: WorkerAnswer) {
    let earlier: string[] = []; // preceding lines, in case they are context
    let afterLeft = 0;
    let shown = 0; // the number of the last line that was shown
    return {
      line(line: string, at: number, isMatch: boolean): void {
        if (isMatch) {
          if (shown > 0 && at - earlier.length > shown + 1 && task.before + task.after > 0)
            answer.lines.push(task.separator);
          for (const [index, context] of earlier.entries())
            answer.lines.push(`${at - earlier.length + index}-${cut(context)}`);
          answer.lines.push(`${at}:${cut(line)}`);
          afterLeft = task.after;
        } else if (afterLeft > 0) {
          answer.lines.push(`${at}-${cut(line)}`);
          afterLeft -= 1;
        } else {
          if (task.before === 0) return;
          earlier.push(line);
          if (earlier.length > task.before) earlier.shift();
          return;
        }
        shown = at;
        earlier = [];
      },
      part(text: string, at: number): void {
        answer.lines.push(`${at}:${cut(text)}`);
      },
    };
  }

  function cut(line: string): string {
    if (line.length <= task.maxColumns / 3 || Buffer.byteLength(line) <= task.maxColumns) return line;
    const start = [...line.slice(0, task.maxColumns * 2)].slice(0, task.maxColumns).join('');
    return start + task.cutMark;
  }
}
