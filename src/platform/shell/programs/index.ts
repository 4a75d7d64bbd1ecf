// All known programs. A program that is not listed is never harmless, and only its name is known.
import { git } from './git.js';
import { openers } from './openers.js';
import type { Program } from './program.js';
import { queries } from './queries.js';
import { readers } from './readers.js';
import { scripts } from './scripts.js';
import { search } from './search.js';
import { shell } from './shell.js';
import { text } from './text.js';
import { transfers } from './transfers.js';
import { wrappers } from './wrappers.js';
import { writers } from './writers.js';

export const programs: readonly Program[] = [
  ...readers,
  ...text,
  ...search,
  ...scripts,
  ...git,
  ...shell,
  ...queries,
  ...wrappers,
  ...writers,
  ...transfers,
  ...openers,
];

const byName: ReadonlyMap<string, Program> = new Map(
  programs.flatMap((program) => program.names.map((name) => [name, program])),
);

export const findProgram = (name: string): Program | undefined => byName.get(name);
