// Finds instruction files with a few file system calls. No other code for instructions is loaded if there are none.
import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isInside } from '../../platform/files/paths.js';

/** The file names in one folder. Later files are more specific and take precedence. */
const NAMES = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md', 'HELVE.md', 'CLAUDE.local.md', 'HELVE.local.md'];
const MAX_PARENTS = 30;

export interface InstructionFile {
  /** Absolute. */
  path: string;
  /** The path for display, relative to the project. */
  shown: string;
  source: 'user' | 'project';
}

export interface InstructionPlaces {
  root: string;
  home: string | undefined;
  /** Helve's data folder, which may hold instructions of the person. */
  dataFolder: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** The files at the start of a session: those of the person, then those of the project, the outermost folder first. */
export function findInstructions(places: InstructionPlaces): InstructionFile[] {
  return [...userFiles(places), ...projectInstructions(places)];
}

/** Those of the project among them. */
export const projectInstructions = (places: Pick<InstructionPlaces, 'root' | 'home'>): InstructionFile[] =>
  projectFolders(places).flatMap((folder) => instructionsIn(folder, places.root));

/** The instruction files of one folder of the project. */
export function instructionsIn(folder: string, root: string): InstructionFile[] {
  return NAMES.map((name) => join(folder, name))
    .filter(isFile)
    .map((path) => ({ path, shown: relative(root, path), source: 'project' as const }));
}

/** The folder that contains the whole project: the root of the repository, else the project root. */
export function projectBoundary({ root, home }: Pick<InstructionPlaces, 'root' | 'home'>): string {
  let folder = root;
  for (let parents = 0; parents <= MAX_PARENTS; parents += 1) {
    if (exists(join(folder, '.git'))) return folder;
    // The home folder is not a project, even if it is in a repository.
    if (folder === dirname(folder) || dirname(folder) === home) return root;
    folder = dirname(folder);
  }
  return root;
}

/** The folders from the one that contains the whole project to the project itself. */
export function projectFolders({ root, home }: Pick<InstructionPlaces, 'root' | 'home'>): string[] {
  const boundary = projectBoundary({ root, home });
  const folders = [root];
  while (folders[0] !== undefined && folders[0] !== boundary && isInside(boundary, folders[0])) {
    folders.unshift(dirname(folders[0]));
  }
  return folders;
}

function userFiles({ home, dataFolder, env }: InstructionPlaces): InstructionFile[] {
  const claude = env['CLAUDE_CONFIG_DIR'] || (home === undefined ? undefined : join(home, '.claude'));
  const paths = [
    ...(claude === undefined ? [] : [join(claude, 'CLAUDE.md')]),
    ...['AGENTS.md', 'HELVE.md'].map((name) => join(dataFolder, name)),
  ];
  return paths.filter(isFile).map((path) => ({ path, shown: fromHome(path, home), source: 'user' as const }));
}

const fromHome = (path: string, home: string | undefined): string =>
  home !== undefined && isInside(home, path) ? `~/${relative(home, path)}` : path;

const exists = (path: string): boolean => look(path) !== undefined;

const isFile = (path: string): boolean => look(path)?.isFile() === true;

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // not accessible, or below a file: counts as missing
  }
}
