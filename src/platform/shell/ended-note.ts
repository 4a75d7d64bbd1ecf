// How a background command ended, beside its output: known also to the next process if this one is killed before the
// conversation has it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const ending = z.object({ exitCode: z.number().nullable(), signal: z.string().nullable() });

export type EndedNote = z.output<typeof ending>;

const noteOf = (outputFile: string): string => `${outputFile}.ended`;

export function noteEnding(outputFile: string, { exitCode, signal }: EndedNote): void {
  try {
    writeFileSync(noteOf(outputFile), JSON.stringify({ exitCode, signal }), { mode: 0o600, flag: 'wx' });
  } catch {
    // a disk that takes nothing: the next process can't tell how it ended
  }
}

/** Undefined where it did not end before the process that ran it. */
export function endingOf(outputFile: string): EndedNote | undefined {
  try {
    return ending.parse(JSON.parse(readFileSync(noteOf(outputFile), 'utf8')));
  } catch {
    return undefined;
  }
}

export const removeNote = (outputFile: string): void => rmSync(noteOf(outputFile), { force: true });
