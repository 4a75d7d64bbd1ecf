import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../compose/create-engine.js';
import type { FullEngineOptions } from '../../compose/options.js';
import type { Effect } from '../../contract/effect.js';
import type { Confinement } from '../../contract/permission.js';
import { chooseConfiner } from '../../platform/sandbox/confiner.js';
import { type TestProject, temporaryProject } from '../../testing/index.js';
import { bashTool } from './bash.js';

const found = await chooseConfiner({ env: process.env, workspace: [] });
const confined = test.skipIf(!found.confiner);

async function project(
  files: Readonly<Record<string, string>>,
  options: Omit<FullEngineOptions, 'root' | 'dataFolder'> = {},
): Promise<TestProject> {
  const made = await temporaryProject(files, { permissionMode: 'default', ...options });
  onTestFinished(() => made.remove());
  return made;
}

/** Runs a command as if a table had wrongly classified it as harmless, with these files among its effects. */
async function runAs(
  { engine }: TestProject,
  command: string,
  { confinement = 'reads', files = [] }: { confinement?: Confinement; files?: readonly Effect[] } = {},
): Promise<string> {
  const accepted = bashTool.accept({ command });
  if (!accepted.ok) throw new Error('the input is not accepted');
  await accepted.call.effects(engine.contextFor('call', new AbortController().signal)); // probes for a sandbox
  const effects: Effect[] = [{ kind: 'command', text: command, harmless: true }, ...files];
  const context = engine.contextFor('call', new AbortController().signal, { effects, confinement });
  const running = accepted.call.run(context);
  try {
    for (;;) {
      const { done, value } = await running.next();
      if (done) return String(value.content);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const write = (path: string): Effect => ({ kind: 'file', access: 'write', path, real: path });

confined('a read-only command cannot write, even if it was wrongly classified', async () => {
  const made = await project({ 'a.txt': 'old', '.git/config': '[core]\n' });
  const home = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  const output = await runAs(
    made,
    `echo x > a.txt; echo y > new.txt; echo z >> .git/config; rm a.txt; echo w > ${home}/out; mkdir sub; cat a.txt`,
  );
  expect(output).toContain('Read-only file system');
  expect(output).toContain('old');
  expect(await made.text('a.txt')).toBe('old');
  expect(await made.text('.git/config')).toBe('[core]\n');
  expect(existsSync(made.path('new.txt')) || existsSync(made.path('sub')) || existsSync(join(home, 'out'))).toBe(false);
  await rm(home, { recursive: true });
});

confined('a file descriptor cannot be reopened to leave the view', async () => {
  const made = await project({ 'a.txt': 'old' });
  await runAs(
    made,
    'echo PWNED 3< a.txt > /dev/fd/3; for fd in /proc/self/fd/*; do echo PWNED > "$fd"; done 2>/dev/null',
  );
  expect(await made.text('a.txt')).toBe('old');
});

confined('a confined command sees the system and the project, but not the home folder or other folders', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  await writeFile(join(elsewhere, 'note'), 'PRIVATE');
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  await writeFile(join(home, 'note'), 'PRIVATE');
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Test Person\n');
  const made = await project({ 'a.txt': 'visible' }, { home, env: { ...process.env, HOME: home } });
  const output = await runAs(
    made,
    `cat a.txt ${elsewhere}/note ${home}/note; ls -a ${home}; git config user.name; cat /etc/shadow; ls /proc | grep -c '^[0-9]'`,
  );
  expect(output).toContain('visible');
  expect(output).toContain('Test Person');
  expect(output).not.toContain('PRIVATE');
  expect(output).not.toContain('root:');
  await rm(elsewhere, { recursive: true });
  await rm(home, { recursive: true });
});

confined('a confined command can connect to no socket and no network', async () => {
  const made = await project({});
  const path = made.path('socket');
  const server = createServer((socket) => socket.end('REACHED'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const output = await runAs(
    made,
    `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("socket"); print(s.recv(9))'; echo x > /dev/tcp/127.0.0.1/1; cat /proc/net/tcp | wc -l`,
  );
  expect(output).not.toContain('REACHED');
  expect(output).toMatch(/not supported|Address family|No such file/);
});

confined('a confined command finds no API key in the environment of any process', async () => {
  const made = await project({}, { env: { ...process.env, ANTHROPIC_API_KEY: 'sk-ant-PROVIDER' } });
  const output = await runAs(made, `cat /proc/*/environ | tr '\\0' '\\n' | grep -a PROVIDER; echo done`);
  expect(output).toContain('done');
  expect(output).not.toContain('sk-ant-PROVIDER');
});

confined('a command that lists processes sees those of the host, and can neither signal nor inspect them', async () => {
  const made = await project({});
  const observing: Effect = { kind: 'command', text: 'ps', harmless: true, observes: 'processes' };
  const output = await runAs(
    made,
    `kill -0 ${process.pid} || echo refused; cat /proc/${process.pid}/environ || echo closed; cat /proc/${process.pid}/comm`,
    { files: [observing] },
  );
  expect(output).toContain('refused');
  expect(output).toContain('closed');
  expect(output).toMatch(/node|vitest/);
});

confined('files that a rule denies are hidden, even if they were replaced by rename or created later', async () => {
  const made = await project({ '.env': 'SECRET-1', 'a.txt': 'open' }, { permissions: { deny: ['Read(.env*)'] } });
  expect(await runAs(made, 'cat .env a.txt')).not.toContain('SECRET');
  await bashTool.preload?.(made.engine.session); // a shell is ready that hides the files of that moment
  await made.write('other', 'SECRET-2');
  await rename(made.path('other'), made.path('.env'));
  await made.write('.env.local', 'SECRET-3');
  const output = await runAs(made, 'cat .env .env.local a.txt');
  expect(output).toContain('open');
  expect(output).not.toContain('SECRET');
});

confined('an edit can write only the paths named in its effects', async () => {
  const made = await project({ 'a.txt': 'old', 'b.txt': 'old', 'src/c.txt': 'old', '.vscode/tasks.json': '{}' });
  const output = await runAs(
    made,
    'echo new > a.txt; echo bad > b.txt; echo bad > src/c.txt; echo bad > .vscode/tasks.json; echo bad > .mcp.json; sed -i s/new/newer/ a.txt',
    { confinement: 'edits', files: [write(made.path('a.txt'))] },
  );
  expect(output).toContain('Read-only file system');
  expect(await made.text('a.txt')).toBe('newer\n');
  expect(await made.text('b.txt')).toBe('old');
  expect(await made.text('src/c.txt')).toBe('old');
  expect(await made.text('.vscode/tasks.json')).toBe('{}');
  await made.engine.end();
  expect(existsSync(made.path('.mcp.json'))).toBe(false);
});

confined('a file that an edit creates unexpectedly is reported', async () => {
  const made = await project({});
  await runAs(made, 'echo new > a.txt; echo more > b.txt', {
    confinement: 'edits',
    files: [write(made.path('a.txt'))],
  });
  await made.engine.end();
  const reminders = made.engine.session.takeReminders().map(({ text }) => text);
  expect(reminders.join()).toContain(`${made.path('b.txt')} appeared while the command ran`);
  expect(reminders.join()).not.toContain('a.txt');
});

confined('a protected symlink does not make its target visible', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  await mkdir(join(elsewhere, 'kept'));
  await writeFile(join(elsewhere, 'kept/note'), 'PRIVATE');
  const made = await project({ 'a.txt': 'old' });
  await symlink(join(elsewhere, 'kept'), made.path('.claude'));
  await symlink(join(elsewhere, 'kept'), made.path('link'));
  const output = await runAs(made, 'cat .claude/note link/note; echo new > a.txt', {
    confinement: 'edits',
    files: [write(made.path('a.txt'))],
  });
  expect(output).not.toContain('PRIVATE');
  expect(await made.text('a.txt')).toBe('new\n');
  await rm(elsewhere, { recursive: true });
});

confined('a command that fails because it was confined says so, and needs a question the next time', async () => {
  const asked: string[] = [];
  const made = await project(
    {},
    {
      askPermission: async ({ reason }) => {
        asked.push(reason);
        return { behavior: 'allow' };
      },
    },
  );
  const command = 'cd . && mkdir made'; // judged below as if it were harmless
  const output = await runAs(made, command);
  expect(output).toContain('It ran read-only and without network');
  const { isError } = await made.run(bashTool, { command });
  expect(isError).toBe(false);
  expect(asked.join()).toMatch(/runs the command|read-only/);
  expect(existsSync(made.path('made'))).toBe(true);
});

confined('a confined command changes the working directory only if its effects say so', async () => {
  const made = await project({ 'src/a.txt': '' });
  await runAs(made, 'cd src');
  expect(made.engine.session.cwd).toBe(made.root);
  const { content } = await made.run(bashTool, { command: 'cd src' });
  expect(String(content)).toContain('The working directory is now');
});

confined('concurrent read-only commands return separate results', async () => {
  const made = await project(
    Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, `text ${index}`])),
  );
  const runs = Array.from({ length: 10 }, (_, index) => made.run(bashTool, { command: `cat f${index}` }));
  const contents = (await Promise.all(runs)).map(({ content }) => content);
  expect(contents).toEqual(Array.from({ length: 10 }, (_, index) => `text ${index}`));
});

