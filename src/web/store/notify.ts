// Notifications of the system: a session asks something, or has ended its work, while the page is not looked at.
import { effect } from '@preact/signals';
import type { SessionRow } from '../../host/session-index.js';
import type { Preferences } from './preferences.js';
import type { Router } from './route.js';
import type { SessionList } from './session-list.js';

export function startNotifications(list: SessionList, preferences: Preferences, router: Router): void {
  let before = new Map<string, SessionRow['state']>();
  effect(() => {
    const rows = list.rows.value;
    const waiting = [...rows.values()].filter(({ state }) => state === 'requires_action').length;
    document.title = waiting > 0 ? `(${waiting}) Helve` : 'Helve';
    for (const row of rows.values()) {
      const last = before.get(row.sessionId);
      if (last !== undefined && last !== row.state) tell(row, last);
    }
    before = new Map([...rows.values()].map(({ sessionId, state }) => [sessionId, state]));
  });

  function tell({ sessionId, title, project, state }: SessionRow, last: SessionRow['state']): void {
    if (!preferences.notifies.peek() || document.visibilityState === 'visible') return;
    const what =
      state === 'requires_action'
        ? 'needs your answer'
        : last === 'running' && state === 'idle'
          ? 'has ended its work'
          : state === 'failed'
            ? 'has failed'
            : undefined;
    if (what === undefined) return;
    const notification = new Notification(`${project}: ${what}`, { body: title, tag: sessionId });
    notification.addEventListener('click', () => {
      window.focus();
      router.go({ page: 'session', id: sessionId, tab: 'conversation' });
      notification.close();
    });
  }
}
