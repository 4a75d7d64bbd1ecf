// One session: what is said of it, its tabs, and the page of the tab.
import { shortCost, shortCount } from '../../platform/text/short-amounts.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { address, type SessionTab, sessionTabs } from '../store/route.js';
import type { SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';
import { Composer } from './composer.js';
import { Conversation } from './conversation.js';
import { Icon } from './icons.js';
import { lazyView, otherPages } from './lazy-view.js';
import { QuestionDock } from './question-dock.js';
import { SidePanel } from './side-panel.js';
import { stateWords, surfaceWords } from './state-words.js';

const ChangesPage = lazyView(async () => (await otherPages()).ChangesPage);
const TimelinePage = lazyView(async () => (await otherPages()).TimelinePage);
const UsagePage = lazyView(async () => (await otherPages()).UsagePage);

const tabWords: Readonly<Record<SessionTab, string>> = {
  conversation: 'Conversation',
  changes: 'Changes',
  timeline: 'Timeline',
  usage: 'Usage',
};

export function SessionPage({ id, tab }: { id: string; tab: SessionTab }) {
  const app = useApp();
  const store = app.session.value;
  if (!store || store.id !== id) return <p class="start">Loading…</p>;
  return (
    <div class={`session tab-${tab}`}>
      <Head store={store} tab={tab} />
      {tab === 'conversation' && <ConversationPage store={store} />}
      {tab === 'changes' && <ChangesPage store={store} />}
      {tab === 'timeline' && <TimelinePage store={store} />}
      {tab === 'usage' && <UsagePage store={store} />}
      {tab !== 'conversation' && <QuestionLine store={store} />}
      <Spoken store={store} />
    </div>
  );
}

/** On the other pages: that there is a question, and the way to it. */
function QuestionLine({ store }: { store: SessionStore }) {
  if (store.questions.value.length === 0) return null;
  return (
    <p class="question-line">
      <span class="pulse" aria-hidden="true" /> The session waits for your answer.
      <span class="spacer" />
      <a class="button small" href={address({ page: 'session', id: store.id, tab: 'conversation' })}>
        To the question
      </a>
    </p>
  );
}

function Head({ store, tab }: { store: SessionStore; tab: SessionTab }) {
  const app = useApp();
  const row = app.list.get(store.id);
  const state = store.isReadOnly.value ? (row?.state ?? store.state.value) : store.state.value;
  const overview = store.overview.value;
  const title = row?.title || store.title.value;
  const project = row?.project ?? store.root.value.split('/').at(-1) ?? '';
  return (
    <header class="session-head">
      <div class="session-line">
        <a class="icon-button back" href={address({ page: 'sessions' })} aria-label="All sessions">
          <Icon name="back" />
        </a>
        <h1>{visibleLine(title) || 'New session'}</h1>
        <span class={`state state-${state}`}>
          <span class="dot" aria-hidden="true" />
          {stateWords[state]}
        </span>
      </div>
      <div class="session-line second">
        <nav class="tabs" aria-label="Pages of the session">
          {sessionTabs.map((each) => (
            <a
              key={each}
              href={address({ page: 'session', id: store.id, tab: each })}
              aria-current={each === tab ? 'page' : undefined}
            >
              {tabWords[each]}
            </a>
          ))}
        </nav>
        <span class="spacer" />
        <span class="session-facts">
          <span class="fact-project" title={store.root.value}>
            {visibleLine(project)}
          </span>
          {overview?.contextWindow && (
            <span title="Tokens in the context window">
              {shortCount(overview.contextTokens)} / {shortCount(overview.contextWindow)}
            </span>
          )}
          {overview && overview.costUsd !== null && <span>{shortCost(overview.costUsd)}</span>}
        </span>
      </div>
    </header>
  );
}

function ConversationPage({ store }: { store: SessionStore }) {
  const app = useApp();
  const problem = store.problem.value;
  const row = app.list.get(store.id);
  const surface = row?.surface ?? null;
  // A prompt to a session that does not exist would need a folder.
  const isMissing = problem !== undefined && store.root.value === '' && !app.outbox.has(store.id);
  const where = row && !row.canAttach && surface !== null ? surfaceWords[surface] : '';
  return (
    <div class="session-body">
      <div class="session-column">
        {problem !== undefined ? <p class="failure padded">{problem}</p> : <Conversation store={store} />}
        <div class="dock">
          <QuestionDock store={store} />
          {where !== '' ? (
            <p class="muted read-only">This session runs {where}. It can be read here, and not continued.</p>
          ) : (
            app.may('run') && !isMissing && <Composer key={store.id} store={store} />
          )}
        </div>
      </div>
      <SidePanel store={store} />
    </div>
  );
}

/** What a screen reader is told: changes of state, and questions. Text that streams would be too much. */
function Spoken({ store }: { store: SessionStore }) {
  const [first] = store.questions.value;
  const state = store.state.value;
  const words = first
    ? 'The session asks a question.'
    : state === 'loading'
      ? ''
      : `The session is ${stateWords[state]}.`;
  return (
    <div class="unseen" role="status" aria-live="polite">
      {words}
    </div>
  );
}
