// The folders of a project that types of agents may be in, found by a few looks at the disk.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

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
  return existsSync(folder) && namesIn(folder).some((name) => name.endsWith('.md'));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not to be read, so there is nothing to tell of
  }
}
