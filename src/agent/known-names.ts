// The names that rules may use, so that reading settings can report a mistyped one.
import { dataFolderOf, homeFolder } from '../platform/files/paths.js';
import { builtInTools } from '../tools/index.js';
import { personalAgentFolders, projectAgentFolders, typesWrittenIn } from './children/agent-places.js';
import { builtInTypes, namesOf } from './children/agent-types.js';

export interface KnownNames {
  knownTools: readonly string[];
  /** Reads the disk, so it is only called if a rule names a type of agent. */
  knownAgents(): readonly string[];
}

interface NamePlaces {
  root: string;
  env?: Readonly<Record<string, string | undefined>>;
  home?: string | undefined;
}

/** Includes types of an untrusted folder: a rule may name them before they can be used. */
export function knownNames({ root, env = process.env, home = homeFolder() }: NamePlaces): KnownNames {
  return {
    knownTools: builtInTools().map(({ name }) => name),
    knownAgents() {
      const dataFolder = dataFolderOf({ env, ...(home !== undefined && { home }) });
      const folders = [...projectAgentFolders(root), ...personalAgentFolders({ home, dataFolder, env })];
      return [...builtInTypes.flatMap(namesOf), ...folders.flatMap(typesWrittenIn)];
    },
  };
}
