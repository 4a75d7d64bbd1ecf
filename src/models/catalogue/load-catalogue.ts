import { join } from 'node:path';
import { ModelFailure } from '../../contract/model.js';
import { dataFolderOf, isMissing } from '../../platform/files/paths.js';
import { readRegularFile } from '../../platform/files/read-regular-file.js';
import { messageOf } from '../../platform/message-of.js';
import { builtInCatalogue, type Catalogue } from './catalogue.js';

export type ReadTextFile = (path: string) => Promise<string>;

export const readText: ReadTextFile = async (path) => readRegularFile(path);

/** The path of the file in which users define their own providers and models. */
export function modelsFilePath(env: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolderOf({ env }), 'models.json');
}

/** The built-in catalogue merged with the user's models.json. An invalid file is refused. */
export async function loadCatalogue(
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadTextFile = readText,
): Promise<Catalogue> {
  const path = modelsFilePath(env);
  let json: string;
  try {
    json = await readFile(path);
  } catch (error) {
    if (isMissing(error)) return builtInCatalogue();
    const reason = messageOf(error);
    throw new ModelFailure('invalid_request', `${path} can't be read: ${reason}. Correct it, or move it away.`);
  }
  const { withModelsFile } = await import('./models-file.js');
  return withModelsFile(builtInCatalogue(), json, path);
}
