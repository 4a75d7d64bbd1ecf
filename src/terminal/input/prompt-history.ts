// The user's prompts in a project, stored privately: one line of JSON each, latest last.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../platform/crypto.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { readPrivateFile, withLock, writePrivateFile } from '../../platform/files/private-file.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { parseJson } from '../../platform/parse-json.js';
import { clause } from '../../platform/text/clause.js';

const MAX_PROMPTS = 1_000;
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_KEPT_CHARS = 20_000; // longer prompts were pasted, and are kept only until the terminal is closed

export interface HistoryPlace {
  dataFolder: string;
  root: string;
}

export class PromptHistory {
  readonly #file: string;
  /** Latest first, without duplicates. */
  #prompts: string[];
  #writing: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  private constructor(file: string, prompts: readonly string[]) {
    this.#file = file;
    this.#prompts = [...prompts];
  }

  /** An unreadable history is empty, and `problem` says why. */
  static open({ dataFolder, root }: HistoryPlace): PromptHistory {
    const file = join(dataFolder, 'history', `${sha256().update(root).digest('hex').slice(0, 32)}.jsonl`);
    try {
      return new PromptHistory(file, promptsIn(readPrivateFile(file) ?? '').slice(0, MAX_PROMPTS));
    } catch (error) {
      const history = new PromptHistory(file, []);
      history.#fail('read', error);
      return history;
    }
  }

  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** Why earlier prompts are missing, or new ones are not saved; undefined if all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  add(text: string): void {
    const prompt = text.trim();
    if (prompt === '' || prompt === this.#prompts[0]) return;
    this.#prompts = [prompt, ...this.#prompts.filter((one) => one !== prompt)].slice(0, MAX_PROMPTS);
    if (prompt.length > MAX_KEPT_CHARS || this.#problem !== undefined) return;
    this.#writing = this.#writing.then(() => this.#keep(prompt)).catch((error) => this.#fail('written', error));
  }

  /** Resolves once everything that was added has been saved, or has failed. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** The prompts that contain all of the words, latest first. */
  search(query: string): string[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#prompts.filter((prompt) => {
      const lower = prompt.toLowerCase();
      return words.every((word) => lower.includes(word));
    });
  }

  /** Appends, so that prompts from another terminal are kept; compacts once in a while. */
  async #keep(prompt: string): Promise<void> {
    mkdirPrivate(join(this.#file, '..'));
    const size = await withLock(`${this.#file}.lock`, async () => {
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
      const file = await open(this.#file, flags, 0o600);
      try {
        await file.appendFile(`${JSON.stringify({ at: Date.now(), prompt })}\n`);
        return (await file.stat()).size;
      } finally {
        await file.close();
      }
    });
    if (size > MAX_FILE_BYTES) await this.#shorten();
  }

  async #shorten(): Promise<void> {
    await withLock(`${this.#file}.lock`, async () => {
      const kept = promptsIn(readPrivateFile(this.#file) ?? '').slice(0, MAX_PROMPTS);
      const lines: string[] = [];
      let bytes = 0;
      for (const prompt of kept) {
        const line = `${JSON.stringify({ at: Date.now(), prompt })}\n`;
        bytes += Buffer.byteLength(line);
        if (bytes > MAX_FILE_BYTES / 2) break;
        lines.unshift(line);
      }
      await writePrivateFile(this.#file, lines.join(''));
    });
  }

  #fail(what: 'read' | 'written', error: unknown): void {
    const why = messageOf(error);
    this.#problem ??= `The history of prompts can't be ${what}: ${this.#file}: ${clause(why)}. Prompts are remembered until you leave.`;
  }
}

/** Latest first, without duplicates. Invalid lines are skipped: a crash may have truncated one. */
function promptsIn(text: string): string[] {
  const prompts = text.split('\n').flatMap((line) => {
    const entry = parseJson(line);
    return isObject(entry) && typeof entry['prompt'] === 'string' ? [entry['prompt']] : [];
  });
  return [...new Set(prompts.reverse())];
}
