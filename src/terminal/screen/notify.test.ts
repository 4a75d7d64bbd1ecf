import { expect, test } from 'vitest';
import { createNotify } from './notify.js';

const told = (env: Record<string, string>, way?: string): string => {
  let written = '';
  createNotify({ env, way: () => way, write: (text) => (written += text) })('Done; now\u0007\u001b]0;you');
  return written;
};

test.each([
  [{ TERM_PROGRAM: 'iTerm.app' }, '\u001b]9;Helve: Done  now  ]0 you\u0007\u0007'],
  [{ KITTY_WINDOW_ID: '1' }, '\u001b]99;;Helve: Done  now  ]0 you\u001b\\\u0007'],
  [{ TERM: 'rxvt-unicode' }, '\u001b]777;notify;Helve;Done  now  ]0 you\u0007\u0007'],
  [{ TERM: 'xterm' }, '\u0007'],
])('notifies the user with the sequence that the terminal of %o supports', (env, expected) => {
  expect(told(env)).toBe(expected);
});

test('passes through tmux to the outer terminal', () => {
  expect(told({ TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/tmux' })).toBe(
    '\u001bPtmux;\u001b\u001b]9;Helve: Done  now  ]0 you\u0007\u001b\\\u0007',
  );
});

test('writes nothing if notifications are off', () => {
  expect(told({ TERM_PROGRAM: 'iTerm.app' }, 'off')).toBe('');
});
