import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listChanges } from '../../platform/journal/journal.js';
import { chooseSandbox } from '../../platform/sandbox/choose.js';
import { temporaryProject } from '../../testing/index.js';
import { bashTool } from './bash.js';

const sandbox = await chooseSandbox({ env: process.env, workspace: [] });
const sandboxed = test.skipIf(sandbox.kind === 'none');
const wish = { network: 'off', allowWrite: [], denyWrite: [], denyRead: [], failIfUnavailable: true } as const;

sandboxed('a sandboxed command can write only the project and a temporary folder of its own', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  await writeFile(join(outside, 'kept'), 'as it was');
  const project = await temporaryProject({ 'a.txt': 'old' }, { sandbox: wish });
  const { content } = await project.run(bashTool, {
    command: `echo new > a.txt; echo x > /tmp/here && cat /tmp/here; eval "$(printf 'echo lost > %s' ${outside}/kept)"; pwd`,
  });
  expect(String(content)).toContain(project.root);
  expect(await project.text('a.txt')).toBe('new\n');
  expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('as it was');
  await project.remove();
});

sandboxed('a path that was approved for writing is writable', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  const project = await temporaryProject({}, { sandbox: wish });
  expect(await project.run(bashTool, { command: `echo yes > ${outside}/file` })).toMatchObject({ isError: false });
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('yes\n');
  await project.remove();
});

sandboxed('files that programs outside execute are protected in added folders as in the project', async () => {
  const added = await realpath(await mkdtemp(join(tmpdir(), 'helve-added-')));
  await mkdir(join(added, '.git/hooks'), { recursive: true });
  const project = await temporaryProject({}, { sandbox: wish, additionalDirectories: [added] });
  for (const name of ['.git/hooks/post-checkout', '.git/config', '.helve/settings.json', '.vscode/tasks.json']) {
    await project.run(bashTool, {
      command: `eval "$(printf 'mkdir -p %s; echo x > %s' ${added}/.helve ${added}/${name})"`,
    });
    // A placeholder that exists while a command runs may not be removed yet.
    await expect(readFile(join(added, name))).rejects.toThrow(/ENOENT|EISDIR/);
  }
  expect(await project.run(bashTool, { command: `touch ${added}/other` })).toMatchObject({ isError: false });
  await project.remove();
  expect(await readdir(added)).toEqual(['.git', 'other']);
});

sandboxed('hooks and configuration of submodules stay unchanged, and git works in them', async () => {
  const project = await temporaryProject({ 'try.js': '' }, { sandbox: wish });
  const git = 'git -c protocol.file.allow=always -c user.name=x -c user.email=x@example.invalid';
  const made = await project.run(bashTool, {
    command: `git init -q ../other && ${git} -C ../other commit -q --allow-empty -m one && git init -q && ${git} submodule add -q "$PWD/../other" sub && ${git} commit -qm one`,
    dangerouslyDisableSandbox: true,
  });
  expect(made).toMatchObject({ isError: false });
  const targets = ['.git/modules/sub/config', '.git/modules/sub/hooks/post-commit', 'sub/.git'];
  await project.write(
    'try.js',
    `for (const f of ${JSON.stringify(targets)}) try { require('fs').appendFileSync(f, 'x'); console.log('wrote', f) } catch (e) { console.log(e.code) }`,
  );
  expect((await project.run(bashTool, { command: 'node try.js' })).content).toBe('EROFS\nEROFS\nEROFS');
  const committed = await project.run(bashTool, {
    command: `cd sub && echo x > x && git add x && ${git} commit -qm two && git log --oneline | wc -l`,
  });
  expect(String(committed.content)).toMatch(/^2\b/);
  await project.remove();
});

sandboxed('placeholders of the sandbox do not count as changes of the command', async () => {
  const project = await temporaryProject({ a: 'one' }, { sandbox: wish });
  await project.run(bashTool, { command: 'sleep 1000', run_in_background: true });
  await project.run(bashTool, { command: 'sed -i s/one/two/ a' });
  await project.run(bashTool, { command: 'sed -i s/two/three/ a' });
  const { dataFolder, id } = project.engine.session;
  const changes = await listChanges(dataFolder, id);
  expect(changes.map(({ files }) => files.map(({ real }) => real))).toEqual([[project.path('a')], [project.path('a')]]);
  await project.remove();
});

