import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { local, machine, project, user } from '../testing/temporary-machine.js';
import { editSettings, rememberRule } from './edit-file.js';
import { loadSettings } from './load.js';

test('a change keeps comments, indentation, line endings and everything else', async () => {
  const before =
    '// mine\r\n{\r\n\t"model": "a", // good\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Bash(ls)" // safe\r\n\t\t]\r\n\t}\r\n}\r\n';
  const here = machine({ [user]: before });
  await editSettings('user', { path: ['model'], value: 'b' }, here);
  await editSettings('user', { path: ['permissions', 'deny'], value: 'Read(.env)', append: true }, here);
  expect(here.text(user)).toBe(
    '// mine\r\n{\r\n\t"model": "b", // good\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Bash(ls)" // safe\r\n\t\t],\r\n\t\t"deny": [\r\n\t\t\t"Read(.env)"\r\n\t\t]\r\n\t}\r\n}\r\n',
  );
});

test('a remembered rule is written for this project and applies at once, even if the folder is untrusted', async () => {
  const here = machine();
  await rememberRule('Bash(npm test:*)', 'allow', here);
  await rememberRule('Read(.env)', 'deny', here);
  await rememberRule('Bash(npm test:*)', 'allow', here);
  expect(here.text(local)).toBe(
    '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test:*)"\n    ],\n    "deny": [\n      "Read(.env)"\n    ]\n  }\n}\n',
  );
  const { rules, trust } = await loadSettings(here);
  expect([rules.map(({ trusted }) => trusted), trust.state]).toEqual([[true, true], 'untrusted']);
  expect([statSync(here.path(local)).mode & 0o777, readdirSync(here.root)]).toEqual([0o600, ['.helve']]);
});

test('a rule is added after the others, with or without comments and trailing commas', async () => {
  const here = machine({
    [local]: '{ "permissions": { "allow": [\n    "Bash(a)", // one\n    /* two */ "Bash(b)",\n  ] } }',
  });
  await rememberRule('Bash(c)', 'allow', here);
  const { rules, problems } = await loadSettings(here);
  expect([rules.map(({ text }) => text), problems]).toEqual([['Bash(a)', 'Bash(b)', 'Bash(c)'], []]);
  expect(here.text(local)).toMatch(/\/\/ one\n.*\/\* two \*\//);
});

test('rules that are remembered at the same time are all kept', async () => {
  const here = machine();
  const rules = Array.from({ length: 10 }, (_, index) => `Bash(echo ${index})`);
  await Promise.all(rules.map((rule) => rememberRule(rule, 'allow', here)));
  const known = (await loadSettings(here)).rules;
  expect(known.map(({ text }) => text).sort()).toEqual(rules);
  expect(known.every(({ trusted }) => trusted)).toBe(true);
});

test.each([
  [
    'a rule that is not understood',
    { path: ['permissions', 'allow'], value: 'Bash(', append: true },
    'has no closing parenthesis',
  ],
  ['a value that does not fit', { path: ['effort'], value: 'huge' }, 'must be one of'],
  ['a list that is no list', { path: ['permissions', 'deny'], value: 'Read' }, 'must be a list'],
])('%s is not written', async (_, edit, words) => {
  const here = machine({ [user]: '{ "model": "a" }' });
  await expect(editSettings('user', edit, here)).rejects.toThrow(words);
  expect(here.text(user)).toBe('{ "model": "a" }');
});

test('an existing problem does not prevent a change of something else', async () => {
  const here = machine({ [local]: '{\n  "permissions": { "allow": ["Bash("] }\n}' });
  await rememberRule('Bash(ls)', 'allow', here);
  expect(here.text(local)).toContain('"Bash(ls)"');
});

test('a file that is not valid JSON is left alone', async () => {
  const here = machine({ [local]: '{ "model": ' });
  await expect(rememberRule('Bash(ls)', 'allow', here)).rejects.toThrow(
    '.helve/settings.local.json:1:12: not valid JSON',
  );
  expect(here.text(local)).toBe('{ "model": ');
});

test('a symlink of a project cannot redirect a write out of the project', async () => {
  const here = machine({ 'home/.bashrc': '{}', 'home/other/settings.local.json': '{}' });
  mkdirSync(here.path('project/.helve'));
  symlinkSync(here.path('home/.bashrc'), here.path(local));
  await expect(rememberRule('Bash(ls)', 'allow', here)).rejects.toThrow('leads through a link');
  const whole = machine({ 'home/other/x': '' });
  symlinkSync(whole.path('home/other'), whole.path('project/.helve'));
  await expect(rememberRule('Bash(ls)', 'allow', whole)).rejects.toThrow('leads through a link');
  expect([here.text('home/.bashrc'), existsSync(whole.path('home/other/settings.local.json'))]).toEqual(['{}', false]);
});

test("the user's own file may be a symlink, and stays one", async () => {
  const here = machine({ 'dotfiles/settings.json': '{}' });
  mkdirSync(here.path('home/.helve'));
  symlinkSync(here.path('dotfiles/settings.json'), here.path(user));
  await editSettings('user', { path: ['model'], value: 'a' }, here);
  expect(here.text('dotfiles/settings.json')).toContain('"a"');
});

test('removing a setting removes it, and removing a missing one changes nothing', async () => {
  const here = machine({ [project]: '{\n  "model": "a",\n  "theme": "dark"\n}\n' });
  expect(await editSettings('project', { path: ['model'], value: undefined }, here)).toBe(true);
  expect(await editSettings('project', { path: ['effort'], value: undefined }, here)).toBe(false);
  expect(here.text(project)).toBe('{\n  "theme": "dark"\n}\n');
});
