// Notifications of the system: a session asks something, or has ended its work, while the page is not looked at.
import { effect } from '@preact/signals';
import type { SessionRow } from '../../host/session-index.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import type { Preferences } from './preferences.js';
import type { Router } from './route.js';
import type { SessionList } from './session-list.js';

export function startNotifications(list: SessionList, preferences: Preferences, router: Router): void {
  let before: ReadonlyMap<string, SessionRow> = new Map();
  effect(() => {
    const rows = list.rows.value;
    const waiting = [...rows.values()].filter(({ state }) => state === 'requires_action').length;
    document.title = waiting > 0 ? `(${waiting}) Helve` : 'Helve';
    for (const row of rows.values()) {
      const last = before.get(row.sessionId);
      // The list leaves out steps: a session may ask when it is first seen, or ask again since it was last seen.
      const isNew =
        last?.state !== row.state || (row.state === 'requires_action' && last.stateSince !== row.stateSince);
      if (isNew && list.isLoaded.peek()) tell(row, last?.state);
    }
    before = rows;
  });

  function tell({ sessionId, title, project, state }: SessionRow, last: SessionRow['state'] | undefined): void {
    if (!preferences.notifies.peek() || document.visibilityState === 'visible') return;
    const what =
      state === 'requires_action'
        ? 'needs your answer'
        : (last === 'running' || last === 'requires_action') && state === 'idle'
          ? 'has ended its work'
          : state === 'failed' && last !== undefined
            ? 'has failed'
            : undefined;
    if (what === undefined) return;
    const notification = shown(`${visibleLine(project)}: ${what}`, { body: visibleLine(title), tag: sessionId });
    notification?.addEventListener('click', () => {
      window.focus();
      router.go({ page: 'session', id: sessionId, tab: 'conversation' });
      notification.close();
    });
  }

  /** Browsers of phones have the constructor, and throw. */
  function shown(title: string, options: NotificationOptions): Notification | undefined {
    try {
      return new Notification(title, options);
    } catch {
      preferences.notifies.value = false;
      return undefined;
    }
  }
}
