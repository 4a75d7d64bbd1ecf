// Whether undo can restore what a command removes or overwrites: only what is certain is promised.
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileEffect } from '../../contract/effect.js';
import { monotonicMs } from '../../platform/clock.js';
import { VERSION_CONTROL } from '../../platform/search/query.js';
import { MB, standardLimits } from '../../platform/snapshots/snapshot-contract.js';

export interface UndoCoverage {
  undoable: boolean | 'perhaps';
  /** Why it is not, in words after the file. */
  why?: string;
}

/** A person waits for the question: all files of a call share it. */
export interface LookBudget {
  entries: number;
  until: number;
}

export const lookBudget = (): LookBudget => ({ entries: 1_000, until: monotonicMs() + 10 });

const LEAST_ENTRIES = 50; // regardless of time: on a busy machine everything takes longer
const SURE_BYTES = 10 * MB; // more is copied only as long as the session's copies are not too large

/** Whether the workspace is so large that nothing is copied before a command. */
export const isNeverCopied = (workspace: readonly string[], home: readonly string[]): boolean =>
  workspace.some((folder) => dirname(folder) === folder || home.includes(folder));

/** What a command writes in the workspace, by the files that are there now. */
export function undoCoverage({ real, tree, pattern, found }: FileEffect, budget: LookBudget): UndoCoverage {
  const { maxNamedBytes, maxNamedEntries } = standardLimits;
  const isGuess = pattern !== undefined || found === true;
  let [bytes, seen] = [0, 0];
  const waiting = [real];
  for (const path of waiting) {
    const isTimeUp = seen >= LEAST_ENTRIES && monotonicMs() > budget.until;
    if (budget.entries <= 0 || isTimeUp) return { undoable: 'perhaps' };
    budget.entries -= 1;
    seen += 1;
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isFile()) bytes += stats.size;
      if (!tree || isGuess || !stats?.isDirectory()) continue;
      const names = readdirSync(path);
      if (names.some((name) => isVersionControl.has(name))) {
        return { undoable: false, why: ', with a repository that undo does not restore' };
      }
      if (waiting.length + names.length > maxNamedEntries) break;
      waiting.push(...names.map((name) => join(path, name)));
    } catch {
      return { undoable: 'perhaps' }; // it can't be read, so it may be that it can't be copied
    }
  }
  if (isGuess) return { undoable: 'perhaps' };
  if (bytes > maxNamedBytes || seen < waiting.length) return { undoable: false, why: ', more than undo can copy' };
  return { undoable: bytes > SURE_BYTES ? 'perhaps' : true };
}

export const isFile = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // a folder above it can't be read
  }
};

const isVersionControl: ReadonlySet<string> = new Set(VERSION_CONTROL);
