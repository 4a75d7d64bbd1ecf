// Keys that work on every page, while no text is typed.
import { useEffect } from 'preact/hooks';
import { sessionTabs } from '../store/route.js';
import type { WebApp } from '../store/web-app.js';
import { interrupt } from './composer.js';

export const shortcuts: ReadonlyArray<readonly [keys: string, meaning: string]> = [
  ['?', 'show this list'],
  ['/', 'search all sessions'],
  ['n', 'new session'],
  ['g', 'list of all sessions'],
  ['j  k', 'next and previous session'],
  ['1 – 4', 'conversation, changes, timeline, usage'],
  ['p', 'go to the prompt'],
  ['q', 'go to the question'],
  ['Esc', 'leave a field; in the prompt, interrupt the session'],
  ['Enter', 'send the prompt; Shift+Enter starts a new line'],
  ['Space', 'press a button that allows something: Enter does not'],
];

export function useShortcuts(app: WebApp): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target instanceof HTMLElement ? event.target : undefined;
      const isTyping = target?.matches('input, textarea, select') ?? false;
      if (event.key === 'Escape') onEscape(app, target);
      else if (!isTyping && act(app, event.key)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [app]);
}

function onEscape(app: WebApp, target: HTMLElement | undefined): void {
  const store = app.session.peek();
  const isBusy = store && ['running', 'requires_action'].includes(store.state.peek());
  if (target?.id === 'prompt' && isBusy) void interrupt(store, app);
  else target?.blur();
}

function act(app: WebApp, key: string): boolean {
  const route = app.router.route.peek();
  switch (key) {
    case '?':
      app.isHelpOpen.value = true;
      return true;
    case '/':
      return focus('#search');
    case 'p':
      return focus('#prompt');
    case 'q':
      return focus('.question .deny, .question input');
    case 'n':
      app.router.go({ page: 'new' });
      return true;
    case 'g':
      app.router.go({ page: 'sessions' });
      return true;
    case 'j':
    case 'k':
      return step(app, key === 'j' ? 1 : -1);
    default: {
      const tab = sessionTabs[Number(key) - 1];
      if (tab === undefined || route.page !== 'session') return false;
      app.router.go({ ...route, tab });
      return true;
    }
  }
}

function focus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

function step(app: WebApp, by: number): boolean {
  const route = app.router.route.peek();
  const ids = app.list.groups.peek().flatMap(({ rows }) => rows.map(({ sessionId }) => sessionId));
  const at = route.page === 'session' ? ids.indexOf(route.id) : -1;
  const id = ids[Math.max(0, Math.min(ids.length - 1, at + by))];
  if (id !== undefined) app.router.go({ page: 'session', id, tab: 'conversation' });
  return id !== undefined;
}
