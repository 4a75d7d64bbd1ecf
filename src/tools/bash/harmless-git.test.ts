import { existsSync } from 'node:fs';
import { chmod, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PermissionMode } from '../../contract/permission.js';
import { repositoryIn, type TemporaryRepository } from '../../testing/git-repository.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { bashTool } from './bash.js';

/** A project that is a repository, with a program in it that leaves a mark when it runs. */
async function project(permissionMode: PermissionMode, env: NodeJS.ProcessEnv = process.env) {
  const made = await temporaryProject({}, { permissionMode, env });
  onTestFinished(() => made.remove());
  const mark = join(made.root, 'ran');
  const evil = join(made.root, 'evil.sh');
  const repository = await repositoryIn(made.root, { 'evil.sh': `#!/bin/sh\ntouch ${mark}\n` });
  await chmod(evil, 0o755);
  return {
    ...made,
    repository,
    evil,
    ran: () => existsSync(mark),
    run: async (command: string) => (await made.run(bashTool, { command })).isError,
  };
}

type Bait = (repository: TemporaryRepository, evil: string) => Promise<void> | void;

const baits: Readonly<Record<string, Bait>> = {
  'core.fsmonitor': ({ git }, evil) => void git('config', 'core.fsmonitor', evil),
  'log.showSignature with a program': ({ git }, evil) => {
    git('config', 'log.showSignature', 'true');
    git('config', 'gpg.program', evil);
  },
  'a text conversion': async ({ git, write }, evil) => {
    git('config', 'diff.x.textconv', evil);
    await write('.gitattributes', '*.txt diff=x\n');
    await write('a.txt', 'changed\n');
  },
  'a filter': async ({ git, write }, evil) => {
    git('config', 'filter.x.clean', evil);
    await write('.gitattributes', '*.txt filter=x\n');
    await write('a.txt', 'changed\n');
  },
  'an external diff': async ({ git, write }, evil) => {
    git('config', 'diff.external', evil);
    await write('a.txt', 'changed\n');
  },
  'a hook of the index': async ({ git, write, root }, evil) => {
    git('config', 'core.hooksPath', join(root, 'hooks'));
    await write('hooks/post-index-change', `#!/bin/sh\n${evil}\n`);
    await chmod(join(root, 'hooks/post-index-change'), 0o755);
    await utimes(join(root, 'a.txt'), 1, 1); // so that git refreshes the index
  },
  'a filter of a nested repository': async ({ git, root }, evil) => {
    const inner = await repositoryIn(join(root, 'inner'), { '.gitattributes': '*.txt filter=x\n' });
    git('add', 'inner');
    inner.git('config', 'filter.x.clean', evil);
    await inner.write('a.txt', 'changed\n');
  },
  'core.fsmonitor of a nested repository': async ({ git, root }, evil) => {
    const inner = await repositoryIn(join(root, 'inner'));
    git('add', 'inner');
    inner.git('config', 'core.fsmonitor', evil);
  },
};

const lines: Readonly<Partial<Record<PermissionMode, readonly string[]>>> = {
  default: ['git status --short', 'git diff; git log -1 -p'],
  plan: ['git status; git diff'],
  acceptEdits: [
    'git status --short; touch f',
    'touch f && git diff && mkdir -p d && git status',
    'git diff > out.txt',
    'cp a.txt c.txt; (cd src; git status); git -C src diff',
  ],
};

test.each(
  Object.keys(baits).flatMap((bait) => (Object.keys(lines) as PermissionMode[]).map((mode) => [bait, mode] as const)),
)('a program configured in the repository by %s does not run in the mode %s', async (bait, mode) => {
  const { repository, evil, run, ran } = await project(mode);
  await baits[bait]?.(repository, evil);
  for (const line of lines[mode] ?? []) {
    await run(line);
    expect({ line, ran: ran() }).toEqual({ line, ran: false });
  }
});

test('without protection the programs would run', async () => {
  for (const [name, bait] of Object.entries(baits)) {
    const { repository, evil, ran } = await project('default');
    await bait(repository, evil);
    for (const args of [['status'], ['diff'], ['log', '-1', '-p']]) {
      try {
        repository.git(...args);
      } catch {
        // the program fails
      }
    }
    if (!name.startsWith('log.')) expect({ name, ran: ran() }).toEqual({ name, ran: true });
  }
});

test('a plain repository needs no question in these modes, and a person can still commit with hooks', async () => {
  const { run, repository, ran, evil } = await project('bypassPermissions');
  await repository.write('.git/hooks/pre-commit', `#!/bin/sh\n${evil}\n`);
  await chmod(`${repository.root}/.git/hooks/pre-commit`, 0o755);
  expect(await run('git status && git -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty -m x')).toBe(
    false,
  );
  expect(ran()).toBe(true);
  const free = await project('acceptEdits');
  for (const line of lines.acceptEdits ?? []) expect(await free.run(line)).toBe(false);
});

test('a diff program set in the environment does not run', async () => {
  const program = await project('default');
  const { run, ran, repository } = await project('default', { ...process.env, GIT_EXTERNAL_DIFF: program.evil });
  await repository.write('a.txt', 'changed\n');
  expect(await run('git diff')).toBe(false);
  expect([ran(), program.ran()]).toEqual([false, false]);
});
