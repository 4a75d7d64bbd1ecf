// Prompts that wait for the model, on disk: after a crash, they are offered again.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sessionFolder } from '../../agent/store/session-folder.js';
import { readPrivateFile, writePrivateFile } from '../../platform/files/private-file.js';
import { parseJson } from '../../platform/parse-json.js';
import type { PromptEditor } from '../input/prompt-editor.js';
import type { OpenedSession } from './opened-session.js';

/** Keeps the prompts that wait in the folder of the session, in `queued.json`, which is missing if none waits. */
export class QueuedPrompts {
  readonly #session: () => OpenedSession | undefined;
  #kept = '[]';
  /** One write after the other: the last one counts. */
  #writing: Promise<void> = Promise.resolve();

  constructor(session: () => OpenedSession | undefined) {
    this.#session = session;
  }

  keep(waiting: ReadonlyArray<{ text: string }>): void {
    const kept = JSON.stringify(waiting.map(({ text }) => text));
    const place = this.#place();
    if (kept === this.#kept || place === undefined) return;
    this.#kept = kept;
    // A queue that can't be kept, as on a full disk, is no reason to stop: the terminal still has it.
    this.#writing = this.#writing.then(async () => await write(place, kept)).catch(() => {});
  }

  /** Returns the prompts that waited when Helve was killed to the editor, and says so. */
  offer(editor: Pick<PromptEditor, 'setText' | 'getExpandedText'>, tell: (sentence: string) => void): void {
    const lost = this.#take();
    if (lost.length === 0) return;
    const them = lost.length === 1 ? 'A prompt was' : `${lost.length} prompts were`;
    tell(`${them} still waiting when Helve was ended. Not sent yet: Enter sends what is in the prompt now.`);
    editor.setText([...lost, editor.getExpandedText()].filter((text) => text !== '').join('\n'));
  }

  #take(): string[] {
    const place = this.#place();
    if (place === undefined || !existsSync(place)) return [];
    try {
      const read = parseJson(readPrivateFile(place) ?? '');
      rmSync(place, { force: true });
      return Array.isArray(read) ? read.filter((text) => typeof text === 'string') : [];
    } catch {
      return []; // not a file of this user
    }
  }

  /** Undefined if the conversation is not saved. */
  #place(): string | undefined {
    const session = this.#session()?.engine.session;
    if (!session) return undefined;
    const { path } = sessionFolder(session.dataFolder, session.id);
    return existsSync(path) ? join(path, 'queued.json') : undefined;
  }
}

async function write(place: string, kept: string): Promise<void> {
  if (kept === '[]') rmSync(place, { force: true });
  else await writePrivateFile(place, kept);
}
