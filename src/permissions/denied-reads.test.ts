import { expect, test } from 'vitest';
import { toolTable } from '../tools/index.js';
import { deniedReads } from './denied-reads.js';
import { parseRules } from './parse-rule.js';

const tools = toolTable();

const anchors = { source: ['/w'], project: ['/w'], home: ['/home/me'] };
const denied = (...deny: string[]) =>
  deniedReads(
    parseRules({ deny, allow: ['Read(//etc/**)'], ask: ['Read(ask)'] }, { source: { file: 'a' }, anchors, tools })
      .rules,
  );

test('without a rule that denies reading, the sandbox hides no files', () => {
  expect(denied()).toBeUndefined();
  expect(denied('Edit(a)', 'Bash(rm *)', 'Read')).toBeUndefined();
});

test.each([
  ['Read(.env)', ['/w'], '/w/a/.env', '/w/a/env'],
  ['Read(**/.env*)', ['/w'], '/w/a/b/.env.local', '/w/a'],
  ['Read(./secrets/**)', ['/w/secrets'], '/w/secrets/a', '/w/other/a'],
  ['Read(/conf/key.pem)', ['/w/conf/key.pem'], '/w/conf/key.pem', '/w/conf/other'],
  ['Read(//etc/shadow)', ['/etc/shadow'], '/etc/shadow', '/etc/passwd'],
  ['Read(~/.aws/**)', ['/home/me/.aws'], '/home/me/.aws/credentials', '/home/me/x'],
  ['Read(~/.config/*/token)', ['/home/me/.config'], '/home/me/.config/a/token', '/home/me/.config/token'],
  ['Read(//srv/a\\*b/c)', ['/srv/a*b/c'], '/srv/a*b/c', '/srv/axb/c'],
  ['Grep(//srv/x)', ['/srv/x'], '/srv/x/below', '/srv/y'],
])('files of the rule %s are searched from %s', (rule, starts, isDenied, isNot) => {
  const files = denied(rule);
  expect(files?.starts).toEqual(starts);
  expect(files?.matches(isDenied, { isFolder: false })).toBe(true);
  expect(files?.matches(isNot, { isFolder: false })).toBe(false);
});

test('a folder is hidden as a whole if everything in it is denied, and searched if only some of it may be', () => {
  const files = denied('Read(./secrets/**)', 'Read(./conf/*.pem)');
  const about = (path: string) => [files?.matches(path, { isFolder: true }), files?.mayMatchBelow(path)];
  expect(about('/w/secrets')).toEqual([true, true]);
  expect(about('/w/conf')).toEqual([false, true]);
  expect(about('/w/src')).toEqual([false, false]);
});

test('the key of the denied files changes with the rules', () => {
  expect(denied('Read(a)')?.key).not.toBe(denied('Read(b)')?.key);
});
