// Node has no call that tells whether a file has extended attributes or access lists. tar does, and one that is told its
// files one by one answers in a fraction of the time that it takes to start one.
import type { ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

const IDLE_MS = 5_000; // without an answer or without a question: then it ends, and the next question starts another
const BLOCK = 512;

/** What makes tar write down all attributes of single files. */
export const ATTRIBUTE_OPTIONS = ['--format=pax', '--no-recursion', '--xattrs', '--xattrs-include=*', '--acls', '-P'];

/** Whether tar has named an attribute in its description of a file. */
export const namesAttributes = (description: string): boolean => description.includes('SCHILY.');

type Tar = ChildProcessByStdio<Writable, Readable, Readable>;

interface Question {
  path: string;
  answer(hasNone: boolean | undefined): void;
}

/** Looks at files, one after the other, by a program that stays for a while. */
export class AttributeProbe {
  readonly #program: string;
  readonly #idleMs: number;
  #tar: Tar | undefined;
  /** Only the first has been put to the program: its complaint about one file must not be taken for an answer about another. */
  readonly #asked: Question[] = [];
  #unread: Buffer = Buffer.alloc(0);
  #skip = 0;
  #hasSome = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(program: string, idleMs = IDLE_MS) {
    this.#program = program;
    this.#idleMs = idleMs;
  }

  /** Whether the file has no attributes; undefined where that can't be told. It is named absolutely and is not empty. */
  hasNone(path: string): Promise<boolean | undefined> {
    return new Promise((answer) => {
      this.#asked.push({ path, answer });
      if (this.#asked.length === 1) this.#ask(path);
    });
  }

  /** Ends the program. A question after it starts another. */
  end(): void {
    if (this.#tar) this.#end(this.#tar);
  }

  #ask(path: string): void {
    const tar = this.#tar ?? this.#start();
    if (tar === undefined) {
      this.#giveUp();
      return;
    }
    this.#idle?.refresh();
    hold(tar.stdout);
    tar.stdin.write(`${path}\0`);
  }

  /** Undefined where the system lets us have no other program now. */
  #start(): Tar | undefined {
    // It takes what has the number of a file that it saw before, perhaps long gone, for the same, and is not to.
    const args = ['-cf', '-', '-b', '1', ...ATTRIBUTE_OPTIONS, '--hard-dereference', '--null', '-T', '-'];
    const { spawn } = process.getBuiltinModule('node:child_process');
    let tar: Tar;
    try {
      tar = spawn(this.#program, args, { cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], env: { LC_ALL: 'C' } });
    } catch {
      return undefined;
    }
    tar.on('error', () => this.#end(tar)).on('close', () => this.#end(tar));
    if (tar.pid === undefined) return undefined; // it may have no streams then
    this.#tar = tar;
    this.#unread = Buffer.alloc(0);
    this.#skip = 0;
    this.#hasSome = false;
    tar.stdout.on('data', (bytes: Buffer) => this.#take(tar, bytes));
    tar.stderr.on('data', () => this.#end(tar)); // whatever it complains about, its answers are not to be trusted
    tar.stdin.on('error', () => {}); // it has ended, which is told here too
    tar.unref();
    for (const stream of [tar.stdin, tar.stdout, tar.stderr]) letGo(stream);
    this.#idle = setTimeout(() => this.#end(tar), this.#idleMs).unref();
    return tar;
  }

  /** Of each file comes its description, then the file itself, whose content nobody wants. */
  #take(tar: Tar, bytes: Buffer): void {
    if (tar !== this.#tar) return;
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    for (;;) {
      const skipped = Math.min(this.#skip, this.#unread.length);
      this.#skip -= skipped;
      this.#unread = this.#unread.subarray(skipped);
      if (this.#unread.length < BLOCK) return;
      const kind = this.#unread.toString('latin1', 156, 157);
      const size = Number.parseInt(this.#unread.toString('latin1', 124, 135), 8);
      const end = BLOCK + Math.ceil(size / BLOCK) * BLOCK;
      if (kind === 'x') {
        if (this.#unread.length < end) return;
        this.#hasSome = namesAttributes(this.#unread.toString('latin1', BLOCK, BLOCK + size));
      } else if (kind === '0' && !Number.isNaN(end)) {
        const hasNone = !this.#hasSome;
        this.#hasSome = false;
        // A complaint about the file was written before, to another stream, and is read by then.
        setImmediate(() => this.#answer(tar, hasNone));
      } else {
        this.#end(tar);
        return;
      }
      this.#skip = end;
    }
  }

  #answer(tar: Tar, hasNone: boolean): void {
    if (tar !== this.#tar) return;
    this.#asked.shift()?.answer(hasNone);
    const [next] = this.#asked;
    if (next) this.#ask(next.path);
    else letGo(tar.stdout);
  }

  #end(tar: Tar): void {
    if (tar !== this.#tar) return;
    this.#tar = undefined;
    clearTimeout(this.#idle);
    tar.kill('SIGKILL'); // one that was stopped would not hear of anything else
    for (const stream of [tar.stdin, tar.stdout, tar.stderr]) stream?.destroy(); // not with its exit, which comes later
    this.#giveUp();
  }

  /** Whoever still waits gets no answer. */
  #giveUp(): void {
    for (const { answer } of this.#asked.splice(0)) answer(undefined);
  }
}

// Only who waits for an answer keeps the process from ending.
function hold(stream: Readable | Writable): void {
  if (stream instanceof Socket) stream.ref();
}

function letGo(stream: Readable | Writable): void {
  if (stream instanceof Socket) stream.unref();
}
