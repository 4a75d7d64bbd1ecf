import { ModelFailure } from '../../contract/model.js';
import { findModel } from '../../models/catalogue/plan-model.js';
import { readCatalogue } from '../read-catalogue.js';
import { UsageProblem } from '../usage-problem.js';

const SCRIPTED = 'scripted/';

/** A mistyped --model is a usage error, as in -p. A model without its key is not: the terminal offers to store one. */
export async function refuseUnknownModel(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (name.trim() === '' || name.startsWith(SCRIPTED)) return;
  const catalogue = await readCatalogue(env);
  try {
    findModel(name, env, catalogue);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    if (error.kind === 'unknown_model') throw new UsageProblem(error.message);
  }
}
