// All sessions, those that need the person first; and what concerns the page as a whole.
import { useState } from 'preact/hooks';
import { signOut } from '../connection/sign-in.js';
import { themes } from '../store/preferences.js';
import { address } from '../store/route.js';
import { useApp } from '../store/web-app.js';
import { Icon, type IconName } from './icons.js';
import { countOf, SessionRowView } from './session-row.js';

export function Sidebar() {
  const app = useApp();
  const route = app.router.route.value;
  const current = route.page === 'session' ? route.id : undefined;
  const groups = app.list.groups.value;
  const problem = app.list.problem.value;
  return (
    <nav class="sidebar" aria-label="Sessions">
      <div class="sidebar-head">
        <a class="brand" href={address({ page: 'sessions' })} aria-label="Helve, all sessions">
          <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M11 7v18M21 7v18M11 16h10" />
          </svg>
          Helve
        </a>
        <span class="spacer" />
        {app.may('run') && (
          <a class="button small" href={address({ page: 'new' })} title="New session (n)">
            <Icon name="plus" /> New
          </a>
        )}
      </div>
      <SearchField />
      <div class="rows" tabIndex={0} role="group" aria-label="List of sessions">
        {groups.map(({ name, rows }) => (
          <section key={name} aria-label={name} class={name === 'Needs you' ? 'needs-you' : undefined}>
            <h2 class="rows-head">
              {name} <span class="count">{countOf(rows, app.list.more.value)}</span>
            </h2>
            {rows.map((row) => (
              <SessionRowView key={row.sessionId} row={row} isCurrent={row.sessionId === current} />
            ))}
          </section>
        ))}
        {app.list.more.value !== undefined && (
          <button
            type="button"
            class="quiet more"
            onClick={() => void app.list.loadMore().catch((error) => app.tell(error))}
          >
            Older sessions
          </button>
        )}
        {app.list.isLoaded.value && groups.length === 0 && <p class="empty">There are no sessions yet.</p>}
        {problem !== undefined && <p class="failure padded">{problem}</p>}
      </div>
      <Foot />
    </nav>
  );
}

function SearchField() {
  const app = useApp();
  const route = app.router.route.value;
  const [text, setText] = useState(route.page === 'search' ? route.text : '');
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          app.router.go(text.trim() === '' ? { page: 'sessions' } : { page: 'search', text: text.trim() });
        }}
      >
        <Icon name="search" />
        <input
          id="search"
          type="search"
          value={text}
          placeholder="Search all sessions"
          aria-label="Search all sessions"
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}

const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const satisfies Record<string, IconName>;
const themeWords = { system: 'as the system', light: 'light', dark: 'dark' } as const;

function Foot() {
  const app = useApp();
  const { theme, notifies } = app.preferences;
  const me = app.me.value;
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  return (
    <div class="sidebar-foot">
      <span class="who" title={me ? `${me.name}, ${me.role}` : ''}>
        {me?.name} <span class="muted">{me?.role}</span>
      </span>
      <button
        type="button"
        class="icon-button"
        aria-pressed={notifies.value}
        aria-label="Notify when a session needs you or has ended"
        title="Notify when a session needs you or has ended"
        onClick={() => void app.preferences.setNotifies(!notifies.value)}
      >
        <Icon name="bell" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={`Colours: ${themeWords[theme.value]}. Change to ${themeWords[next]}`}
        title={`Colours: ${themeWords[theme.value]}`}
        onClick={() => {
          theme.value = next;
        }}
      >
        <Icon name={themeIcons[theme.value]} />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Help and keys"
        title="Help and keys (?)"
        onClick={() => {
          app.isHelpOpen.value = true;
        }}
      >
        <Icon name="help" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => void leave().catch((error) => app.tell(error))}
      >
        <Icon name="leave" />
      </button>
    </div>
  );

  async function leave(): Promise<void> {
    app.link.stop();
    await signOut();
    location.reload();
  }
}
