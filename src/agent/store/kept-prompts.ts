// Prompts that were accepted for a session and have not ended: one file for each, written and synced before the client
// is told that its prompt was accepted. A file that can't be written is not left behind in part.
//
//   sessions/<id>/prompts/<number>-<hash of the prompt's id>.json
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { UserBlock } from '../../contract/message.js';
import { sha256 } from '../../platform/crypto.js';
import { readPrivateFile, writePrivateFile } from '../../platform/files/private-file.js';
import { asWriteFailure } from '../../platform/files/write-failure.js';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';
import type { SessionFolder } from './session-folder.js';
import { checkedLine } from './session-record.js';

export interface KeptPrompt {
  /** Given by the client. */
  id: string;
  content: readonly UserBlock[];
}

const folderOf = ({ path }: SessionFolder): string => join(path, 'prompts');
const hashOf = (id: string): string => sha256().update(id).digest('hex').slice(0, 32);

/** Rejects with a `WriteFailure` if it can't be kept; nothing of it is left then. */
export async function keepPrompt(folder: SessionFolder, prompt: KeptPrompt): Promise<void> {
  const names = namesIn(folder);
  const last = Math.max(0, ...names.map((name) => Number.parseInt(name, 10)));
  const path = join(folderOf(folder), `${String(last + 1).padStart(6, '0')}-${hashOf(prompt.id)}.json`);
  const text = JSON.stringify({ v: 1, at: Date.now(), ...prompt });
  try {
    await writePrivateFile(path, text);
  } catch (error) {
    throw await asWriteFailure(error, path, 'written', `${Buffer.byteLength(text)} bytes`);
  }
}

/** The prompts that have not ended, the oldest first. One that can't be read is left out. */
export function keptPrompts(folder: SessionFolder): KeptPrompt[] {
  return namesIn(folder).flatMap((name) => {
    const kept = checkedPrompt(readOrNothing(join(folderOf(folder), name)));
    return kept ? [kept] : [];
  });
}

export const hasKeptPrompts = (folder: SessionFolder): boolean => namesIn(folder).length > 0;

/** The prompt has ended. */
export function dropKeptPrompt(folder: SessionFolder, id: string): void {
  const hash = hashOf(id);
  for (const name of namesIn(folder)) {
    if (name.endsWith(`-${hash}.json`)) rmSync(join(folderOf(folder), name), { force: true });
  }
}

function namesIn(folder: SessionFolder): string[] {
  try {
    return readdirSync(folderOf(folder))
      .filter((name) => /^\d{6,}-[0-9a-f]{32}\.json$/.test(name))
      .toSorted();
  } catch {
    return []; // there was none yet
  }
}

function readOrNothing(path: string): unknown {
  try {
    return parseJson(readPrivateFile(path) ?? '');
  } catch {
    return undefined; // not a file of this user
  }
}

/** Checked like the record that it becomes. */
function checkedPrompt(value: unknown): KeptPrompt | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string') return undefined;
  const line = checkedLine({ type: 'user', at: 0, content: value['content'] });
  if (line?.type !== 'user') return undefined;
  const content = line.content.filter((block) => block.type !== 'tool_result');
  return content.length === line.content.length ? { id: value['id'], content } : undefined;
}