sandboxed('a sandboxed command ends with all its processes, and reports its exit code and directory', async () => {
  const project = await temporaryProject({ 'sub/a.txt': '' }, { sandbox: wish });
  expect(String((await project.run(bashTool, { command: 'cd sub; exit 3' })).content)).toMatch(/^Exit code 3/);
  expect((await project.run(bashTool, { command: 'pwd' })).content).toBe(project.path('sub'));
  await project.remove();
});

sandboxed('dangerouslyDisableSandbox runs a command outside the sandbox', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  const project = await temporaryProject({}, { sandbox: wish });
  await project.run(bashTool, { command: `cd ${outside}; echo out > file`, dangerouslyDisableSandbox: true });
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('out\n');
  await project.remove();
});

test('nothing runs if the sandbox is required and does not work', async () => {
  const project = await temporaryProject({}, { sandbox: wish, env: { ...process.env, PATH: '/nowhere' } });
  const { content, isError } = await project.run(bashTool, { command: 'echo ran' });
  expect(isError).toBe(true);
  expect(content).toMatch(/settings demand a sandbox, and there is none/);
  await project.remove();
});

/** Prints for each file its content, or why it can't be read. If a command named them, some would not even be tried. */
const probe = (names: readonly string[]) =>
  `for (const f of ${JSON.stringify(names)}) try { console.log(require('fs').readFileSync(f) + '') } catch (e) { console.log(e.code) }`;

sandboxed(
  'files that a rule denies are hidden from commands, even if they were created after the last one',
  async () => {
    const project = await temporaryProject(
      {
        ...{ '.env': 'SECRET', 'a/b/.env.local': 'SECRET', 'secrets/x/key': 'SECRET', 'a.txt': 'shown' },
        'probe.js': probe(['.env', 'a/b/.env.local', 'secrets/x/key', 'a.txt', 'c/.env']),
      },
      { sandbox: wish, permissions: { deny: ['Read(**/.env*)', 'Read(./secrets/**)'] } },
    );
    const read = async () => (await project.run(bashTool, { command: 'node probe.js' })).content;
    expect(await read()).toBe('EACCES\nEACCES\nENOENT\nshown\nENOENT');
    await project.write('c/.env', 'SECRET');
    expect(await read()).toBe('EACCES\nEACCES\nENOENT\nshown\nEACCES');
    expect(await project.text('.env')).toBe('SECRET');
    await project.remove();
  },
);

sandboxed('a prestarted shell is used once, with the policy of its command', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  const project = await temporaryProject(
    {
      ...{ 'a.txt': 'a', 'probe.js': probe(['.env', 'a.txt']) },
      'write.js': `try { require('fs').writeFileSync('${outside}/file', 'no') } catch (e) { console.log(e.code) }`,
    },
    { sandbox: wish, permissions: { deny: ['Read(**/.env*)'] } },
  );
  const run = async (command: string) => {
    await bashTool.preload?.(project.engine.session);
    return String((await project.run(bashTool, { command })).content);
  };
  expect(await run(`(setsid sleep 1000 >/dev/null 2>&1 &); echo yes > ${outside}/file; echo begun`)).toBe('begun');
  await bashTool.preload?.(project.engine.session);
  await project.write('.env', 'SECRET'); // after the start of the shell, before its command
  expect(await run('node probe.js; pgrep sleep | wc -l')).toBe('EACCES\na\n0');
  await run('node write.js'); // the first was approved to write there; this one writes in its own /tmp
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('yes\n');
  await project.engine.end();
  expect(await readdir(project.root)).toEqual(['.env', 'a.txt', 'probe.js', 'write.js']);
  await project.remove();
});

