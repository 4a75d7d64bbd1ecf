// What a page loads of a session: again after each turn, and when the connection is back.
import { useEffect, useState } from 'preact/hooks';
import type { SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';

export interface Loaded<Value> {
  value: Value | undefined;
  problem: string;
  reload(): Promise<void>;
}

/** `everyMs`: also at this interval, while the session works and the page is looked at. */
export function useLoaded<Value>(load: () => Promise<Value>, store: SessionStore, everyMs?: number): Loaded<Value> {
  const app = useApp();
  const [value, setValue] = useState<Value | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const reload = async (): Promise<void> => {
    try {
      const loaded = await load();
      setValue(() => loaded);
      setProblem('');
    } catch (error) {
      if (app.link.state.peek().name === 'open') setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const turns = store.turns.value;
  const state = store.state.value;
  useEffect(() => app.link.onOpen(() => void reload()), [store, turns, state]);
  useEffect(() => {
    if (everyMs === undefined || state !== 'running') return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [store, state, everyMs]);
  return { value, problem, reload };
}