confined('files that rules deny are also hidden from a first command that sees more paths than others', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await writeFile(join(elsewhere, 'note'), 'open');
  const made = await project({ '.env': 'SECRET' }, { permissions: { deny: ['Read(.env)'] } });
  const note = join(elsewhere, 'note');
  const output = await runAs(made, `cat .env ${note}`, {
    files: [{ kind: 'file', access: 'read', path: note, real: note }],
  });
  expect(output).toContain('open');
  expect(output).not.toContain('SECRET');
});

confined('an edit runs once, even if it creates a file that rules hide', async () => {
  const made = await project({ 'a.txt': '' }, { permissions: { deny: ['Read(.env*)'] } });
  await runAs(made, 'echo x >> a.txt; echo y > .env.new', {
    confinement: 'edits',
    files: [write(made.path('a.txt')), write(made.path('.env.new'))],
  });
  expect(await made.text('a.txt')).toBe('x\n');
});

confined('git sees the repository of a subfolder, a worktree and a shared clone', async () => {
  const made = await project({ 'repo/a.txt': 'one', 'repo/src/b.txt': 'two' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.invalid', ...args], { cwd: made.path('repo') });
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'first'],
    ['worktree', 'add', '-q', '../tree'],
    ['clone', '-qs', '.', '../clone'],
  ]) {
    git(...args);
  }
  for (const folder of ['repo/src', 'tree', 'clone']) {
    const inside = createEngine({ root: made.path(folder), dataFolder: made.path(`data-${folder.replace('/', '-')}`) });
    onTestFinished(() => inside.end());
    const [result] = await inside.callTools([
      {
        id: 'one',
        name: 'Bash',
        input: { command: 'git status --short; git log --oneline | wc -l; git worktree list' },
      },
    ]);
    expect(String(result?.content), folder).toMatch(/^1\n/);
    expect(String(result?.content), folder).not.toContain('prunable');
  }
});