sandboxed('a listed host is reached through the proxy, and a refused one is reported to the model', async () => {
  const server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const network = { allowed: [`localhost:${port}`], denied: [] };
  const project = await temporaryProject({}, { sandbox: { ...wish, network } });
  const get = (url: string) =>
    `node -e 'const u = new URL(process.env.http_proxy); require("http").get({host: u.hostname, port: u.port, path: "${url}"}, (r) => r.pipe(process.stdout))'`;
  for (const isReady of [false, true]) {
    if (isReady) await bashTool.preload?.(project.engine.session);
    const { content } = await project.run(bashTool, {
      command: `echo "$NO_PROXY"; ${get(`http://localhost:${port}/`)}`,
    });
    expect(content).toBe('127.0.0.1,::1\nreached');
  }
  await project.run(bashTool, { command: get('http://example.org/') });
  expect(JSON.stringify(project.engine.session.takeReminders())).toContain(
    `The sandbox refused a connection to example.org:80. Allowed are: localhost:${port}.`,
  );
  await project.remove();
  server.close();
});

sandboxed('excluded commands run outside, if nothing else is in the call', async () => {
  const project = await temporaryProject({}, { sandbox: { ...wish, excluded: ['readlink', 'uname -s:*'] } });
  const host = await readlink('/proc/self/ns/pid');
  const isOutside = async (command: string) =>
    String((await project.run(bashTool, { command })).content).includes(host);
  expect(await isOutside('readlink /proc/self/ns/pid')).toBe(true);
  expect(await isOutside('readlink /proc/self/ns/pid | uname -s; readlink /proc/self/ns/pid')).toBe(true);
  for (const command of [
    'cat /dev/null; readlink /proc/self/ns/pid',
    'readlink /proc/self/ns/pid | uname -a; readlink /proc/self/ns/pid',
    'X=1 readlink /proc/self/ns/pid',
    'env readlink /proc/self/ns/pid',
    'cd /; readlink /proc/self/ns/pid',
    'readlink /proc/self/ns/pid > a; readlink /proc/self/ns/pid',
    'readlink $(echo /proc/self/ns/pid)',
  ])
    expect([command, await isOutside(command)]).toEqual([command, false]);
  await project.remove();
});

sandboxed('a command that asks to run outside is refused if settings forbid it', async () => {
  const project = await temporaryProject({}, { sandbox: { ...wish, allowUnsandboxed: false } });
  const { content, isError } = await project.run(bashTool, { command: 'echo ran', dangerouslyDisableSandbox: true });
  expect(isError).toBe(true);
  expect(content).toMatch(/settings keep all commands in the sandbox/);
  await project.remove();
});

sandboxed('paths of allowRead are visible, except for those that a rule denies', async () => {
  const folder = await mkdtemp(join(homedir(), '.helve-shown-'));
  await writeFile(join(folder, 'open'), 'open');
  await writeFile(join(folder, 'closed'), 'closed');
  const project = await temporaryProject(
    {},
    {
      sandbox: { ...wish, denyRead: [folder], allowRead: [join(folder, 'open'), join(folder, 'closed')] },
      permissions: { deny: [`Read(/${folder}/closed)`] },
    },
  );
  const read = `node -e 'for (const f of ["open", "closed"]) try { console.log(fs.readFileSync("${folder}/" + f) + "") } catch (e) { console.log(e.code) }'`;
  expect((await project.run(bashTool, { command: read })).content).toBe('open\nENOENT');
  await project.remove();
  await rm(folder, { recursive: true });
});

sandboxed.each([
  ['touch /usr/zz', 'Read-only file system'],
  ['curl -sS --max-time 5 http://example.invalid/', 'resolve host'],
])('a failure of %s mentions the sandbox, and what to do', async (command, said) => {
  const project = await temporaryProject({}, { sandbox: wish });
  const run = async () =>
    String((await project.run(bashTool, { command: `eval "$(printf '%s' '${command}')"` })).content);
  const output = await run();
  expect(output).toContain(said);
  expect(output).toContain(
    'It ran in the sandbox that the settings turn on: without network, and it could write only in the project and its temp folder. If that is why it failed, send it again with dangerouslyDisableSandbox: true, which the user is asked about, or ask the user to open',
  );
  await project.remove();
});
