import type { OpenedSession } from './opened-session.js';

/** What to do if no model is set up: an unobtrusive hint, since the tools work without one. */
export async function hintWithoutModel({ env, namedModelProblem }: OpenedSession): Promise<string> {
  const { findModelOffers, keyProviders, otherModelHint, setupHint } = await import('../first-run/model-offers.js');
  const hasKey = namedModelProblem !== undefined && (await keyProviders(env)).some(({ from }) => from !== undefined);
  if (hasKey) return otherModelHint(namedModelProblem).join('\n');
  return setupHint(await findModelOffers(env), namedModelProblem).join('\n');
}
