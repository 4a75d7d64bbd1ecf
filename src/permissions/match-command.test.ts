import { expect, test } from 'vitest';
import type { CommandEffect } from '../contract/effect.js';
import { allowsCommand, coversWrapped, mayMeanCommand, meansCommand, parseCommandPattern } from './match-command.js';

const command = (text: string, more: Partial<CommandEffect> = {}): CommandEffect => ({
  kind: 'command',
  text,
  argv: text.split(' '),
  harmless: false,
  ...more,
});

function pattern(specifier: string) {
  const parsed = parseCommandPattern(specifier);
  if (!parsed) throw new Error(`${specifier} is no pattern`);
  return parsed;
}

test.each<[string, string, boolean]>([
  ['npm run build', 'npm run build', true],
  ['npm run build', 'npm run build --watch', false],
  ['npm run test *', 'npm run test', true],
  ['npm run test *', 'npm run test --watch', true],
  ['npm run test *', 'npm run tests', false],
  ['npm run test:*', 'npm run test', true],
  ['npm run test:*', 'npm run test-all', false],
  ['npm run test:*', 'xnpm run test', false],
  ['npm  run   test:*', 'npm run test a', true],
  ['ls *', 'lsof', false],
  ['ls*', 'lsof -i', true],
  ['git:* push', 'git push', false],
  ['git * main', 'git push origin main', true],
  ['git * main', 'git push origin main --force', false],
  ['git * main *', 'git push main', true],
  ['git * main *', 'git push main now', true],
  ['* --version', 'node --version', true],
  ['npm run a.b:*', 'npm run aXb', false],
  ['echo \\*', 'echo *', true],
  ['echo \\*', 'echo x', false],
  ['*', 'anything at all', true],
  ['docker compose:*', 'docker --host tcp://evil compose up', false],
  ['ls:*', '/tmp/ls', false],
  ['find:*', 'find . -delete', false],
  ['find:*', 'find . -name x', true],
  ['find . -delete', 'find . -delete', true],
  ['watch:*', 'watch ls', false],
])('Bash(%s) as allow against %s: %s', (specifier, text, expected) => {
  expect(allowsCommand(pattern(specifier), command(text))).toBe(expected);
});

test('skips assignments only if they are known to be harmless', () => {
  expect(allowsCommand(pattern('npm test:*'), command('npm test', { assigns: ['NODE_ENV'] }))).toBe(true);
  expect(allowsCommand(pattern('npm test:*'), command('npm test', { assigns: ['PATH'], assignsUnsafely: true }))).toBe(
    false,
  );
  expect(meansCommand(pattern('rm:*'), command('rm x', { assigns: ['A'], assignsUnsafely: true }), false)).toBe(true);
});

test('compares words, not quotes, and never splits a word', () => {
  const quoted = command("npm run 'a && b'", { argv: ['npm', 'run', 'a && b'] });
  expect(allowsCommand(pattern('npm run "a && b"'), quoted)).toBe(true);
  expect(allowsCommand(pattern('npm run *'), quoted)).toBe(true);
  expect(allowsCommand(pattern('rm a b'), command("rm 'a b'", { argv: ['rm', 'a b'] }))).toBe(false);
});

test.each<[string, string, boolean]>([
  ['rm:*', 'rm x', true],
  ['rm:*', '/bin/rm x', true],
  ['rm:*', 'docker rm x', false],
  ['rm:*', 'ls rm', false],
  ['rm -rf:*', 'rm -r -f x', true],
  ['rm -rf *', 'rm -fr x', true],
  ['rm -rf *', 'rm -r x', false],
  ['rm -rf *', 'rm --recursive --force x', true],
  ['git push --force:*', 'git push -f', true],
  ['git push --force:*', 'git push origin main', false],
  ['git push:*', 'git push', true],
  ['git push:*', 'git -c user.name=x push', true],
  ['git push:*', 'git --git-dir=.git push', true],
  ['git push:*', 'git -C . push origin', true],
  ['git push:*', 'git --no-pager log push', false],
  ['git push:*', 'git log push', false],
  ['git push:*', 'git stash push', false],
  ['npm publish:*', 'npm --prefix x publish', true],
  ['curl:*', 'curl https://x', true],
  ['*secret*', 'cat my-secret', true],
])('Bash(%s) as deny against %s: %s', (specifier, text, expected) => {
  expect(meansCommand(pattern(specifier), command(text), false)).toBe(expected);
});

test('a name in another letter case is the same program where the volume folds case', () => {
  expect(meansCommand(pattern('rm:*'), command('RM x'), true)).toBe(true);
  expect(meansCommand(pattern('rm:*'), command('RM x'), false)).toBe(false);
});

test.each<[string, (string | null)[], boolean]>([
  ['git push:*', ['git', null], true],
  ['git push:*', ['git', '-C', null, 'push'], true],
  ['git push:*', ['git', 'log', null], false],
  ['rm:*', [null, 'x'], true],
  ['rm:*', ['ls', null], false],
  ['git * main', ['git', null], true],
  ['git * main', ['npm', null], false],
])('Bash(%s) may match %j: %s', (specifier, words, expected) => {
  const { argv: _, ...unclear } = command(words.map((word) => word ?? '$X').join(' '), { words });
  expect(mayMeanCommand(pattern(specifier), unclear, false)).toBe(expected);
});

test('a shell that reads its script from a pipe may run any command that a rule denies', () => {
  expect(mayMeanCommand(pattern('rm:*'), command('sh'), false)).toBe(true);
  expect(mayMeanCommand(pattern('rm:*'), command('/bin/bash -s'), false)).toBe(true);
  expect(mayMeanCommand(pattern('rm:*'), command('bash run.sh'), false)).toBe(false);
});

test('an exact rule does not cover words that are added later', () => {
  const { argv: _, ...added } = command('rm a', { words: ['rm', 'a', null] });
  expect(allowsCommand(pattern('rm a'), added)).toBe(false);
  const { argv: __, ...open } = command('rm $X', { words: ['rm', null] });
  expect(allowsCommand(pattern('rm $X'), open)).toBe(true);
});

test('a rule for a wrapper covers the wrapped command only if it names it', () => {
  const wrapper = command('timeout 60 npm test');
  const wrapped = command('npm test', { wrappedBy: 0 });
  expect(coversWrapped(pattern('timeout:*'), wrapper, wrapped)).toBe(false);
  expect(coversWrapped(pattern('timeout 60:*'), wrapper, wrapped)).toBe(false);
  expect(coversWrapped(pattern('timeout 60 npm:*'), wrapper, wrapped)).toBe(true);
  expect(coversWrapped(pattern('timeout 60 npm test'), wrapper, wrapped)).toBe(true);
  expect(coversWrapped(pattern('sh:*'), command("sh -c 'rm x'", { argv: ['sh', '-c', 'rm x'] }), command('rm x'))).toBe(
    false,
  );
});

test.each([[''], [':*'], ['  ']])('"%s" names no command', (specifier) => {
  expect(parseCommandPattern(specifier)).toBeUndefined();
});
