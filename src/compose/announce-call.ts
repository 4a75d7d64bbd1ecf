import type { Effect } from '../contract/effect.js';
import type { SessionPort } from '../contract/tool-context.js';
import { realPathSync } from '../platform/files/paths.js';
import { declaredWritesOf, mayChangeFiles } from '../platform/journal/effect-writes.js';
import { sessionWriters } from '../platform/journal/session-changes.js';

/** Announces a call of a tool that keeps no journal, to sessions that work in the same project. Undefined if it writes nothing. */
export function announceCall(
  session: SessionPort,
  { name, effects }: { name: string; effects: readonly Effect[] },
): Promise<() => void> | undefined {
  if (!mayChangeFiles(effects)) return undefined;
  const isKnown = effects.every(({ kind }) => kind !== 'unknown' && kind !== 'command');
  const { paths } = declaredWritesOf(effects, session.workspace.map(realPathSync));
  return session.own(sessionWriters).begin({ name, writes: { paths, isExact: isKnown } });
}
