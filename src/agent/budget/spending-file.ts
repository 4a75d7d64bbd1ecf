// Files of what requests have cost: one line per request, appended in one write, so that several processes may share a
// file and a killed one loses nothing that it has written.
import { closeSync, fstatSync, openSync, readSync, type Stats, writeSync } from 'node:fs';
import { codeOf } from '../../platform/error-code.js';
import { openFlags } from '../../platform/files/private-files.js';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';
import { addSpent, nothingSpent, type Spent } from './spent.js';

const CHUNK_BYTES = 256 * 1024;
const MAX_LINE_CHARS = 64 * 1024; // far more than any line has: the rest is damage
const DAMAGED = '?'; // begins no JSON
const MAX_WAITING_LINES = 10_000; // while the disk is full

/** One line. `usd` is null if the prices of the model are unknown. */
export interface SpendingLine {
  at: string;
  session: string;
  model?: string;
  usd?: number | null;
  tokens?: number;
  turns?: number;
  /** Time that prompts ran since the line before. */
  ms?: number;
}

/** A file of lines, and their sum. Each read continues where the last one ended. */
export class SpendingFile {
  readonly path: string;
  readonly #decode = new TextDecoder();
  #total: Spent = nothingSpent;
  #offset = 0;
  #rest = '';
  #exists = false;
  /** Lines that could not be written. */
  #waiting: SpendingLine[] = [];

  constructor(path: string) {
    this.path = path;
  }

  get exists(): boolean {
    return this.#exists;
  }

  /** What all lines amount to, including those that could not be written. Throws if the file can't be read. */
  total(): Spent {
    this.#read();
    return this.#waiting.reduce((sum, line) => addSpent(sum, spentOf(line)), this.#total);
  }

  /** Appends the line, and those that could not be written before. Returns why that failed. */
  append(line: SpendingLine | undefined): unknown {
    this.hold(line);
    if (this.#waiting.length === 0) return undefined;
    try {
      // The break before the first line ends one that a full disk or a power failure has cut off.
      this.#write(Buffer.from(`\n${this.#waiting.map((one) => JSON.stringify(one)).join('\n')}\n`));
      this.#waiting = [];
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Counts the line, and writes it with the next one. */
  hold(line: SpendingLine | undefined): void {
    if (line && this.#waiting.length < MAX_WAITING_LINES) this.#waiting.push(line);
  }

  #write(bytes: Buffer): void {
    const descriptor = openSync(this.path, openFlags.append, 0o600);
    try {
      checkIsFile(fstatSync(descriptor));
      const written = writeSync(descriptor, bytes);
      if (written < bytes.length) throw new Error('the disk is full');
    } finally {
      closeSync(descriptor);
    }
  }

  #read(): void {
    let descriptor: number;
    try {
      descriptor = openSync(this.path, openFlags.read);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
      this.#restart(); // someone removed it
      this.#exists = false;
      return;
    }
    this.#exists = true;
    try {
      const stats = fstatSync(descriptor);
      checkIsFile(stats);
      if (stats.size < this.#offset) this.#restart();
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const count = readSync(descriptor, chunk, 0, chunk.length, this.#offset);
        if (count === 0) return;
        this.#offset += count;
        this.#take(this.#decode.decode(chunk.subarray(0, count), { stream: true }));
      }
    } finally {
      closeSync(descriptor);
    }
  }

  #restart(): void {
    this.#total = nothingSpent;
    this.#offset = 0;
    this.#rest = '';
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    const rest = lines.pop() ?? '';
    // Shortened, it stays invalid JSON: it is passed over at its end, in linear time.
    this.#rest = rest.length > MAX_LINE_CHARS ? DAMAGED : rest;
    for (const line of lines) {
      const value = line === '' ? undefined : parseJson(line);
      if (isObject(value)) this.#total = addSpent(this.#total, spentOf(value));
    }
  }
}

/** A pipe or a device in its place would be read as an empty file. */
function checkIsFile(stats: Stats): void {
  if (!stats.isFile()) throw new Error('it is not a file');
}

/** Damaged fields count as nothing. */
function spentOf(line: Readonly<Record<string, unknown>> | SpendingLine): Spent {
  const { usd, tokens, turns, ms } = line;
  return { usd: amount(usd), tokens: amount(tokens), turns: amount(turns), minutes: amount(ms) / 60_000 };
}

const amount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
