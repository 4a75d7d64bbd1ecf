// How a background command ended, stored beside its output: the next process needs it if this one is killed before the
// conversation records it.
import { rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { textIn } from '../files/lenient-reads.js';
import { parseJson } from '../parse-json.js';

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
export const endingOf = (outputFile: string): EndedNote | undefined =>
  ending.safeParse(parseJson(textIn(noteOf(outputFile)))).data;

export const removeNote = (outputFile: string): void => rmSync(noteOf(outputFile), { force: true });
