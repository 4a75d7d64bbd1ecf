// The sessions of this machine, as `helve ps` and the commands after it name them.
import { type ListedPresence, listPresence } from '../../agent/store/presence.js';
import { UsageProblem } from '../usage-problem.js';

export const SHORT_CHARS = 8;

const MAX_NAMED = 10;

/** Those that are at work, and those of the background that need a person or have ended within a day. */
export async function sessionsHere(dataFolder: string, { all = false } = {}): Promise<ListedPresence[]> {
  const found = await listPresence(dataFolder);
  const DAY_MS = 24 * 3_600_000;
  return found.filter(
    ({ isLive, state, changed }) =>
      all || isLive || state === 'waiting' || state === 'interrupted' || Date.now() - changed < DAY_MS,
  );
}

/**
 * One session by its id or the beginning of it, or `last`: the one in the background whose state changed last. Without
 * any of these, the only one in the background.
 */
export async function findListed(dataFolder: string, wanted: string | undefined): Promise<ListedPresence> {
  const found = await listPresence(dataFolder);
  if (wanted === undefined || wanted === 'last') {
    const [first, ...others] = found.filter(({ surface }) => surface === 'background');
    if (!first) throw new UsageProblem('There is no session in the background. helve bg "…" starts one.');
    if (wanted === 'last' || others.length === 0) return first;
    const all = [first, ...others]
      .slice(0, MAX_NAMED)
      .map(({ id, title }) => `  ${id.slice(0, SHORT_CHARS)}  ${title}`);
    throw new UsageProblem(
      `There are ${others.length + 1} sessions in the background. Give the id of one, or last:\n${all.join('\n')}`,
    );
  }
  const exact = found.find(({ id }) => id === wanted);
  if (exact) return exact;
  const meant = wanted === '' ? [] : found.filter(({ id }) => id.startsWith(wanted.toLowerCase()));
  const [only] = meant;
  if (only && meant.length === 1) return only;
  if (meant.length > 1) {
    const ids = meant.map(({ id, title }) => `  ${id}  ${title}`).join('\n');
    throw new UsageProblem(
      `"${wanted}" is the beginning of ${meant.length} ids. Give more of the one you mean:\n${ids}`,
    );
  }
  throw new UsageProblem(
    `There is no session "${wanted}" that runs or is in the background. helve ps --all lists them.`,
  );
}

/** Where a session runs that is not in the background. */
export function elsewhere({ id, surface, owner }: ListedPresence): string {
  const places = {
    terminal: `in a terminal (process ${owner.pid})`,
    print: `in helve -p (process ${owner.pid})`,
    acp: `in an editor or another client of helve acp (process ${owner.pid})`,
    background: 'in the background',
  };
  return `The session ${id.slice(0, SHORT_CHARS)} runs ${places[surface]}, not in the background.`;
}
