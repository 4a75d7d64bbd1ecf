import { databases } from './databases.js';
import { forges } from './forges.js';
import type { RiskyForm } from './form.js';
import { git } from './git.js';
import { infrastructure } from './infrastructure.js';
import { keys, machine } from './machine.js';
import { packages } from './packages.js';

export const riskyPrograms: ReadonlyMap<string, readonly RiskyForm[]> = new Map(
  [...git, ...packages, ...forges, ...infrastructure, ...databases, ...machine, ...keys].flatMap(({ names, forms }) =>
    names.split(' ').map((name) => [name, forms] as const),
  ),
);
