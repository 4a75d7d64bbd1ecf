// The folders of a project that types of agents may be in, found by a few looks at the disk.
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface PersonalPlaces {
  home: string | undefined;
  dataFolder: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** The strongest first. They count once the folder is trusted. */
export const projectAgentFolders = (root: string): readonly string[] =>
  ['.helve', '.claude'].map((name) => join(root, name, 'agents'));

/** Those of the person, for all projects. */
export function personalAgentFolders({ home, dataFolder, env }: PersonalPlaces): readonly string[] {
  const claude = env['CLAUDE_CONFIG_DIR'] || (home === undefined ? undefined : join(home, '.claude'));
  return [dataFolder, ...(claude === undefined ? [] : [claude])].map((folder) => join(folder, 'agents'));
}

/** Not in turns: looks at folders that are mostly not there cost less than one turn. */
export function holdsAgents(folder: string): boolean {
  return existsSync(folder) && agentFileNames(folder).length > 0;
}

/**
 * What the types in a folder may be called, whether or not they can be used: the names of the files and those that are
 * written in them. For who has to know without taking turns, and wants no type.
 */
export function typesWrittenIn(folder: string): string[] {
  return agentFileNames(folder).flatMap((file) => [basename(file, '.md'), ...writtenName(join(folder, file))]);
}

function writtenName(file: string): string[] {
  try {
    if (!statSync(file).isFile()) return []; // opening a pipe would wait for its writer
    const [, written = ''] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?\n)---/.exec(readFileSync(file, 'utf8')) ?? [];
    const [, name] = /^name:[ \t]*["']?([\w.-]+)/m.exec(written) ?? [];
    return name === undefined ? [] : [name];
  } catch {
    return []; // who reads the types tells of it
  }
}

const MAX_DEPTH = 4; // of folders in folders; deeper ones are not meant for people's agents
const MAX_ENTRIES = 5_000; // a folder that holds more was put there by mistake

/** The files of agents in a folder and the folders below it, by their names from there, in order. Links are not followed. */
export function agentFileNames(folder: string): string[] {
  const found: string[] = [];
  let left = MAX_ENTRIES;
  const look = (below: string, depth: number): void => {
    for (const entry of entriesOf(join(folder, below))) {
      left -= 1;
      if (left < 0) return;
      const name = join(below, entry.name);
      if (entry.isDirectory() && !entry.name.endsWith('.md')) {
        if (depth < MAX_DEPTH && !entry.name.startsWith('.')) look(name, depth + 1);
      } else if (entry.name.endsWith('.md')) found.push(name);
    }
  };
  look('', 0);
  return found.toSorted();
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not to be read, so there is nothing to tell of
  }
}
