// The names that rules may use, so that reading settings can report a mistyped one.
import { dataFolderOf, homeFolder } from '../platform/files/paths.js';
import { builtInTools } from '../tools/index.js';
import { personalAgentFolders, projectAgentFolders, typesWrittenIn } from './children/agent-places.js';
import { builtInTypes, namesOf } from './children/agent-types.js';

export interface KnownNames {
  knownTools: readonly string[];
  /** A look at the disk, so only where a rule names a type of agent. */
  knownAgents(): readonly string[];
}

interface NamePlaces {
  root: string;
  env?: Readonly<Record<string, string | undefined>>;
  home?: string | undefined;
}

/** Types of a folder that is not trusted are among them: a rule may name them before they apply. */
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
