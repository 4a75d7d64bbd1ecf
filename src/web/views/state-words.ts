import type { RowState } from '../connection/wire.js';

/** The states of a session as `helve ps` names them. */
export const stateWords: Readonly<Record<RowState | 'loading', string>> = {
  requires_action: 'waiting for you',
  running: 'running',
  failed: 'failed',
  interrupted: 'interrupted',
  idle: 'idle',
  ended: 'ended',
  loading: 'loading',
};

export const surfaceWords = {
  background: '',
  terminal: 'in a terminal',
  headless: 'helve -p',
  editor: 'in an editor',
} as const;