confined('a note lists the files hidden from git, since git may report them as changed', async () => {
  const made = await project({ '.env': 'SECRET' }, { permissions: { deny: ['Read(.env)'] } });
  execFileSync('git', ['init', '-q'], { cwd: made.root });
  const { content } = await made.run(bashTool, { command: 'git status --short' });
  expect(String(content)).toContain(
    `git may report them as changed or deleted although they are not: ${made.path('.env')}`,
  );
});

confined('a directory forged on the control channel is ignored', async () => {
  const made = await project({ 'src/a.txt': '' });
  const moves: Effect = { kind: 'session', access: 'write', what: 'cwd' };
  await runAs(made, "cd src; printf '/etc\\n\\0' >&99; kill -9 $$", { files: [moves] });
  expect(made.engine.session.cwd).not.toBe('/etc');
});

confined(
  'a protected symlink that an edit replaces is restored, and a protected file that it creates is moved aside',
  async () => {
    const made = await project({ 'config/mcp.json': '{}', 'a.txt': '' });
    await symlink('config/mcp.json', made.path('.mcp.json'));
    await runAs(made, 'rm .mcp.json; echo evil > .mcp.json; echo evil > .envrc; echo x > a.txt', {
      confinement: 'edits',
      files: [write(made.path('a.txt'))],
    });
    await made.engine.end();
    expect(await readlink(made.path('.mcp.json'))).toBe('config/mcp.json');
    expect(await made.text('config/mcp.json')).toBe('{}');
    expect(existsSync(made.path('.envrc'))).toBe(false);
  },
);

confined('a confined command cannot use datagram sockets', async () => {
  const made = await project({});
  const output = await runAs(
    made,
    `python3 -c 'import socket; a,b=socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print("PAIR")'; python3 -c 'import socket; socket.socketpair(); print("STREAMS")'`,
  );
  expect(output).not.toContain('PAIR');
  expect(output).toContain('STREAMS');
});

confined('a command that lists processes can change neither their limits nor the owner of a signal', async () => {
  const made = await project({});
  const observing: Effect = { kind: 'command', text: 'ps', harmless: true, observes: 'processes' };
  const code = [
    'import resource, fcntl, os',
    'r, w = os.pipe()',
    `for name, act in [("LIMIT", lambda: resource.prlimit(${process.pid}, resource.RLIMIT_NOFILE, (999, 999))), ("OWNER", lambda: fcntl.fcntl(r, fcntl.F_SETOWN, ${process.pid})), ("NICE", lambda: os.setpriority(os.PRIO_PROCESS, ${process.pid}, 5))]:`,
    '  try:',
    '    act(); print("DID", name)',
    '  except OSError as e:',
    '    print("refused", name)',
  ].join('\n');
  const output = await runAs(made, `python3 - <<'E'\n${code}\nE`, { files: [observing] });
  expect(output).toContain('refused LIMIT');
  expect(output).not.toContain('DID');
});
