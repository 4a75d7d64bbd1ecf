import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCommandAnalyzer } from './command-effects.js';

async function repository(config: string): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-repository-')));
  await mkdir(join(root, '.git'));
  await mkdir(join(root, 'src'));
  await writeFile(join(root, '.git', 'config'), config);
  return root;
}

const isHarmless = async (command: string, cwd: string): Promise<boolean> => {
  const effects = await createCommandAnalyzer().effects(command, { cwd });
  return effects.every((effect) => effect.kind !== 'unknown' && (effect.kind !== 'command' || effect.harmless));
};

test.each([
  '[diff "evil"]\n\ttextconv = ./evil.sh\n',
  '[diff "evil"] command = ./evil.sh\n',
  '[Diff]\n  External=./evil.sh\n',
  '[filter "x"]\n\tclean = ./evil.sh\n',
  '[gpg]\n\tprogram = ./evil.sh\n',
  '[gpg "ssh"]\n\tprogram = ./evil.sh\n',
  '[include]\n\tpath = ../evil\n',
  '[includeIf "gitdir:/"]\n\tpath = ../evil\n',
  '[core]\n\tworktree = /\n',
])('git is not harmless in a repository with %j', async (config) => {
  const root = await repository(config);
  expect(await isHarmless('git diff', root)).toBe(false);
  expect(await isHarmless('git log -3', join(root, 'src'))).toBe(false);
  expect(await isHarmless('cd src && git status', root)).toBe(false);
  expect(await isHarmless('ls', root)).toBe(true);
});

test('git is harmless in an ordinary repository', async () => {
  const root = await repository(
    '[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n[branch "main"]\n\tremote = origin\n[user]\n\tname = x\n',
  );
  expect(await isHarmless('git diff --stat HEAD~1 | head -5', root)).toBe(true);
});
