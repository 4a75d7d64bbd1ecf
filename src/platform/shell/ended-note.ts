// How a background command ended, stored beside its output: the next process needs it if this one is killed before the
// conversation records it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const ending = z.object({ exitCode: z.number().nullable(), signal: z.string().nullable() });

export type EndedNote = z.output<typeof ending>;

const noteOf = (outputFile: string): string => `${outputFile}.ended`;

export function noteEnding(outputFile: string, { exitCode, signal }: EndedNote): void {
  try {
    writeFileSync(noteOf(outputFile), JSON.stringify({ exitCode, signal }), { mode: 0o600, flag: 'wx' });
  } catch {
    // the disk is not writable: the next process can't know how it ended
  }
}

/** Undefined if it did not end before the process that ran it. */
export function endingOf(outputFile: string): EndedNote | undefined {
  try {
    return ending.parse(JSON.parse(readFileSync(noteOf(outputFile), 'utf8')));
  } catch {
    return undefined;
  }
}

export const removeNote = (outputFile: string): void => rmSync(noteOf(outputFile), { force: true });
