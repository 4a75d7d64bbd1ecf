// The page of all sessions. On a phone the list itself is the page.

import { useState } from 'preact/hooks';
import { address } from '../store/route.js';
import { useApp } from '../store/web-app.js';
import { countOf, SessionRowView } from './session-row.js';

const STEP = 60; // rows of a group

export function Home() {
  const app = useApp();
  const groups = app.list.groups.value;
  const [most, setMost] = useState(STEP);
  const isCut = app.list.more.value !== undefined || groups.some(({ rows }) => rows.length > most);
  const showMore = (): void => {
    setMost(most + STEP);
    if (groups.every(({ rows }) => rows.length <= most + STEP)) app.list.loadMore().catch((error) => app.tell(error));
  };
  const waiting = groups.find(({ name }) => name === 'Needs you')?.rows.length ?? 0;
  const working = groups.find(({ name }) => name === 'At work')?.rows.length ?? 0;
  return (
    <div class="page home">
      <h1>Sessions</h1>
      <p class="muted lead">
        {waiting > 0 ? `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you` : 'Nothing waits for you'}
        {working > 0 ? ` · ${working} at work` : ''}
      </p>
      {groups.map(({ name, rows }) => (
        <section key={name} aria-label={name} class="home-group">
          <h2 class="rows-head">
            {name} <span class="count">{countOf(rows, app.list.more.value)}</span>
          </h2>
          <div class="card">
            {rows.slice(0, most).map((row) => (
              <SessionRowView key={row.sessionId} row={row} />
            ))}
          </div>
        </section>
      ))}
      {isCut && (
        <button type="button" class="quiet" onClick={showMore}>
          Older sessions
        </button>
      )}
      {app.list.isLoaded.value && groups.length === 0 && (
        <div class="empty big">
          <p>There are no sessions on this machine yet.</p>
          {app.may('run') && (
            <a class="button primary" href={address({ page: 'new' })}>
              Start one
            </a>
          )}
        </div>
      )}
    </div>
  );
}
