// Finds the folders with agent types with a few file system calls.
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface PersonalPlaces {
  home: string | undefined;
  dataFolder: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** By precedence. They are used only if the project is trusted. */
export const projectAgentFolders = (root: string): readonly string[] =>
  ['.helve', '.claude'].map((name) => join(root, name, 'agents'));

/** The folders of the person, for all projects. */
export function personalAgentFolders({ home, dataFolder, env }: PersonalPlaces): readonly string[] {
  const claude = env['CLAUDE_CONFIG_DIR'] || (home === undefined ? undefined : join(home, '.claude'));
  return [dataFolder, ...(claude === undefined ? [] : [claude])].map((folder) => join(folder, 'agents'));
}

/** Synchronous: the folders are mostly missing, and checking them costs less than one asynchronous call. */
export function holdsAgents(folder: string): boolean {
  return existsSync(folder) && agentFileNames(folder).length > 0;
}

/**
 * Possible names of the types in a folder, whether or not they are valid: the names of the files and those
 * written in them. Synchronous, for callers that need only the names.
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
    return []; // reported when the types are read
  }
}

const MAX_DEPTH = 4; // of nested folders; deeper ones are unlikely to hold agents
const MAX_ENTRIES = 5_000; // a folder with more entries is there by mistake

/** The agent files in a folder and its subfolders, as sorted relative paths. Does not follow links. */
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
    return []; // not readable
  }
}
