import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { randomId } from '../../platform/crypto.js';
import { FileStore } from '../store/file-store.js';
import { FleetWorkspaces, type OpenWorkspace, type WantedRepository } from './fleet-workspaces.js';
import { assertRef, assertRepository } from './repository-address.js';

function madeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'helve-mirrors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const git = (cwd: string, args: readonly string[], input?: string): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
    cwd,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim();

function repositoryOf(files: Readonly<Record<string, string>>): string {
  const folder = madeFolder();
  git(folder, ['init', '--quiet', '--initial-branch=main']);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git(folder, ['add', '--all']);
  git(folder, ['commit', '--quiet', '--message=first']);
  return folder;
}

async function opened(repository: WantedRepository, env = process.env): Promise<OpenWorkspace> {
  const store = new FileStore(madeFolder());
  const workspaces = new FleetWorkspaces({ folder: madeFolder(), store, env, fetchTimeoutMs: 2_000 });
  return await workspaces.open(await store.claim(randomId()), repository);
}

async function listening(server: ReturnType<typeof createSocketServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test.each([
  'https://git.example/shop.git',
  'http://127.0.0.1:8080/a/b',
  'ssh://git@git.example:22/shop.git',
  'git@git.example:team/shop.git',
  'file:///srv/shop.git',
])('the address %s may be cloned', (url) => {
  expect(() => assertRepository(url)).not.toThrow();
});

test.each([
  ['ext::sh -c touch% /tmp/ran', 'is not an address'],
  ['ext::sh', 'no scheme'],
  ['fd::3', 'no scheme'],
  ['--upload-pack=touch', 'is not an address'],
  ['git@host:-oProxyCommand=x', 'no scheme'],
  ['/srv/shop', 'no scheme'],
  ['git://git.example/shop', 'no scheme'],
  ['https://user:secret@git.example/shop', 'a name or a password'],
  ['https://ghp_token@git.example/shop', 'a name or a password'],
  ['https://git.example/a\nb', 'is not an address'],
])('the address %j is refused', (url, why) => {
  expect(() => assertRepository(url)).toThrow(why);
  expect(() => assertRepository(url)).not.toThrow(/secret|ghp_/);
});

test.each(['main', 'v1.2.3', 'feature/one', 'refs/pull/12/head', 'a'.repeat(40)])('%s is a ref', (ref) => {
  expect(() => assertRef(ref)).not.toThrow();
});

test.each(['-x', 'a..b', 'a b', 'a:b', '+main', 'main^', 'a~1', 'x.lock', '', '@{u}', 'a\\b', '*'])(
  '%j is no ref',
  (ref) => {
    expect(() => assertRef(ref)).toThrow('is not a ref');
  },
);

test('a branch, a tag, a commit and the branch of the server can be worked on', async () => {
  const repository = repositoryOf({ 'a.txt': 'first' });
  const first = git(repository, ['rev-parse', 'HEAD']);
  git(repository, ['tag', '--annotate', '--message=tag', 'v1']);
  writeFileSync(join(repository, 'a.txt'), 'second');
  git(repository, ['commit', '--quiet', '--all', '--message=second']);
  const url = `file://${repository}`;
  const textAt = async (ref: string | undefined): Promise<string> =>
    readFileSync(join((await opened({ url, ref })).root, 'a.txt'), 'utf8');
  expect(await Promise.all([undefined, 'main', 'v1', first].map(textAt))).toEqual([
    'second',
    'second',
    'first',
    'first',
  ]);
});

test('a repository or a ref that is missing is named', async () => {
  const url = `file://${repositoryOf({ 'a.txt': '' })}`;
  await expect(opened({ url, ref: 'gone' })).rejects.toThrow(`${url} has no branch, tag or commit gone`);
  await expect(opened({ url, ref: 'a'.repeat(40) })).rejects.toThrow('has no branch, tag or commit aaaa');
  await expect(opened({ url: 'file:///nowhere/shop', ref: 'main' })).rejects.toThrow(
    /file:\/\/\/nowhere\/shop could not be fetched: .*not appear to be a git repository/,
  );
});

test('a server that wants credentials ends in a sentence, without a question', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  const port = await listening(server);
  const asked = join(madeFolder(), 'asked');
  const script = join(madeFolder(), 'askpass');
  writeFileSync(script, `#!/bin/sh\necho asked > ${asked}\n`, { mode: 0o755 });
  const env = { ...process.env, GIT_ASKPASS: script, SSH_ASKPASS: script };
  await expect(opened({ url: `http://127.0.0.1:${port}/shop`, ref: 'main' }, env)).rejects.toThrow(
    /gives this worker no access: .*Set up a git credential helper/,
  );
  expect(existsSync(asked)).toBe(false);
});

test('a server that never answers is given up', async () => {
  const port = await listening(createSocketServer(() => {}));
  await expect(opened({ url: `http://127.0.0.1:${port}/shop`, ref: 'main' })).rejects.toThrow(
    'could not be fetched: git does not answer',
  );
});

test('nothing of a repository runs when it is fetched and checked out', async () => {
  const ran = join(madeFolder(), 'ran');
  const repository = repositoryOf({
    '.gitattributes': '* filter=evil diff=evil\n',
    '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c touch% ${ran}\n`,
    '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${ran}\n\tclean = touch ${ran}\n`,
    'a.txt': 'one',
  });
  symlinkSync('/etc', join(repository, 'out'));
  git(repository, ['update-index', '--add', '--cacheinfo', `160000,${git(repository, ['rev-parse', 'HEAD'])},sub`]);
  git(repository, ['add', 'out']);
  git(repository, ['commit', '--quiet', '--message=second']);
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-receive']) {
    writeFileSync(join(repository, '.git/hooks', hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  }
  const home = madeFolder();
  writeFileSync(
    join(home, '.gitconfig'),
    `[filter "evil"]\n\tsmudge = touch ${ran}\n[core]\n\thooksPath = ${repository}/.git/hooks\n`,
  );
  const { root, save } = await opened({ url: `file://${repository}`, ref: 'main' }, { ...process.env, HOME: home });
  await save();
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one');
  expect(existsSync(ran)).toBe(false);
});

test.each(['.git', '.GIT', '.g\u200cit', 'git~1'])('a repository with the name %j in it is refused', async (name) => {
  const repository = repositoryOf({ 'a.txt': 'one' });
  const blob = git(repository, ['hash-object', '-w', '--stdin'], 'evil');
  const below = git(repository, ['mktree'], `100644 blob ${blob}\tconfig\n`);
  const tree = git(repository, ['mktree'], `040000 tree ${below}\t${name}\n`);
  const commit = git(repository, ['commit-tree', '-m', 'evil', tree]);
  git(repository, ['update-ref', 'refs/heads/main', commit]);
  await expect(opened({ url: `file://${repository}`, ref: 'main' })).rejects.toThrow(
    'could not be checked out: git reset failed',
  );
});
