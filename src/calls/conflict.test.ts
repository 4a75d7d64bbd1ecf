import { expect, test } from 'vitest';
import type { Effect } from '../contract/effect.js';
import { conflict } from './conflict.js';

const read = (real: string, more: object = {}): Effect => ({ kind: 'file', access: 'read', path: real, real, ...more });
const write = (real: string, more: object = {}): Effect => ({
  kind: 'file',
  access: 'write',
  path: real,
  real,
  ...more,
});
const session = (access: 'read' | 'write', what: 'cwd' | 'todos'): Effect => ({ kind: 'session', access, what });
const command = (harmless: boolean): Effect => ({ kind: 'command', text: 'x', harmless });
const unknown: Effect = { kind: 'unknown', why: 'x' };
const claimsToRead: Effect = { kind: 'unknown', why: 'x', readOnlyHint: true };

test.each<[string, Effect[], Effect[], boolean]>([
  ['two reads of one file', [read('/a')], [read('/a')], false],
  ['a read and a write of one file', [read('/a')], [write('/a')], true],
  ['two writes of one file', [write('/a')], [write('/a')], true],
  ['writes of two files', [write('/a')], [write('/b')], false],
  ['names that only begin alike', [write('/a')], [write('/ab')], false],
  ['two hard links to one file', [write('/a', { identity: '1:2' })], [read('/b', { identity: '1:2' })], true],
  ['a written file below a tree that is read', [read('/a', { tree: true })], [write('/a/b/c')], true],
  ['a written file above a tree that is read', [read('/a/b', { tree: true })], [write('/a')], false],
  ['a written tree around a file that is read', [read('/a/b')], [write('/a', { tree: true })], true],
  ['a folder that is read, without what is below', [read('/a')], [write('/a/b')], false],
  ['two trees that are read', [read('/a', { tree: true })], [read('/a/b', { tree: true })], false],
  ['a relative path and a change of directory', [read('/a'), session('read', 'cwd')], [session('write', 'cwd')], true],
  ['different parts of the session', [session('write', 'todos')], [session('write', 'cwd')], false],
  ['harmless commands', [command(true)], [command(true)], false],
  ['a harmless command and a write', [command(true), read('/a')], [write('/b')], false],
  ['a command that is not harmless and a read', [command(false)], [read('/a')], true],
  ['an unknown and a read', [unknown], [read('/a')], true],
  ['an unknown and a call that touches nothing', [unknown], [], false],
  ['two that claim to read only', [claimsToRead], [claimsToRead], false],
  ['one that claims to read only and a read', [claimsToRead], [read('/a')], false],
  ['one that claims to read only and a write', [claimsToRead], [write('/a')], true],
  ['one that claims to read only and a command that is not harmless', [claimsToRead], [command(false)], true],
  ['one that claims to read only and an unknown', [claimsToRead], [unknown], true],
  ['two network calls', [{ kind: 'network', url: 'http://x' }], [{ kind: 'network', url: 'http://x' }], false],
])('%s', (_, a, b, expected) => {
  expect(conflict(a, b)).toBe(expected);
  expect(conflict(b, a)).toBe(expected);
});
