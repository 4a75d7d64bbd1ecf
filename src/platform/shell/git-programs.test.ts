import { appendFile, chmod, mkdir, mkdtemp, readFile, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryIn, temporaryRepository } from '../../testing/git-repository.js';
import { createCommandAnalyzer } from './command-effects.js';
import { createGitRepositories } from './git-repository.js';

const commandsOf = async (command: string, cwd: string, env: NodeJS.ProcessEnv = process.env) => {
  const effects = await createCommandAnalyzer({ env }).effects(command, { cwd });
  return { effects, commands: effects.filter((effect) => effect.kind === 'command') };
};

const isHarmless = async (command: string, cwd: string, env?: NodeJS.ProcessEnv): Promise<boolean> => {
  const { effects, commands } = await commandsOf(command, cwd, env);
  return commands.every(({ harmless }) => harmless) && effects.every(({ kind }) => kind !== 'unknown');
};

const needsWalls = async (command: string, cwd: string): Promise<boolean> =>
  (await commandsOf(command, cwd)).commands.some((each) => each.needsWalls === true);

test.each([
  '[diff "evil"]\n\ttextconv = ./evil.sh\n',
  '[diff "evil"] command = ./evil.sh\n',
  '[Diff]\n  External=./evil.sh\n',
  '[filter "x"]\n\tclean = ./evil.sh\n',
  '[filter "x"]\n\tprocess = ./evil.sh\n',
  '[merge "x"]\n\tdriver = ./evil.sh\n',
  '[gpg]\n\tprogram = ./evil.sh\n',
  '[gpg "ssh"]\n\tprogram = ./evil.sh\n',
  '[gpg "ssh"]\n\tdefaultKeyCommand = ./evil.sh\n',
  '[core]\n\tworktree = /\n',
  '[core]\n\tworktree = ../..\n',
  '[core]\n\talternateRefsCommand = ./evil.sh\n',
  '[format]\n\tpretty = format:%G?\n',
  '[pretty]\n\tshort = format:%GS\n',
  '[branch]\n\tsort = signature\n',
  '[alias]\n\twhatchanged = !./evil.sh\n',
  // Written so that a line-based reader misses them.
  '[core] filemode = true [diff "x"] textconv = ./evil.sh\n[core] [diff "x"] textconv = ./evil.sh\n',
  '[user] [diff "evil"]\n\ttextconv = ./evil.sh\n',
  '[diff "a]b"]\n\ttextconv = ./evil.sh\n',
  '[diff "a\\"]b"] textconv = ./evil.sh\n',
  '[user]\n\tname = x \\\n[not a section]\n[diff "x"]\n\ttextconv = ./evil.sh\n',
  '[diff "x"]\n\ttext\\\nconv = ./evil.sh\n[diff "y"]\ttextconv = ./evil.sh ; note\n',
  '[diff.evil]\n\tTextConv = ./evil.sh\n',
  '\ufeff[diff "x"]\n\ttextconv = ./evil.sh\n',
  '[diff "x"]\r\n\ttextconv = ./evil.sh\r\n',
  // Files that git would read, and print in an error.
  '[blame]\n\tignoreRevsFile = .env\n',
  '[blame]\n\tignoreRevsFile = /home/me/ignore-revs\n',
  '[mailmap]\n\tfile = ~/secret.mailmap\n',
  '[core]\n\tattributesFile = ../../.gitattributes\n',
  '[core]\n\texcludesFile = /etc/passwd\n',
  // Broken: git can't read it.
  '[core\n',
])('git is not harmless in a repository with %j', async (config) => {
  const { root } = await temporaryRepository();
  await appendFile(join(root, '.git', 'config'), config);
  expect(await isHarmless('git diff', root)).toBe(false);
  expect(await isHarmless('git log -3', join(root, 'src'))).toBe(false);
  expect(await isHarmless('cd src && git status', root)).toBe(false);
  expect(await isHarmless('git -C src status', root)).toBe(false);
  expect(await isHarmless('ls', root)).toBe(true);
});

