// What rules may name: whoever reads settings hands it in, so that a slip in a rule is told.
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

/** Types of a folder that nobody trusts are among them: a rule may speak of them before they count. */
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
