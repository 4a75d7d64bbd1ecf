// Moves data to the data folder that earlier sessions kept in the temporary folder, because the data folder was full or
// could not be written until their end.

import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readdirSync, readSync, writeSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, openFlags } from '../../platform/files/private-files.js';
import { spareFolders } from '../../platform/files/spare-folder.js';
import { asWriteFailure } from '../../platform/files/write-failure.js';
import { moveSpareJournal } from '../../platform/journal/spare-journal.js';
import { messageOf } from '../../platform/message-of.js';
import { appendToAudit } from '../observe/audit-log.js';
import { agentFolder, isSessionId, type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';
import { lockSession } from './session-lock.js';
import { SessionProblem } from './session-problem.js';
import { type KeptTail, keptAudit, keptTails, removeKept } from './spare-records.js';
import { isSpareInUse } from './spare-tail.js';

/** Returns sentences for the person about moved data, and why the rest could not be moved. Never rejects. */
export async function moveSpareData(dataFolder: string): Promise<{ moved: string[]; failed?: string }> {
  const moved: string[] = [];
  for (const folder of spareFolders(dataFolder)) {
    for (const id of readdirSync(folder).filter(isSessionId)) {
      try {
        if (await moveSession(dataFolder, id, join(folder, id))) moved.push(movedSentence(id, folder));
      } catch (error) {
        if (error instanceof SessionProblem) continue; // a process uses the session; the next start tries again
        return { moved, failed: await failedSentence(error, dataFolder, folder) }; // the others would fail for the same reason
      }
    }
  }
  return { moved };
}

const movedSentence = (id: string, folder: string): string =>
  `The session ${id} could not be written to the data folder when it ran. What was kept of it in ${folder} is in the data folder now.`;

async function failedSentence(error: unknown, dataFolder: string, folder: string): Promise<string> {
  const reason = await asWriteFailure(error, dataFolder, 'written');
  const why = messageOf(reason);
  return `Parts of earlier sessions are still in ${folder}, because they can't be moved to the data folder. ${why} To use another data folder, set HELVE_HOME.`;
}

/** False if another process uses the data. */
async function moveSession(dataFolder: string, id: string, spare: string): Promise<boolean> {
  if (await isSpareInUse(spare)) return false;
  const folder = sessionFolder(dataFolder, id);
  makePrivateFolder(sessionsFolder(dataFolder));
  makePrivateFolder(folder.path);
  const lock = await lockSession(folder).catch(async (error: unknown) => {
    await rmdir(folder.path).catch(() => {});
    throw error;
  });
  try {
    for (const tail of keptTails(spare)) {
      appendTail(tail.agent === undefined ? folder : agentFolder(dataFolder, id, tail.agent), tail);
      removeKept(tail.path, spare);
    }
    const audit = keptAudit(spare);
    if (audit) {
      appendToAudit({ dataFolder, sessionId: id }, audit.entries);
      removeKept(audit.path, spare);
    }
    return await moveSpareJournal(spare, dataFolder, id);
  } finally {
    await lock.release();
    await rmdir(folder.path).catch(() => {}); // if it is empty
  }
}

/** Writes the end at its offset. This replaces a part that a killed process may have written. */
function appendTail({ path, file }: SessionFolder, { bytes, offset }: KeptTail): void {
  makePrivateFolder(path);
  const descriptor = openSync(file, openFlags.update, 0o600);
  try {
    const { size } = fstatSync(descriptor);
    const behind = Buffer.alloc(Math.min(Math.max(size - offset, 0), bytes.length));
    readSync(descriptor, behind, 0, behind.length, offset);
    const isPart = size - offset <= bytes.length && behind.equals(bytes.subarray(0, behind.length));
    const start = isPart && size >= offset ? offset : size;
    ftruncateSync(descriptor, start);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(descriptor, bytes, written, bytes.length - written, start + written);
      fsyncSync(descriptor);
    } catch (error) {
      ftruncateSync(descriptor, start);
      throw error;
    }
  } finally {
    closeSync(descriptor);
  }
}