test.each([
  ['include.path', 'more.config'],
  ['includeIf.gitdir:/.path', 'more.config'],
  ['includeIf.onbranch:main.path', 'more.config'],
])('git is not harmless if %s includes a program, and is with plain settings', async (key, file) => {
  const { root, git, write } = await temporaryRepository();
  git('config', key, file);
  expect(await isHarmless('git status', root)).toBe(true);
  await write('.git/more.config', '[user]\n\tname = x\n');
  expect(await isHarmless('git status', root)).toBe(true);
  await write('.git/more.config', '[diff "x"]\n\ttextconv = ./evil.sh\n');
  expect(await isHarmless('git status', root)).toBe(false);
});

test('settings of one worktree count there', async () => {
  const { root, git } = await temporaryRepository();
  const other = join(root, '..', `${root.slice(-6)}-other`);
  git('worktree', 'add', '-q', other);
  expect(await isHarmless('git status', other)).toBe(true);
  git('config', 'extensions.worktreeConfig', 'true');
  git('-C', other, 'config', '--worktree', 'diff.x.textconv', './evil.sh');
  expect(await isHarmless('git status', other)).toBe(false);
  expect(await isHarmless('git status', root)).toBe(true);
});

test('a .git that points to a repository elsewhere makes git not harmless', async () => {
  const { root } = await temporaryRepository();
  const elsewhere = await temporaryRepository({ secret: 'x' });
  await writeFile(join(root, 'src/.git'), `gitdir: ${elsewhere.root}/.git\n`);
  expect(await isHarmless('git status', root)).toBe(true);
  expect(await isHarmless('git show HEAD', join(root, 'src'))).toBe(false);
  expect(await isHarmless('cd src; git show HEAD', root)).toBe(false);
  await rename(join(root, '.git'), join(root, 'moved'));
  await symlink(join(elsewhere.root, '.git'), join(root, '.git'));
  expect(await isHarmless('git show HEAD', root)).toBe(false);
});

test('commondir is followed as git follows it', async () => {
  const { root } = await temporaryRepository();
  const elsewhere = await temporaryRepository();
  elsewhere.git('config', 'diff.x.textconv', './evil.sh');
  await writeFile(join(root, '.git/commondir'), `${elsewhere.root}/.git\n`);
  expect(await isHarmless('git diff', root)).toBe(false);
});

test('a repository without a working tree inside the project is not used', async () => {
  const { root, git } = await temporaryRepository();
  git('init', '-q', '--bare', join(root, 'inner'));
  expect(await isHarmless('git status', root)).toBe(true);
  expect(await isHarmless('git log', join(root, 'inner'))).toBe(false);
  expect(await isHarmless('cd inner && git log', root)).toBe(false);
  expect(await isHarmless('git -C inner log', root)).toBe(false);
  expect(await isHarmless('cd .git && git log', root)).toBe(false);
});

test.each([
  'cd "$X" && git status',
  'for d in */; do (cd $d && git status); done',
  'find . -name a.txt -execdir git status \\;',
  'git -C "$X" status',
  'git --git-dir=.git status',
  'GIT_DIR=.git git status',
  'export GIT_DIR=.git; git status',
  'git -C src -C .. --work-tree=. status',
  'pushd src; popd; git status',
])('git is not harmless if its directory is unknown: %s', async (command) => {
  const { root } = await temporaryRepository();
  expect(await isHarmless(command, root)).toBe(false);
});

test.each([
  'git status',
  'git -C sub status',
  'cd sub && git diff',
  '(cd sub; git log)',
  'git ls-files --recurse-submodules',
])('a submodule with its own filter makes git not harmless: %s', async (command) => {
  const { root, git } = await temporaryRepository();
  const other = await temporaryRepository();
  git('submodule', 'add', '-q', other.root, 'sub');
  expect(await isHarmless(command, root)).toBe(true);
  expect(await needsWalls(command, root)).toBe(true);
  git('-C', join(root, 'sub'), 'config', 'filter.x.clean', './evil.sh');
  expect(await isHarmless(command, root)).toBe(false);
});

