import type { OpenedSession, SessionWish } from './opened-session.js';

/** What to do where no model is set up: a hint that stands in nobody's way, since the tools can be used without one. */
export async function hintWithoutModel(
  { env, withoutModel = '' }: OpenedSession,
  asked: { env: Readonly<Record<string, string | undefined>>; first: SessionWish },
): Promise<string> {
  const { findModelOffers, setupHint } = await import('../first-run/model-offers.js');
  // Whoever has named a model, or a session, is told why it can't be had.
  const why = asked.env['HELVE_MODEL'] || asked.first.resume ? [withoutModel] : [];
  return [...why, ...setupHint(await findModelOffers(env))].join('\n');
}
