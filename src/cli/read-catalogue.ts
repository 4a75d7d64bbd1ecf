import { ModelFailure } from '../contract/model.js';
import type { Catalogue } from '../models/catalogue/catalogue.js';
import { loadCatalogue } from '../models/catalogue/load-catalogue.js';
import { SetupProblem } from './usage-problem.js';

/** The known providers and models. An invalid models.json is a usage error. */
export async function readCatalogue(env: NodeJS.ProcessEnv): Promise<Catalogue> {
  try {
    return await loadCatalogue(env);
  } catch (error) {
    if (error instanceof ModelFailure) throw new SetupProblem(error.message);
    throw error;
  }
}
