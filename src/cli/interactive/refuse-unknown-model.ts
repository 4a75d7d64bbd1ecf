import { ModelFailure } from '../../contract/model.js';
import { chooseModel, planWithKeys } from '../../models/catalogue/choose-model.js';
import { messageOf } from '../../platform/message-of.js';
import { readCatalogue } from '../read-catalogue.js';
import { withLocalName } from '../run-models.js';
import { SetupProblem } from '../usage-problem.js';

/** A mistyped --model is a usage error, as in -p. A model without its key is not: the terminal offers to store one. */
export async function refuseUnknownModel(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (name.trim() === '') return;
  const catalogue = await readCatalogue(env);
  try {
    if (name.startsWith('scripted/')) await chooseModel(name, env, { catalogue });
    else await planWithKeys(name, env, catalogue);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    if (error.kind !== 'auth') throw new SetupProblem(messageOf(await withLocalName(error, name, env, catalogue)));
  }
}
