// Node has no API for extended attributes and ACLs. tar reports them, and a running tar that reads file names from
// its input answers in a fraction of the time that starting one takes.
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { ofProcess } from '../of-process.js';

const IDLE_MS = 5_000; // without an answer or a question; then tar is ended, and the next question starts another
const EXIT_MS = 2_000;
const BLOCK = 512;

/** The options that make tar print all attributes of single files. */
export const ATTRIBUTE_OPTIONS = ['--format=pax', '--no-recursion', '--xattrs', '--xattrs-include=*', '--acls', '-P'];

/** Whether tar's description of a file contains an attribute. */
export const namesAttributes = (description: string): boolean => description.includes('SCHILY.');

type Tar = ChildProcessByStdio<Writable, Readable, Readable>;

interface Question {
  path: string;
  answer(hasNone: boolean | undefined): void;
}

/** Queries files through one long-running tar process, which answers in the order of the questions. */
export class AttributeProbe {
  readonly #program: string;
  readonly #idleMs: number;
  #tar: Tar | undefined;
  /** Processes that were killed and have not exited yet. */
  readonly #killed = new Set<Tar>();
  /** All have been sent to tar. */
  readonly #asked: Question[] = [];
  #unread: Buffer = Buffer.alloc(0);
  #skip = 0;
  #hasSome = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(program: string, idleMs = IDLE_MS) {
    this.#program = program;
    this.#idleMs = idleMs;
  }

  /**
   * Whether the file has no attributes; undefined if that can't be determined. The path must be absolute and not
   * empty.
   */
  hasNone(path: string): Promise<boolean | undefined> {
    return new Promise((answer) => {
      this.#asked.push({ path, answer });
      this.#ask(path);
    });
  }

  /** Ends tar, and resolves once its process is gone. A later question starts another. */
  async end(): Promise<void> {
    if (this.#tar) this.#end(this.#tar);
    else this.#giveUp();
    await Promise.all([...this.#killed].map(exit));
  }

  #ask(path: string): void {
    const tar = this.#tar ?? this.#start();
    if (tar === undefined) {
      this.#giveUp();
      return;
    }
    if (this.#asked.length === 1) this.#idle?.refresh(); // a hung tar must not be kept by further questions
    refStream(tar.stdout);
    tar.stdin.write(`${path}\0`);
  }

  /** Undefined if no process can be started right now. */
  #start(): Tar | undefined {
    // tar takes a reused inode number for a hard link to a file that it saw before, even a deleted one.
    const args = ['-cf', '-', '-b', '1', ...ATTRIBUTE_OPTIONS, '--hard-dereference', '--null', '-T', '-'];
    const { spawn } = process.getBuiltinModule('node:child_process');
    let tar: Tar;
    try {
      tar = spawn(this.#program, args, { cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], env: { LC_ALL: 'C' } });
    } catch {
      return undefined;
    }
    tar.on('error', () => this.#end(tar)).on('close', () => this.#end(tar));
    tar.on('exit', () => this.#killed.delete(tar));
    if (tar.pid === undefined) return undefined; // its streams may be missing then
    this.#tar = tar;
    this.#unread = Buffer.alloc(0);
    this.#skip = 0;
    this.#hasSome = false;
    tar.stdout.on('data', (bytes: Buffer) => this.#take(tar, bytes));
    tar.stderr.on('data', () => this.#end(tar)); // after any error message its answers can't be trusted
    tar.stdin.on('error', () => {}); // it has ended, which is handled by `close`
    tar.unref();
    for (const stream of [tar.stdin, tar.stdout, tar.stderr]) unrefStream(stream);
    this.#idle = setTimeout(() => this.#end(tar), this.#idleMs).unref();
    return tar;
  }

  /** For each file tar writes its header, then its content, which is skipped. */
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
        // An error about an earlier file, which then has no header, was written before this header, but to another
        // stream. All streams are looked at between two turns of the event loop, so it has been read by then.
        setImmediate(() => setImmediate(() => this.#answer(tar, hasNone)));
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
    this.#idle?.refresh();
    if (this.#asked.length === 0) unrefStream(tar.stdout);
  }

  #end(tar: Tar): void {
    if (tar !== this.#tar) return;
    this.#tar = undefined;
    clearTimeout(this.#idle);
    if (tar.kill('SIGKILL')) this.#killed.add(tar); // a stopped process would not react to any other signal
    for (const stream of [tar.stdin, tar.stdout, tar.stderr]) stream?.destroy(); // not on exit, which comes later
    this.#giveUp();
  }

  /** Pending questions get no answer. */
  #giveUp(): void {
    for (const { answer } of this.#asked.splice(0)) answer(undefined);
  }
}

/** The probe of all sessions of this process. It ends with the last that uses it. */
export class SharedAttributeProbe {
  readonly #probe: AttributeProbe;
  readonly #users = new Set<object>();

  constructor(program: string) {
    this.#probe = new AttributeProbe(program);
  }

  hasNone(user: object, path: string): Promise<boolean | undefined> {
    this.#users.add(user);
    return this.#probe.hasNone(path);
  }

  async leave(user: object): Promise<void> {
    if (this.#users.delete(user) && this.#users.size === 0) await this.#probe.end();
  }
}

export const sharedAttributeProbe = (program: string): SharedAttributeProbe =>
  ofProcess(`attributeProbe ${program}`, () => new SharedAttributeProbe(program));

/** Resolves with the exit of a killed process, or after `EXIT_MS`: one that waits for a dead disk exits much later. */
async function exit(tar: Tar): Promise<void> {
  tar.ref();
  await once(tar, 'exit', { signal: AbortSignal.timeout(EXIT_MS) }).catch(() => tar.unref());
}

// Only a pending question keeps the process alive.
function refStream(stream: Readable | Writable): void {
  if (stream instanceof Socket) stream.ref();
}

function unrefStream(stream: Readable | Writable): void {
  if (stream instanceof Socket) stream.unref();
}
