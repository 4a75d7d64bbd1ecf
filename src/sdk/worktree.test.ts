import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent, openWorktree, type WorktreeOptions, WorktreeProblem } from '../index.js';
import { scriptedModel } from '../models/scripted.js';
import { temporaryRepository } from '../testing/git-repository.js';

async function repository() {
  const made = await temporaryRepository();
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-data-'));
  onTestFinished(async () => {
    for (const folder of [made.root, dataFolder]) await rm(folder, { recursive: true, force: true });
  });
  return { ...made, dataFolder };
}

test('a program runs an agent in a worktree, and merges what it did', async () => {
  const { root, dataFolder } = await repository();
  const worktree = await openWorktree({ root, dataFolder, name: 'one' });
  const write = { name: 'Write', input: { file_path: 'new.txt', content: 'new\n' } };
  const model = scriptedModel({ turns: [{ calls: [write] }, { text: 'done' }] });
  const agent = createAgent({ model, worktree, dataFolder, permissionMode: 'acceptEdits' });
  const { outcome } = await agent.run('go').result;
  await agent.end();
  expect(outcome).toBe('completed');
  expect(existsSync(join(root, 'new.txt'))).toBe(false);
  expect(await worktree.finish({ end: 'merge', message: 'add new.txt' })).toMatchObject({
    outcome: 'merged',
    files: ['new.txt'],
  });
  expect(await readFile(join(root, 'new.txt'), 'utf8')).toBe('new\n');
  expect(existsSync(worktree.folder)).toBe(false);
});

test('a sandboxed command of a session in a worktree can commit there, and sees nothing else of the data folder', async () => {
  const { root, dataFolder, git, write } = await repository();
  await write('secret.txt', 'SECRET\n');
  git('add', '-A');
  git('commit', '-qm', 'secret');
  const worktree = await openWorktree({ root, dataFolder, name: 'one' });
  const identity = '-c user.name=x -c user.email=x@example.invalid';
  const commands = [
    `echo b > b.txt && git add b.txt && git ${identity} commit -qm two && git log --format=%s -1`,
    'python3 -c \'print(open(chr(115) + "ecret.txt").read())\'; cat a.txt',
    `ls ${dataFolder}; cat ${worktree.folder}.json; echo x > ${root}/a.txt; echo x > ${root}/.git/hooks/evil; git config core.pager evil; true`,
  ];
  const calls = commands.map((command) => ({ name: 'Bash', input: { command } }));
  const model = scriptedModel({ turns: [...calls.map((call) => ({ calls: [call] })), { text: 'done' }] });
  const sandbox = { network: 'off', allowWrite: [], denyWrite: [], denyRead: [], failIfUnavailable: true } as const;
  const agent = createAgent({
    ...{ model, worktree, dataFolder, permissionMode: 'bypassPermissions' },
    sandbox: { ...sandbox, autoAllow: true },
    permissions: { deny: [`Read(/${root}/secret.txt)`] },
  });
  const results: string[] = [];
  for await (const event of agent.run('go')) {
    if (event.type === 'tool_result') results.push(JSON.stringify(event.result.content));
  }
  await agent.end();
  if (results[0]?.includes('settings demand a sandbox')) return; // none works on this machine
  expect(results[0]).toContain('two');
  expect(git('log', '--format=%s', 'worktree-one').trim().split('\n')).toEqual(['two', 'secret', 'one']);
  expect(results[1]).toMatch(/Permission denied|No such file/);
  expect(results[1]).not.toContain('SECRET');
  expect(results[2]).not.toContain('"version"');
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('a\n');
  expect(existsSync(join(root, '.git/hooks/evil'))).toBe(false);
  expect(git('config', '--list')).not.toContain('evil');
});

test('what can be no worktree is refused in a sentence', async () => {
  const { root, dataFolder } = await repository();
  await expect(openWorktree({ root: dataFolder, dataFolder })).rejects.toThrow(WorktreeProblem);
  await expect(openWorktree({ root, dataFolder, nme: 'x' } as WorktreeOptions)).rejects.toThrow('openWorktree');
});
