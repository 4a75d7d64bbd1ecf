// One session in a list.

import type { SessionRow as Row } from '../../host/session-index.js';
import { shortCost } from '../../platform/text/short-amounts.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { address } from '../store/route.js';
import { stateWords, surfaceWords } from './state-words.js';
import { useNow } from './use-now.js';

export function SessionRowView({ row, isCurrent = false }: { row: Row; isCurrent?: boolean }) {
  const now = useNow();
  const { sessionId, title, state, project, activity, costUsd, stateSince, changedAt, surface } = row;
  const isLive = state === 'running' || state === 'requires_action';
  const since = shortAge(now - Date.parse(isLive ? stateSince : changedAt));
  const says = isLive && activity ? activity : title;
  const where = surface === null ? '' : surfaceWords[surface];
  return (
    <a
      class={`row state-${state}`}
      href={address({ page: 'session', id: sessionId, tab: 'conversation' })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span class="dot" aria-hidden="true" />
      <span class="row-main">
        <span class="row-title">{visibleLine(title) || 'New session'}</span>
        <span class="row-facts">
          {state !== 'idle' && state !== 'ended' && <span class="row-state">{stateWords[state]}</span>}
          <span>{visibleLine(project)}</span>
          {where !== '' && <span>{where}</span>}
          {costUsd !== null && costUsd > 0 && <span>{shortCost(costUsd)}</span>}
          {says !== title && <span class="row-activity">{visibleLine(says)}</span>}
        </span>
      </span>
      <span class="row-age">{since}</span>
    </a>
  );
}

/** How many rows a group has; the older sessions that are not loaded yet are in the group of those at rest. */
export const countOf = (rows: readonly Row[], more: string | undefined): string =>
  `${rows.length}${more !== undefined && rows.every(({ state }) => state !== 'running' && state !== 'requires_action') ? '+' : ''}`;

/** As `helve ps` shows it. */
function shortAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return 'now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
