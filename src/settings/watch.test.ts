import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { local, machine, project, user } from '../testing/temporary-machine.js';
import { trustFolder } from './trust.js';
import { watchSettings } from './watch.js';

const texts = ({ rules }: { rules: readonly { text: string; list: string; trusted: boolean }[] }): string[] =>
  rules.map(({ text, list, trusted }) => `${list} ${text}${trusted ? '' : ' (untrusted)'}`);

test('an added, changed or removed file is noticed at the next check, and without a change no file is read', async () => {
  const here = machine();
  const watched = await watchSettings(here);
  expect((await watched.refresh()).changed).toBe(false);
  here.write(project, { permissions: { deny: ['Read(a)'] } });
  expect([(await watched.refresh()).changed, texts(watched.current)]).toEqual([true, ['deny Read(a)']]);
  here.write(project, { permissions: { deny: ['Read(b)'] } });
  expect([(await watched.refresh()).changed, texts(watched.current)]).toEqual([true, ['deny Read(b)']]);
  const before = watched.current;
  expect([(await watched.refresh()).changed, watched.current]).toEqual([false, before]);
  rmSync(here.path(project));
  expect([(await watched.refresh()).changed, texts(watched.current)]).toEqual([true, []]);
});

test.each([
  ['half a file', '{ "permissions": { "deny": ["Read(.e'],
  ['nothing yet', ''],
  ['a broken rule', '{ "permissions": { "deny": ["Read("] } }'],
])('%s still refuses what the file refused before, allows nothing, and is reported once', async (_, text) => {
  const here = machine({ [user]: { model: 'x', permissions: { deny: ['Read(.env)'], allow: ['Bash(ls)'] } } });
  const watched = await watchSettings(here);
  here.write(user, text);
  const { problems } = await watched.refresh();
  expect(problems.map(({ severity }) => severity)).toEqual(['dropped']);
  expect(problems[0]?.message).toContain('what the file refused before is refused');
  expect([texts(watched.current), watched.current.model]).toEqual([['deny Read(.env)'], undefined]);
  here.write(project, {});
  expect([(await watched.refresh()).problems, texts(watched.current)]).toEqual([[], ['deny Read(.env)']]);
  here.write(user, { permissions: { allow: ['Bash(ls)'] } });
  expect([(await watched.refresh()).problems, texts(watched.current)]).toEqual([[], ['allow Bash(ls)']]);
});

test('a new file that is broken is reported as one that would have stopped the start', async () => {
  const here = machine();
  const watched = await watchSettings(here);
  here.write(local, '{');
  expect((await watched.refresh()).problems.map(({ severity }) => severity)).toEqual(['fatal']);
});

test('settings that are broken stop the start', async () => {
  await expect(watchSettings(machine({ [user]: '{' }))).rejects.toThrow('will not start');
});

test('trust that is given meanwhile applies at the next check', async () => {
  const here = machine({ [project]: { permissions: { allow: ['Bash(ls)'] } } });
  const watched = await watchSettings(here);
  expect(texts(watched.current)).toEqual(['allow Bash(ls) (untrusted)']);
  await trustFolder(here.root, watched.current.trust.covered, here);
  await Promise.all([watched.refresh(), watched.refresh()]);
  expect(texts(watched.current)).toEqual(['allow Bash(ls)']);
});
