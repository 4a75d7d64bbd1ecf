import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { chooseSandbox } from '../../platform/sandbox/choose.js';
import { temporaryProject } from '../../testing/index.js';
import { bashTool } from './bash.js';

const sandbox = await chooseSandbox({ env: process.env, workspace: [] });
const sandboxed = test.skipIf(sandbox.kind !== 'bubblewrap');
const wish = { network: 'off', allowWrite: [], denyWrite: [], denyRead: [], failIfUnavailable: true } as const;
const identity = ['-c', 'user.name=n', '-c', 'user.email=n@example.invalid'];

/** A project with a repository, in which sandboxed commands plant a program that leaves a mark. */
async function repository(files: Record<string, string> = {}) {
  const project = await temporaryProject({ 'a.txt': 'a\n', ...files }, { sandbox: wish });
  onTestFinished(() => project.remove());
  const env = {
    PATH: process.env['PATH'],
    HOME: project.root,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = (args: readonly string[], cwd = project.root): string => {
    try {
      return execFileSync('git', [...identity, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return String(error);
    }
  };
  const mark = join(project.root, 'mark');
  await writeFile(join(project.root, 'payload'), `#!/bin/sh\ntouch ${mark}\n`);
  await chmod(join(project.root, 'payload'), 0o755);
  git(['init', '-q']);
  git(['add', 'a.txt']);
  git(['commit', '-qm', 'one']);
  const { session } = project.engine;
  /** Runs a script in the sandbox, which permissions don't analyse. Returns its output and what was found after it. */
  const run = async (script: string, { finds = true } = {}): Promise<string> => {
    const start = `payload=${project.root}/payload; own() { git ${identity.join(' ')} "$@"; }`;
    await project.write('script.sh', `${start}\n${script}\n`);
    const { content } = await project.run(bashTool, { command: 'bash script.sh' });
    if (finds) await vi.waitFor(() => expect(session.hasReminders).toBe(true)); // the reminder follows the result
    return [String(content), ...session.takeReminders().map(({ text }) => text)].join('\n');
  };
  /** What a user does next, by hand or through a shell prompt. */
  const used = async (...folders: string[]): Promise<boolean> => {
    await project.engine.end();
    for (const folder of ['.', ...folders].map((name) => join(project.root, name)).filter((path) => existsSync(path))) {
      for (const args of [['status'], ['diff'], ['add', '-A'], ['commit', '-qm', 'two'], ['submodule', 'status']])
        git(args, folder);
    }
    return existsSync(mark);
  };
  return { project, root: project.root, git, run, used };
}

const commit = 'echo x > x && own add x && own commit -qm x';
const attacks: ReadonlyArray<[name: string, command: string]> = [
  ['a nested repository with a watcher', `git init -q sub; cd sub; ${commit}; git config core.fsmonitor "$payload"`],
  [
    'a nested repository with a watcher, linked from the index',
    `git init -q sub; (cd sub; ${commit}); own add sub; git -C sub config core.fsmonitor "$payload"`,
  ],
  [
    'a nested repository with a hook, linked from the index',
    `git init -q sub; (cd sub; ${commit}); own add sub; for h in post-index-change pre-commit; do cp "$payload" sub/.git/hooks/$h; done; rm -f sub/.git/index`,
  ],
  [
    'a nested repository that includes a file',
    `git init -q sub; (cd sub; ${commit}); own add sub; printf '[core]\\nfsmonitor = %s\\n' "$payload" > c; printf '[include]\\npath = ../../c\\n' >> sub/.git/config`,
  ],
  [
    'a .git file that points to a renamed repository',
    `git init -q hidden/r; (cd hidden/r; ${commit}; git config core.fsmonitor "$payload"); mv hidden/r/.git hidden/g; mkdir -p sub; echo 'gitdir: ../hidden/g' > sub/.git; own add sub`,
  ],
  [
    'a .git file that points to the temporary folder',
    `git init -q "$TMPDIR/r"; (cd "$TMPDIR/r"; ${commit}; git config core.fsmonitor "$payload"); mkdir -p sub; echo "gitdir: $TMPDIR/r/.git" > sub/.git; own add sub`,
  ],
  [
    'a .git symlink to a renamed folder',
    `git init -q hidden/r; (cd hidden/r; ${commit}; git config core.fsmonitor "$payload"); mv hidden/r/.git hidden/g; mkdir -p sub; ln -s ../hidden/g sub/.git; own add sub`,
  ],
  [
    'a bare repository with a work tree',
    'git init -q --bare sub; git -C sub config core.bare false; git -C sub config core.worktree .; git -C sub config core.fsmonitor "$payload"',
  ],
  [
    'a repository whose commondir points elsewhere',
    `git init -q sub; (cd sub; ${commit}); own add sub; cp -r sub/.git other; git config -f other/config core.fsmonitor "$payload"; mv other o; echo ../../o > sub/.git/commondir; rm o/HEAD`,
  ],
  [
    'a module in the repository of the project',
    `mkdir .git/modules; git init -q --separate-git-dir "$PWD/.git/modules/sub" sub; (cd sub; ${commit}); own add sub; git -C sub config core.fsmonitor "$payload"`,
  ],
  [
    'a worktree with a separate configuration',
    `own worktree add -q sub; cp -r .git o; git config -f o/config core.fsmonitor "$payload"; echo ../../../o > .git/worktrees/sub/commondir`,
  ],
];

sandboxed.each(attacks)('%s starts no program when a person uses git afterwards', async (_name, script) => {
  const { run, used } = await repository();
  const said = await run(script);
  expect(await used('sub')).toBe(false);
  expect(said).toMatch(/would make git start a program.*renamed to/);
});

sandboxed('a repository below a name that is not UTF-8 starts no program either', async () => {
  const { root, run, used } = await repository();
  const said = await run(
    `d=$(printf 's\\377b/deep'); mkdir -p "$d"; git init -q "$d"; (cd "$d"; ${commit}); own add "$d"; git -C "$d" config core.fsmonitor "$payload"`,
  );
  expect(await used()).toBe(false);
  expect(said).toMatch(/a name that is not UTF-8.*renamed to/);
  expect((await readdir(root)).some((name) => name.startsWith('set-aside-'))).toBe(true);
});

sandboxed("a command cannot point the project's repository to another configuration, even while it runs", async () => {
  const { root, run, used } = await repository();
  const said = await run(
    'cp -r .git o; rm -rf o/hooks; git config -f o/config core.fsmonitor "$payload"; echo ../o > .git/commondir; rm -f .git/commondir; ln -sf ../o/config .git/config.worktree; git status >/dev/null; ls mark',
  );
  expect(said).toMatch(/commondir: Read-only file system/);
  expect(said).toMatch(/cannot access 'mark'/);
  expect(await used()).toBe(false);
  expect((await readdir(join(root, '.git'))).filter((name) => /commondir|config\.worktree/.test(name))).toEqual([]);
});

sandboxed("a user's nested repository stays unchanged, and commands can commit in it", async () => {
  const { root, git, run, used } = await repository({ 'sub/b.txt': 'b\n' });
  const sub = join(root, 'sub');
  git(['init', '-q'], sub);
  git(['add', '.'], sub);
  git(['commit', '-qm', 'one'], sub);
  git(['add', 'sub']);
  git(['commit', '-qm', 'sub']);
  const config = await readFile(join(sub, '.git/config'), 'utf8');
  const said = await run(
    `cd sub; ${commit}; git log --oneline | wc -l; git config core.fsmonitor "$payload"; echo x > .git/hooks/pre-commit; mv .git g; echo ../../o > .git/commondir`,
  );
  expect(said).toMatch(/^2\n/);
  expect(await readFile(join(sub, '.git/config'), 'utf8')).toBe(config);
  expect(await used('sub')).toBe(false);
  expect((await readdir(join(sub, '.git'))).filter((name) => /^commondir$|^g$/.test(name))).toEqual([]);
});

sandboxed(
  'a repository that a command creates is kept and reported once, and later commands can use and remove it',
  async () => {
    const { root, run } = await repository();
    expect(await run(`git init -q sub; cd sub; ${commit}`)).toContain('The command made a git repository');
    const said = await run(
      `cd sub; ${commit.replaceAll('x', 'y')}; git config user.name me && git log --oneline | wc -l`,
      { finds: false },
    );
    expect(said).toMatch(/^2\b/);
    expect(said).not.toContain('The command made');
    await run('git clone -q sub copy; rm -rf sub');
    expect(existsSync(join(root, 'sub'))).toBe(false);
    expect(existsSync(join(root, 'copy/.git/config'))).toBe(true);
    await run('git -C copy config core.fsmonitor "$payload"'); // also later
    expect(existsSync(join(root, 'copy/.git/config'))).toBe(false);
  },
);

sandboxed('git works normally while the files of its repository are protected', async () => {
  const { root, run, used } = await repository();
  const said = await run(
    `cat .git/commondir; own branch b && own tag t && own stash list && own gc -q && git fsck && git rev-parse --git-dir && ${commit} && git status --short | head -1; (echo ../o > .git/commondir) 2>&1; rm -f .git/commondir .git/config.worktree; true`,
    { finds: false },
  );
  expect(said).toMatch(/^\.\n\.git\n/);
  expect(said).toMatch(/commondir: Read-only file system/);
  expect(await used()).toBe(false);
  expect((await readdir(join(root, '.git'))).filter((name) => /commondir|config.worktree/.test(name))).toEqual([]);
});
