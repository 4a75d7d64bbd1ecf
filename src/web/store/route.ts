// The address: only what follows the `#` changes, so that the server needs one page.
import { type Signal, signal } from '@preact/signals';

export const sessionTabs = ['conversation', 'changes', 'timeline', 'usage'] as const;

export type SessionTab = (typeof sessionTabs)[number];

export type Route =
  | { page: 'sessions' }
  | { page: 'search'; text: string }
  | { page: 'new'; root?: string }
  /** `call`: the one that the conversation shows first. */
  | { page: 'session'; id: string; tab: SessionTab; call?: string };

export class Router {
  readonly route: Signal<Route>;

  constructor() {
    this.route = signal(parse(location.hash));
    addEventListener('hashchange', () => {
      this.route.value = parse(location.hash);
    });
  }

  go(route: Route): void {
    location.hash = address(route);
  }
}

export function address(route: Route): string {
  switch (route.page) {
    case 'sessions':
      return '#/';
    case 'search':
      return `#/search/${encodeURIComponent(route.text)}`;
    case 'new':
      return route.root === undefined ? '#/new' : `#/new/${encodeURIComponent(route.root)}`;
    case 'session':
      return `#/session/${encodeURIComponent(route.id)}${route.tab === 'conversation' && route.call === undefined ? '' : `/${route.tab}`}${route.call === undefined ? '' : `/${encodeURIComponent(route.call)}`}`;
  }
}

function parse(hash: string): Route {
  const [page = '', first = '', second = '', third = ''] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  if (page === 'search') return { page, text: first };
  if (page === 'new') return first === '' ? { page } : { page, root: first };
  if (page !== 'session' || first === '') return { page: 'sessions' };
  const tab = sessionTabs.find((each) => each === second) ?? 'conversation';
  return { page, id: first, tab, ...(third !== '' && { call: third }) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
