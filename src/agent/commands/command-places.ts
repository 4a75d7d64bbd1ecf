// The folders that commands and skills may be in, found by a few checks of the disk. Nothing is loaded if there are none.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandKind } from '../../contract/command.js';
import { projectFolders } from '../instructions/instruction-files.js';

export interface CommandPlace {
  folder: string;
  kind: CommandKind;
  source: 'user' | 'project';
  /** Used only if a person trusts the project. */
  needsTrust?: true;
}

export interface CommandPlacesOptions {
  root: string;
  home: string | undefined;
  /** Helve's data folder, which holds those of the person. */
  dataFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The sources to use. Default: both. */
  sources?: readonly string[] | undefined;
}

/** Those of the person, then those of the project. */
export function commandPlaces({ root, home, dataFolder, env, sources }: CommandPlacesOptions): CommandPlace[] {
  const claude = env['CLAUDE_CONFIG_DIR'] || (home === undefined ? undefined : join(home, '.claude'));
  const folders = [
    { folder: dataFolder, source: 'user' as const },
    ...(claude === undefined ? [] : [{ folder: claude, source: 'user' as const }]),
    { folder: join(root, '.helve'), source: 'project' as const },
    { folder: join(root, '.claude'), source: 'project' as const },
  ];
  const own = folders.flatMap(({ folder, source }): CommandPlace[] => [
    { folder: join(folder, 'skills'), kind: 'skill', source },
    { folder: join(folder, 'commands'), kind: 'command', source },
  ]);
  const places = [...own, ...sharedSkills({ root, home })];
  const seen = new Set<string>();
  return places.filter(({ folder, source }) => {
    if (sources && !sources.includes(source)) return false;
    const identity = folderIdentity(folder);
    if (identity === undefined || seen.has(identity)) return false; // in the home folder, the project's folder may be the person's
    seen.add(identity);
    return true;
  });
}

/** `.agents/skills`, which agents share: of the person, and of the project, its own folder before those above it. */
function sharedSkills({ root, home }: Pick<CommandPlacesOptions, 'root' | 'home'>): CommandPlace[] {
  const skillsIn = (folder: string): string => join(folder, '.agents', 'skills');
  return [
    ...(home === undefined ? [] : [{ folder: skillsIn(home), kind: 'skill' as const, source: 'user' as const }]),
    ...projectFolders({ root, home })
      .toReversed()
      .map((folder) => ({
        folder: skillsIn(folder),
        kind: 'skill' as const,
        source: 'project' as const,
        needsTrust: true as const,
      })),
  ];
}

function folderIdentity(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined; // not accessible
  }
}