test('a nested repository in the index counts like a submodule, without .gitmodules', async () => {
  const { root, git } = await temporaryRepository();
  const inner = await repositoryIn(join(root, 'inner'));
  inner.git('config', 'filter.x.clean', './evil.sh');
  expect(await isHarmless('git status', root)).toBe(true); // only skipped
  git('add', 'inner');
  expect(await isHarmless('git status', root)).toBe(false);
});

test('an index that is split or compressed is read by git', async () => {
  const { root, git } = await temporaryRepository();
  const inner = await repositoryIn(join(root, 'inner'));
  inner.git('config', 'filter.x.clean', './evil.sh');
  git('add', 'inner');
  git('update-index', '--split-index');
  git('update-index', '--index-version', '4');
  expect(await isHarmless('git status', root)).toBe(false);
});

test('git is harmless and needs no confinement in an ordinary repository', async () => {
  const { root, git } = await temporaryRepository();
  git('config', 'remote.origin.url', 'https://example.com/x.git');
  git('config', 'branch.main.remote', 'origin');
  git('config', 'user.name', 'x');
  expect(await isHarmless('git diff --stat HEAD~1 | head -5', root)).toBe(true);
  expect(await needsWalls('git diff --stat HEAD~1 | head -5', root)).toBe(false);
});

test.each([
  ['core.sshCommand', 'ssh -i key'],
  ['credential.helper', 'store'],
  ['alias.st', '!./x.sh'],
  ['core.pager', './x.sh'],
  ['blame.ignoreRevsFile', '.git-blame-ignore-revs'],
  ['core.fsmonitor', 'true'],
  ['core.hooksPath', '.husky'],
  ['http.proxy', 'http://127.0.0.1:1'],
  ['diff.x.xfuncname', '^x'],
  ['url.ssh://x/.insteadOf', 'x:'],
])('git stays harmless with the setting %s, but needs confinement', async (key, value) => {
  const { root, git } = await temporaryRepository();
  git('config', key, value);
  expect(await isHarmless('git status', root)).toBe(true);
  expect(await needsWalls('git status', root)).toBe(true);
});

test.each([
  ['core.fsmonitor', './evil.sh'],
  ['core.fsmonitor', 'true'],
  ['log.showSignature', 'true'],
  ['remote.x.promisor', 'true'],
])('with %s = %s git is harmless only in calls that run under the protective variables', async (key, value) => {
  const { root, git } = await temporaryRepository();
  git('config', key, value);
  const gitIsHarmless = async (command: string): Promise<boolean> =>
    (await commandsOf(command, root)).commands.every(
      ({ text, harmless }) => harmless || !text.startsWith('git status'),
    );
  expect(await gitIsHarmless('git status')).toBe(true);
  expect(await gitIsHarmless('git status; touch f')).toBe(true);
  expect(await gitIsHarmless('git status && npm test')).toBe(false);
  expect(await gitIsHarmless('git status; git commit -m x')).toBe(false);
  expect(await gitIsHarmless('git status; $X')).toBe(false);
});

test('the hook that git runs when it refreshes the index counts like a program', async () => {
  const { root, write } = await temporaryRepository();
  await write('.git/hooks/post-index-change', '#!/bin/sh\n');
  expect((await commandsOf('git status && npm test', root)).commands[0]).toMatchObject({ harmless: false });
  expect(await isHarmless('git status', root)).toBe(true);
});

test("a program in the user's own settings is trusted, and attributes that use it need confinement", async () => {
  const { root, write } = await temporaryRepository();
  const home = await realpath(await mkdtemp(join(tmpdir(), 'helve-home-')));
  await writeFile(join(home, '.gitconfig'), '[filter "lfs"]\n\tclean = git-lfs clean\n[safe]\n\tdirectory = *\n');
  const env = { ...process.env, HOME: home };
  expect(await isHarmless('git status', root, env)).toBe(true);
  expect((await commandsOf('git status', root, env)).commands[0]).not.toHaveProperty('needsWalls');
  await write('.gitattributes', '*.bin filter=lfs diff=lfs\n');
  expect(await isHarmless('git status', root, env)).toBe(true);
  expect((await commandsOf('git status', root, env)).commands[0]).toMatchObject({ needsWalls: true });
});

