// Finds commands and skills: every markdown file below a folder of commands, every SKILL.md in a folder of
// skills. Of several with the same name, the first is used, and a skill that is left out for that reason is reported. A
// trusted project's come before the person's own, as with agents; an untrusted project replaces no command of the person.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isInside } from '../../platform/files/paths.js';
import { clause } from '../../platform/text/clause.js';
import { hiddenIn, readProjectText, type TextRules } from '../project-text.js';
import { brokenCommand, type Command, type CommandOrigin, readCommand } from './command-file.js';
import type { CommandPlace } from './command-places.js';

const MAX_FILES = 500; // of one folder
const MAX_DEPTH = 5;
const MAX_CHARS = 200_000;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63}$/u;

export interface FindOptions extends TextRules {
  root: string;
}

export async function findCommands(places: readonly CommandPlace[], options: FindOptions): Promise<Command[]> {
  const rank = ({ source }: CommandPlace): number => Number((source === 'project') !== options.trusted);
  const usable = places.filter(({ needsTrust }) => !needsTrust || options.trusted);
  const ordered = usable.toSorted((one, other) => rank(one) - rank(other));
  const found = await Promise.all(ordered.map(async (place) => await commandsIn(place, options)));
  const byName = new Map<string, Command>();
  for (const command of found.flat()) {
    const used = byName.get(command.name);
    byName.set(command.name, used ? withCollision(used, command) : command);
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Two skills may share a name by mistake. Copies with the same text, as made for several agents, are no mistake. */
function withCollision(used: Command, other: Command): Command {
  const isMistake = used.kind === 'skill' && other.kind === 'skill' && used.body !== other.body;
  if (!isMistake) return used;
  const collision = `${other.shown} is not used: ${used.shown} has the same name.`;
  return { ...used, warning: [used.warning, collision].filter(Boolean).join(' ') };
}

/** Sentences about folders that are not used, because the project is not trusted. */
export function untrustedPlaces(places: readonly CommandPlace[], options: FindOptions): string[] {
  const named = places.filter(({ needsTrust }) => needsTrust && !options.trusted);
  if (named.length === 0) return [];
  const shown = named.map(({ folder }) => relative(options.root, folder)).join(', ');
  return [
    `Skills of this folder are not used, because it is not trusted: ${shown}. To look at it and trust it: helve config trust; for one run: --trust.`,
  ];
}

async function commandsIn(place: CommandPlace, options: FindOptions): Promise<Command[]> {
  const files = place.kind === 'skill' ? await skillFiles(place.folder) : await markdownFiles(place.folder);
  const read = files.map(async ({ name, path }): Promise<Command | undefined> => {
    const { kind, source } = place;
    const origin: CommandOrigin = { name, kind, source, shown: shownPath(path, options), folder: dirname(path) };
    const text = await readProjectText(path, { source, maxChars: MAX_CHARS }, options);
    if ('text' in text) {
      const command = await readCommand(origin, text.text);
      return text.hidden > 0
        ? { ...command, warning: [command.warning, hiddenIn(origin.shown, text.hidden)].filter(Boolean).join(' ') }
        : command;
    }
    return brokenCommand(origin, `${origin.shown} can't be used: ${clause(text.problem)}.`);
  });
  const commands = await Promise.all(read);
  return commands.filter((command) => command !== undefined);
}

interface FoundFile {
  name: string;
  path: string;
}

async function skillFiles(folder: string): Promise<FoundFile[]> {
  const names = (await entriesOf(folder)).map(({ name }) => name).filter((name) => NAME.test(name));
  const found = names.slice(0, MAX_FILES).map(async (name): Promise<FoundFile[]> => {
    const inside = await entriesOf(join(folder, name));
    const file = inside.find((entry) => entry.name.toLowerCase() === 'skill.md');
    return file ? [{ name, path: join(folder, name, file.name) }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The name of a file in a subfolder includes the folder: `git/tidy.md` is `git:tidy`. */
async function markdownFiles(folder: string, prefix = '', depth = 1): Promise<FoundFile[]> {
  const entries = (await entriesOf(folder)).slice(0, MAX_FILES);
  const found = entries.map(async (entry): Promise<FoundFile[]> => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!NAME.test(entry.name) || depth === MAX_DEPTH) return [];
      return await markdownFiles(path, `${prefix}${entry.name}:`, depth + 1);
    }
    const name = basename(entry.name, '.md');
    return entry.name.endsWith('.md') && NAME.test(name) ? [{ name: prefix + name, path }] : [];
  });
  return (await Promise.all(found)).flat().slice(0, MAX_FILES);
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return []; // not a folder, or not accessible
  }
}

function shownPath(path: string, { root, boundary, home }: FindOptions): string {
  // Also for a folder above, of the same repository.
  if (isInside(root, path) || isInside(boundary, path)) return relative(root, path);
  return home !== undefined && isInside(home, path) ? `~/${relative(home, path)}` : path;
}
