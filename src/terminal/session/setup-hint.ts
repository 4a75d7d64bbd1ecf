import type { OpenedSession, SessionRequest } from './opened-session.js';

/** What to do if no model is set up: an unobtrusive hint, since the tools work without one. */
export async function hintWithoutModel(
  { env, withoutModel = '' }: OpenedSession,
  asked: { env: Readonly<Record<string, string | undefined>>; first: SessionRequest },
): Promise<string> {
  const { findModelOffers, setupHint } = await import('../first-run/model-offers.js');
  // If a model or a session was requested, says why it is not available.
  const why = asked.env['HELVE_MODEL'] || asked.first.resume ? [withoutModel] : [];
  return [...why, ...setupHint(await findModelOffers(env))].join('\n');
}