test('git is not harmless if it is not installed, or too old to be kept from starting programs', async () => {
  const { root } = await temporaryRepository();
  const bin = await realpath(await mkdtemp(join(tmpdir(), 'helve-bin-')));
  expect(await isHarmless('git status', root, { PATH: bin })).toBe(false);
  await writeFile(join(bin, 'git'), '#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec /usr/bin/env PATH="$REAL" git "$@"\n');
  await chmod(join(bin, 'git'), 0o755);
  const real = process.env['PATH'] ?? '';
  expect(await isHarmless('git status', root, { ...process.env, REAL: real, PATH: `${bin}:${real}` })).toBe(false);
});

test('git is run once for a repository until one of its files changes', async () => {
  const { root, git } = await temporaryRepository();
  const bin = await realpath(await mkdtemp(join(tmpdir(), 'helve-bin-')));
  const log = join(bin, 'log');
  await writeFile(log, '');
  await writeFile(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nexec /usr/bin/env PATH="$REAL" git "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  const real = process.env['PATH'] ?? '';
  const env = { ...process.env, REAL: real, PATH: `${bin}:${real}` };
  const repositories = createGitRepositories(env, { settledMs: -60_000 });
  const count = async (): Promise<number> => (await readFile(log, 'utf8')).trim().split('\n').filter(Boolean).length;
  const look = async (folder: string) => {
    const around = await repositories.lookUp(folder);
    if (around.kind === 'repository') await repositories.submodules(around.repository);
    return around.kind;
  };
  expect(await look(root)).toBe('repository');
  const once = await count();
  expect(once).toBe(2);
  expect(await look(root)).toBe('repository');
  expect(await look(join(root, 'src'))).toBe('repository');
  expect(await count()).toBe(once);
  git('config', 'user.name', 'another');
  await look(root);
  expect(await count()).toBe(once * 2);
  await mkdir(join(root, 'src/.git'));
  expect(await look(join(root, 'src'))).toBe('repository'); // an empty .git is skipped
  git('init', '-q', join(root, 'src'));
  const inner = await repositories.lookUp(join(root, 'src'));
  expect(inner).toMatchObject({ repository: { workTree: join(root, 'src') } });
});

test.each([
  ['git -c alias.p=push p origin', 'git push origin'],
  ["git -c alias.p='push --force' p", 'git push --force'],
  ['git -c alias.q=push -c alias.p=q p', 'git push'],
  ["git -c 'alias.p=!git push' p x", 'git push x'],
  ["git -c 'alias.p=!git' p push", 'git push'],
  ['git -C . -c alias.P=push p', 'git -C . push'],
])('an alias defined by an option is expanded: %s', async (command, expected) => {
  const { root } = await temporaryRepository();
  expect((await commandsOf(command, root)).commands.map(({ text }) => text)).toContain(expected);
});

test.each([
  ['push', 'git p x', 'git push x'],
  ['!git push', 'git p x', 'git push x'],
  ['!f() { git push; }; f', 'git p', 'git push'],
  ['q', 'git p', 'git push'],
])('the alias %j from the configuration is expanded', async (value, command, expected) => {
  const { root, git } = await temporaryRepository();
  git('config', 'alias.p', value);
  git('config', 'alias.q', 'push');
  expect((await commandsOf(command, root)).commands.map(({ text }) => text)).toContain(expected);
});

test('an alias that cannot be resolved counts as unknown, and a circular one ends', async () => {
  const { root, git } = await temporaryRepository();
  const unknown = async (command: string): Promise<boolean> =>
    (await commandsOf(command, root)).effects.some(({ kind }) => kind === 'unknown');
  expect(await unknown('git --config-env=alias.p=X p')).toBe(true);
  expect(await unknown('GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p')).toBe(true);
  git('config', 'alias.loop', 'loop');
  expect(await unknown('git loop')).toBe(true);
  expect((await commandsOf('git -c alias.a=b -c alias.b=a a', root)).commands.length).toBeLessThan(10);
});
