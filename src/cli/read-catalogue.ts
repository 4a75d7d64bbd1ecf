import { ModelFailure } from '../contract/model.js';
import type { Catalogue } from '../models/catalogue/catalogue.js';
import { loadCatalogue } from '../models/catalogue/load-catalogue.js';
import { UsageProblem } from './usage-problem.js';

/** The providers and models that are known here. A models.json that is not understood is wrong usage. */
export async function readCatalogue(env: NodeJS.ProcessEnv): Promise<Catalogue> {
  try {
    return await loadCatalogue(env);
  } catch (error) {
    if (error instanceof ModelFailure) throw new UsageProblem(error.message);
    throw error;
  }
}
