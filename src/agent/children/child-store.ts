// Stores and resumes the conversation of a child agent, in the folder of its session.
import { stat } from 'node:fs/promises';
import { readSession } from '../store/read-session.js';
import { restoreSession } from '../store/restore-session.js';
import type { RestoredSession } from '../store/restored-session.js';
import type { SessionFolder } from '../store/session-folder.js';
import { lockSession } from '../store/session-lock.js';
import { SessionStore } from '../store/session-store.js';
import type { SessionStoreOptions } from '../store/session-store-options.js';

export interface ResumedChild {
  restored: RestoredSession;
  /** Open; no other process writes it. */
  store: SessionStore;
}

/** Undefined if there is no saved child with this id. Rejects with `SessionProblem` if another process uses it. */
export async function resumeChild(
  folder: SessionFolder,
  options: Omit<SessionStoreOptions, 'agent'>,
): Promise<ResumedChild | undefined> {
  if (!(await stat(folder.file).catch(() => undefined))) return undefined;
  const lock = await lockSession(folder);
  try {
    const restored = restoreSession(readSession(folder));
    const facts = restored.header?.agent ?? { type: '', description: '' };
    const { totals, title, damaged } = restored;
    const store = new SessionStore({ ...options, agent: { folder, facts } }, { lock, totals, title, damaged });
    await store.open();
    return { restored, store };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The header of a child's file; undefined if there is no file. */
export async function keptFacts(folder: SessionFolder): Promise<RestoredSession['header'] | undefined> {
  if (!(await stat(folder.file).catch(() => undefined))) return undefined;
  for (const { line } of readSession(folder, { withoutLarge: true }))
    return line?.type === 'session' ? line : undefined;
  return undefined;
}
