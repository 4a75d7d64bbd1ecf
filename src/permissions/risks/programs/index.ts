import type { CommandLine } from '../command-line.js';
import { databases } from './databases.js';
import { deletions, innerDeletions } from './deletions.js';
import { forges } from './forges.js';
import type { RiskyForm, RiskyProgram } from './form.js';
import { git } from './git.js';
import { infrastructure } from './infrastructure.js';
import { keys, machine } from './machine.js';
import { packages } from './packages.js';
import { requests } from './requests.js';
import { storage } from './storage.js';
import { tunnels } from './tunnels.js';

export type Forms = ReadonlyMap<string, readonly RiskyForm[]>;

const byName = (programs: readonly RiskyProgram[]): Forms =>
  new Map(programs.flatMap(({ names, forms }) => names.split(' ').map((name) => [name, forms] as const)));

export const riskyPrograms: Forms = byName([
  ...git,
  ...packages,
  ...forges,
  ...infrastructure,
  ...storage,
  ...databases,
  ...tunnels,
  ...requests,
  ...deletions,
  ...machine,
  ...keys,
]);

/** Programs that are a risk if another program runs them, out of sight of the shell. */
export const innerPrograms: Forms = byName(innerDeletions);

export const formsOf = ({ name }: CommandLine, programs: Forms): readonly RiskyForm[] | undefined =>
  programs.get(name) ?? programs.get(name.replace(/\..*$/, '')); // mkfs.ext4
