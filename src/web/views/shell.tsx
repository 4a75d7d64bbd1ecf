// The frame of all pages: the list of sessions beside the page, or instead of it on a phone.
import { useEffect } from 'preact/hooks';
import type { LinkState } from '../connection/link.js';
import { useApp } from '../store/web-app.js';
import { FaultBoundary } from './fault-boundary.js';
import { Home } from './home.js';
import { lazyView, otherPages } from './lazy-view.js';
import { SessionPage } from './session-page.js';
import { Sidebar } from './sidebar.js';
import { useShortcuts } from './use-shortcuts.js';

const Help = lazyView(async () => (await otherPages()).Help);
const NewSession = lazyView(async () => (await otherPages()).NewSession);
const SearchPage = lazyView(async () => (await otherPages()).SearchPage);

export function Shell() {
  const app = useApp();
  const route = app.router.route.value;
  useShortcuts(app);
  return (
    <div class={`shell page-${route.page}`}>
      <button type="button" class="skip" onClick={skip}>
        Skip to the page
      </button>
      <Sidebar />
      <main id="main" tabIndex={-1}>
        <LinkBanner state={app.link.state.value} />
        <FaultBoundary what="This page" key={route.page}>
          {route.page === 'sessions' && <Home />}
          {route.page === 'search' && <SearchPage key={route.text} text={route.text} />}
          {route.page === 'new' && <NewSession key={route.root} root={route.root} />}
          {route.page === 'session' && <SessionPage key={route.id} id={route.id} tab={route.tab} />}
        </FaultBoundary>
      </main>
      <Message />
      {app.isHelpOpen.value && <Help />}
    </div>
  );
}

/** No link: the address names the page. */
function skip(): void {
  document.querySelector<HTMLElement>('#main')?.focus();
}

const banners: Readonly<Partial<Record<LinkState['name'], string>>> = {
  connecting: 'Connecting…',
  waiting: 'No connection to the server. What is shown may be out of date. Trying again…',
};

function LinkBanner({ state }: { state: LinkState }) {
  if (state.name === 'open') return null;
  const words = state.name === 'draining' ? state.why : banners[state.name];
  if (words === undefined) return null;
  return (
    <p class={`banner ${state.name}`} role="status">
      <span class="pulse" aria-hidden="true" /> {words}
    </p>
  );
}

const SHOWN_MS = 8_000;

/** What went wrong or was done, for some seconds; screen readers say it once. */
function Message() {
  const app = useApp();
  const text = app.message.value;
  useEffect(() => {
    if (text === '') return;
    const timer = setTimeout(() => {
      app.message.value = '';
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="message-place" role="status" aria-live="polite">
      {text !== '' && (
        <p class="message">
          {text}
          <button
            type="button"
            class="link"
            onClick={() => {
              app.message.value = '';
            }}
          >
            Close
          </button>
        </p>
      )}
    </div>
  );
}
