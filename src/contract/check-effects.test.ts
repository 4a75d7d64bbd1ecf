import { expect, test } from 'vitest';
import { checkedEffects } from './check-effects.js';

const file = (changes: object) => ({ kind: 'file', access: 'read', path: '/a/b', real: '/a/b', ...changes });

test('brings paths into their plain form, so that ".." hides nothing', () => {
  expect(checkedEffects([file({ path: '/project/../out/secret', real: '/project//x/' })], 'Any')).toEqual([
    file({ path: '/out/secret', real: '/project/x' }),
  ]);
});

test.each([
  ['x'],
  [5],
  [undefined],
  [[null]],
  [[{}]],
  [[{ kind: 'made up' }]],
  [[file({ access: 'WRITE' })]],
  [[file({ path: 'relative' })]],
  [[file({ real: undefined })]],
  [[{ kind: 'command', text: 'ls' }]],
  [[{ kind: 'session', access: 'read' }]],
  [[file({}), { kind: 'network' }]],
])('takes %j for something that could touch anything', (declared) => {
  expect(checkedEffects(declared, 'Odd')).toEqual([
    { kind: 'unknown', why: expect.stringContaining('what Odd declares to touch is not understood') },
  ]);
});

test('lets well-formed effects through as they are', () => {
  const effects = [
    file({ tree: true, identity: '1:2' }),
    { kind: 'command', text: 'ls', harmless: true },
    { kind: 'network', url: 'http://x' },
    { kind: 'session', access: 'write', what: 'cwd' },
    { kind: 'unknown', why: 'reasons' },
  ];
  expect(checkedEffects(effects, 'Any')).toEqual(effects);
  expect(checkedEffects([], 'Any')).toEqual([]);
});
