// The conversation as hooks written for Claude Code read it: `transcript_path` is a file of lines with `type` and `message`.
import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Message } from '../contract/message.js';
import { randomId } from '../platform/crypto.js';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';
import type { Transcript } from './transcript.js';

interface TranscriptFacts {
  file: string;
  sessionId: string;
  cwd(): string;
  transcript: Transcript;
  /** It belongs to a child agent. */
  isSidechain?: boolean;
}

export class HookTranscript {
  readonly file: string;
  readonly #facts: TranscriptFacts;
  #unwritten: Message[] | undefined;
  #lastId: string | null = null;

  constructor(facts: TranscriptFacts) {
    this.#facts = facts;
    this.file = facts.file;
  }

  /** Brings the file up to date, before hooks run. Without hooks nothing is written or kept. */
  update(): void {
    const { transcript } = this.#facts;
    const isFirst = this.#unwritten === undefined;
    if (isFirst) transcript.listen((message) => this.#unwritten?.push(message));
    const lines = (this.#unwritten ?? transcript.messages).map((message) => this.#line(message)).join('');
    this.#unwritten = [];
    try {
      if (isFirst) {
        mkdirPrivate(dirname(this.file));
        writeFileSync(this.file, lines, { mode: 0o600 });
      } else if (lines !== '') appendFileSync(this.file, lines);
    } catch {
      // If the data folder can't be written, hooks run without a transcript.
    }
  }

  #line({ role, content }: Message): string {
    const { sessionId, cwd, isSidechain = false } = this.#facts;
    const parentUuid = this.#lastId;
    const uuid = randomId();
    this.#lastId = uuid;
    const blocks = content.filter(({ type }) => type !== 'opaque');
    const message = { role, content: blocks, ...(role === 'assistant' && { type: 'message' }) };
    const timestamp = new Date().toISOString();
    const facts = { parentUuid, uuid, timestamp, sessionId, cwd: cwd(), isSidechain, userType: 'external' };
    return `${JSON.stringify({ type: role, message, ...facts })}\n`;
  }
}
