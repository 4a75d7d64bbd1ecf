import { expect, test } from 'vitest';
import type { Settings } from '../settings/settings.js';
import { whyNotPermitted } from './marketplace-policy.js';
import { readSource } from './plugin-source.js';

const SHA = 'a'.repeat(40);

test.each([
  ['./plugins/x', { source: 'path', path: './plugins/x', within: true }],
  [
    { source: 'github', repo: 'a/b', ref: 'v1' },
    { source: 'git', url: 'https://github.com/a/b.git', ref: 'v1' },
  ],
  [
    { source: 'git-subdir', url: 'https://h/a.git', path: 'p/x', sha: SHA },
    { source: 'git', url: 'https://h/a.git', path: 'p/x', sha: SHA },
  ],
  [
    { source: 'url', url: 'https://h/a.git' },
    { source: 'git', url: 'https://h/a.git' },
  ],
  [
    { source: 'git', url: 'git@h:a/b' },
    { source: 'git', url: 'git@h:a/b' },
  ],
  [
    { source: 'local', path: './x' },
    { source: 'path', path: './x', within: true },
  ],
])('understands the source %j', (value, expected) => {
  expect(readSource(value)).toEqual(expected);
});

test.each([
  { source: 'npm', package: 'x' },
  { source: 'archive', url: 'https://h/a.zip' },
  { source: 'command', command: 'x' },
  { source: 'git', url: 'ext::sh -c touch' },
  { source: 'git', url: 'ext::https://h/a' },
  { source: 'git', url: '--upload-pack=x' },
  { source: 'git', url: 'https://-x/a' },
  { source: 'git', url: 'http://h/a.git' },
  { source: 'git', url: 'https://u:secret@h/a.git' },
  { source: 'git', url: 'https://h/a.git', ref: '--all' },
  { source: 'git', url: 'https://h/a.git', ref: 'a..b' },
  { source: 'git', url: 'https://h/a.git', sha: 'abc' },
  { source: 'github', repo: 'a/b/../c' },
  { source: 'url', url: 'https://h/marketplace.json' },
  5,
])('refuses the source %j with a reason', (value) => {
  expect(readSource(value)).toEqual({ problem: expect.stringMatching(/^\S.{10}/) });
});

const policy = (strict?: unknown[], blocked?: unknown[]) => {
  const sourced = (value: unknown[]) => ({ value, origin: { kind: 'managed', file: '/etc/managed.json' } });
  return {
    ...(strict && { strictKnownMarketplaces: sourced(strict) }),
    ...(blocked && { blockedMarketplaces: sourced(blocked) }),
  } as unknown as Settings; // only these two are read
};
const git = { source: 'git', url: 'https://github.com/a/b.git', ref: 'v1' } as const;

test.each([
  [policy(), true],
  [policy([]), false],
  [policy([{ source: 'github', repo: 'a/b' }]), true],
  [policy([{ source: 'github', repo: 'a/b', ref: 'v2' }]), false],
  [policy([{ source: 'git', url: 'git@github.com:A/b' }]), true],
  [policy([{ source: 'hostPattern', hostPattern: '^github\\.com$' }]), true],
  [policy([{ source: 'hostPattern', hostPattern: '(' }]), false],
  [policy([{ source: 'npm', package: 'x' }]), false],
  [policy(undefined, [{ source: 'github', repo: 'A/B', ref: 'v2' }]), false],
  [policy(undefined, [{ source: 'hostPattern', hostPattern: '(' }]), false],
  [policy(undefined, [{ source: 'github', repo: 'c/d' }]), true],
])('an administrator decides which sources are permitted (case %#)', (settings, isPermitted) => {
  expect(whyNotPermitted(git, settings) === undefined).toBe(isPermitted);
});
