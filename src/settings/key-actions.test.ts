import { expect, test } from 'vitest';
import { machine, project, user } from '../testing/temporary-machine.js';
import { keyActionNames, keyActions, readKey } from './key-actions.js';
import { readSettings } from './load.js';

test.each([
  ['ctrl+r', 'ctrl+r'],
  ['Shift+Ctrl+P', 'ctrl+shift+p'],
  ['esc', 'escape'],
  ['Return', 'enter'],
  ['option+left', 'alt+left'],
  ['pageup', 'pageUp'],
  ['F5', 'f5'],
  ['ctrl+-', 'ctrl+-'],
  ['ctrl++', 'ctrl++'],
])('reads the key %s', (text, key) => {
  expect(readKey(text)).toEqual({ key });
});

test.each([
  ['escpe', /there is no key "escpe", did you mean "escape"\?/],
  ['cntrl+r', /there is no key "cntrl", did you mean "ctrl"\?/],
  ['x', /"x" is a character that is typed/],
  ['shift+x', /"shift\+x" is a character that is typed/],
  ['', /there is no key ""/],
  ['ctrl+ü', /there is no key "ü", write it as in/],
])('reports the problem with the key "%s"', (text, problem) => {
  expect(readKey(text)).toEqual({ problem: expect.stringMatching(problem) });
});

test('every default key is in its normal form', () => {
  for (const action of keyActionNames) {
    for (const key of keyActions[action].keys) expect(readKey(key)).toEqual({ key });
  }
});

test('a setting accepts one key or a list of keys, also by short names such as Esc', async () => {
  const { keys, problems } = await readSettings(
    machine({ [user]: { keys: { interrupt: 'Esc', newLine: ['alt+enter', 'ctrl+j'], quit: [] } } }),
  );
  expect(problems).toEqual([]);
  expect([...keys].map(([action, { value }]) => [action, value])).toEqual([
    ['newLine', ['alt+enter', 'ctrl+j']],
    ['interrupt', ['escape']],
    ['quit', []],
  ]);
});

test('an invalid key or an unknown action is ignored, with a suggestion', async () => {
  const { keys, problems } = await readSettings(
    machine({ [user]: { keys: { interrupt: 'ctrl+escpe', intrrupt: 'escape', todos: 7 } } }),
  );
  expect(keys.size).toBe(0);
  const told = problems.map(({ message }) => message).join('\n');
  expect(told).toContain('did you mean "escape"?');
  expect(told).toContain('Did you mean "keys.interrupt"?');
});

test("a project cannot set the user's keys or editing mode", async () => {
  const settings = await readSettings(machine({ [project]: { keys: { submit: 'f1' }, editorMode: 'vim' } }));
  expect(settings.keys.size).toBe(0);
  expect(settings.editorMode).toBeUndefined();
  expect((await readSettings(machine({ [user]: { editorMode: 'vi' } }))).editorMode?.value).toBe('vim');
});
