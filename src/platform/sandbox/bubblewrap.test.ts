import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { chooseSandbox } from './choose.js';
import { createHostProxy } from './host-proxy.js';
import type { PreparedCommand, SandboxPolicy, WrappedCommand } from './sandbox.js';
import { protectedPaths } from './sensitive-paths.js';

const NOBODY = 65534;
const sandbox = await chooseSandbox({ env: process.env, workspace: [] });
const isRoot = process.getuid?.() === 0;
const users = isRoot ? [{ user: 'root' }, { user: 'an ordinary user', id: NOBODY }] : [{ user: 'an ordinary user' }];

if (sandbox.kind !== 'bubblewrap') test.skip(`bubblewrap does not run here: ${sandbox.why}`, () => undefined);

// Only the sandbox's rules hide it: the folder for temporary files is private inside.
const place = /^\/tmp(?:\/|$)/.test(homedir()) ? '/opt' : dirname(homedir());
const visible =
  sandbox.kind === 'bubblewrap' ? await mkdtemp(join(place, 'helve-visible-')).catch(() => undefined) : undefined;
afterAll(async () => {
  if (visible !== undefined) await rm(visible, { recursive: true });
});

describe.skipIf(sandbox.kind !== 'bubblewrap').each(users)('as $user', ({ id }) => {
  async function project(files: Record<string, string> = {}) {
    // Another user can't enter the private folder of the tests.
    const folder = await mkdtemp(join(id === undefined ? tmpdir() : '/tmp', 'helve-sandbox-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [root, temp, outside] = [join(folder, 'project'), join(folder, 'temp'), join(folder, 'outside')];
    for (const path of [root, temp, outside]) await mkdir(path);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    const give = async (): Promise<void> => {
      if (id === undefined) return;
      for (const name of ['', ...(await readdir(folder, { recursive: true }))])
        await chown(join(folder, name), id, id).catch(() => undefined);
    };
    await give();
    const policy: SandboxPolicy = {
      workspace: [root],
      writable: [],
      hidden: [],
      readOnly: protectedPaths([root], '/home/nobody'),
      network: 'off',
      temp,
      home: '/home/nobody',
    };
    const start = async (command: string, changes: Partial<SandboxPolicy> = {}) => {
      const env = {
        PATH: process.env['PATH'],
        HOME: root,
        GIT_CONFIG_GLOBAL: '/dev/null',
        SSH_AUTH_SOCK: '/run/agent',
      };
      const plain = { program: 'bash', args: ['-c', command], cwd: root, env, freeDescriptor: 3 };
      const wrapped = await sandbox.wrap(plain, { ...policy, ...changes });
      return { wrapped, child: startWrapped(wrapped) };
    };
    const run = async (command: string, changes: Partial<SandboxPolicy> = {}) => {
      const { wrapped, child } = await start(command, changes);
      const output = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')));
      const [code] = await once(child, 'exit');
      const findings = await wrapped.ended();
      return { code, output: (await output).join(''), findings };
    };
    return { folder, root, temp, outside, policy, start, run, give };
  }

  function startWrapped({
    program,
    args,
    cwd,
    env,
    descriptors,
    started,
  }: WrappedCommand | PreparedCommand): ChildProcess {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
      ...(id !== undefined && { uid: id, gid: id }),
    });
    started();
    return child;
  }

  test('a command can change its workspace and its temporary files', async () => {
    const { root, temp, run } = await project();
    const { code } = await run(
      'echo a > a.txt; echo b > /tmp/b.txt; echo c > "$TMPDIR/c.txt"; echo d > "$(mktemp /var/tmp/d-XXX)"',
    );
    expect(code).toBe(0);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('a\n');
    expect(await readFile(join(temp, 'b.txt'), 'utf8')).toBe('b\n');
    expect(await readFile(join(temp, 'c.txt'), 'utf8')).toBe('c\n');
  });

  test('git works: status, add, commit', async () => {
    const { run, root, give } = await project({ 'a.txt': 'a\n' });
    await initRepository(root);
    await give();
    const name = '-c user.name=n -c user.email=e@example.com';
    const { code, output } = await run(
      `git status --short && git add -A && git ${name} commit -qm one && git status --short && git ls-files`,
    );
    expect({ code, output }).toEqual({ code: 0, output: '?? a.txt\na.txt\n' });
  });

  test.each([
    [
      'node',
      `node -e 'require("fs").writeFileSync("x", "1"); console.log(require("child_process").execFileSync("echo", ["hi"]).toString().trim())'`,
      'hi\n',
    ],
    [
      'a server and its client on the same machine',
      `node -e 'const s=require("http").createServer((q,r)=>r.end("answer")).listen(0,"127.0.0.1",async()=>{console.log(await (await fetch("http://127.0.0.1:"+s.address().port)).text());process.exit()})'`,
      'answer\n',
    ],
    [
      'its own socket file',
      `node -e 'const s=require("net").createServer((c)=>c.end("own")).listen(process.env.TMPDIR+"/s",()=>require("net").connect(process.env.TMPDIR+"/s").on("data",(d)=>{console.log(d+"");process.exit()}))'`,
      'own\n',
    ],
    ['threads and workers', `node -e 'new (require("worker_threads").Worker)("console.log(1)",{eval:true})'`, '1\n'],
    ['perl', `perl -e 'print "perl\\n"'`, 'perl\n'],
    ['pipes and substitutions', `cat <(echo a) | tr a b`, 'b\n'],
  ])('%s works', async (_name, command, expected) => {
    const { run } = await project();
    expect(await run(command)).toEqual({ code: 0, output: expected, findings: [] });
  });

  test('npm and python work if they are installed', async () => {
    const { run } = await project();
    const { code, output } = await run(
      'command -v npm >/dev/null && { npm --version >/dev/null || exit 3; }; [ ! -x /usr/bin/python3 ] || /usr/bin/python3 -c "import subprocess, tempfile, multiprocessing; subprocess.run([\'true\'], check=True); tempfile.mkdtemp(); multiprocessing.Lock()" || exit 4; exit 0',
    );
    expect({ code, output }).toEqual({ code: 0, output: '' });
  });

  test('exit codes are passed on, and signals as 128 plus their number', async () => {
    const { run } = await project();
    expect((await run('exit 42')).code).toBe(42);
    expect((await run('kill -TERM $$')).code).toBe(143);
    expect((await run('kill -KILL $$')).code).toBe(137);
  });

  test('SIGTERM reaches the command', async () => {
    const { start } = await project();
    const { wrapped, child } = await start('trap "echo tidied; exit 7" TERM; echo ready; sleep 1000 & wait');
    const lines: string[] = [];
    child.stdout?.on('data', (bytes: Buffer) => {
      lines.push(bytes.toString());
      const group = child.pid === undefined ? undefined : wrapped.group(child.pid);
      if (lines.length === 1 && group !== undefined) process.kill(-group, 'SIGTERM');
    });
    const [code] = await once(child, 'close');
    await wrapped.ended();
    expect({ code, lines }).toEqual({ code: 7, lines: ['ready\n', 'tidied\n'] });
  });

  test('nothing outside can be written, by its path or through a symlink', async () => {
    const { folder, root, outside, run } = await project();
    await symlink('/etc', join(root, 'link'));
    const { output } = await run(
      `for f in /etc/x /usr/x /x /var/x /home/x ${visible ?? '/etc'}/x link/x; do echo 1 > $f; done; echo 1 > ${outside}/x; ls ${folder}`,
    );
    expect(output.match(/Read-only file system|Permission denied/g)?.length).toBe(7);
    expect(output).toContain('project\ntemp\n');
    expect(await readdir(outside)).toEqual([]);
  });

  test('a symlink that a command leaves in its temporary folder does not lead the next sandbox outside', async () => {
    const { root, temp, outside, run } = await project({ 'a.txt': 'a' });
    const [first = ''] = relative('/tmp', root).split('/');
    await run(`mv /tmp/${first} /tmp/away; ln -s /oldroot${outside} /tmp/${first}; true`);
    expect(await readlink(join(temp, first))).toBe(`/oldroot${outside}`);
    expect(await run('cat a.txt')).toEqual({ code: 0, output: 'a', findings: [] });
    expect(await readdir(outside)).toEqual([]);
  });

  // An ordinary user can't create such a folder.
  test.runIf(visible !== undefined)(
    'approved paths can be written, including new files, and nothing next to them',
    async () => {
      const place = await mkdtemp(join(visible ?? '', 'approved-'));
      await mkdir(join(place, 'open'));
      for (const path of [visible ?? place, place, join(place, 'open')]) await chmod(path, 0o777);
      const { run } = await project();
      const { output } = await run(`echo 1 > ${place}/open/new.txt; echo 1 > ${place}/beside.txt`, {
        writable: [join(place, 'open/new.txt')],
      });
      expect(output).toMatch(/beside.txt: Read-only file system/);
      expect(await readFile(join(place, 'open/new.txt'), 'utf8')).toBe('1\n');
    },
  );

  test('a hidden key and a hidden folder cannot be read, by name, link or /proc', async () => {
    const { root, run } = await project({ 'keys/id': 'SECRET', '.netrc': 'SECRET', 'sub/a': '1' });
    await symlink('keys/id', join(root, 'innocent'));
    const { output, code } = await run(
      'cat keys/id .netrc innocent; ls -A keys; cat /proc/*/root/proc/1/environ; mv keys k2; rm -rf keys .netrc; echo > keys/new; exit 9',
      {
        hidden: [join(root, 'keys'), join(root, '.netrc')],
      },
    );
    expect(code).toBe(9);
    expect(output).not.toContain('SECRET');
    expect(await readFile(join(root, 'keys/id'), 'utf8')).toBe('SECRET');
    expect(await readFile(join(root, '.netrc'), 'utf8')).toBe('SECRET');
  });

  test('a denied file cannot be read by its name, a link, another root, or after approval of a write', async () => {
    const { root, run } = await project({
      '.env': 'SECRET',
      'a/b/.env.local': 'SECRET',
      'keys/id': 'SECRET',
      'a/c': '1',
    });
    await symlink('.env', join(root, 'innocent'));
    const unreadable = ['.env', 'a/b/.env.local', 'keys'].map((name) => join(root, name));
    const { output } = await run(
      `cat .env a/b/.env.local keys/id innocent; cat /proc/self/root${root}/.env /proc/1/root${root}/.env /proc/$$/cwd/.env; cp .env copy; ln .env hard; cat hard; mv .env moved; mv a/b c; mv a d; rm -rf a; ln -f a/c .env; exec 5<>.env; cat c/.env.local d/b/.env.local moved; ls keys; echo new > keys/new; echo end`,
      { unreadable, writable: [join(root, '.env'), join(root, 'keys/id')] },
    );
    expect(output).not.toContain('SECRET');
    expect(output).toMatch(/^end\n/);
    for (const path of [join(root, '.env'), join(root, 'a/b/.env.local'), join(root, 'keys/id')])
      expect(await readFile(path, 'utf8')).toBe('SECRET');
    expect(await readdir(join(root, 'keys'))).toEqual(['id']);
  });

  test('a denied file can be read by an existing hard link, a known limitation', async () => {
    const { root, run } = await project({ '.env': 'SECRET' });
    await link(join(root, '.env'), join(root, 'other'));
    const { output } = await run('cat other; cat .env', { unreadable: [join(root, '.env')] });
    expect(output).toMatch(/^SECRETcat: .env: Permission denied/);
  });

  test('a part of a hidden folder can be shown', async () => {
    const { root, run } = await project({ 'data/results/a': 'RESULT', 'data/trust': 'SECRET' });
    const { output } = await run('cat data/results/a; cat data/trust; echo > data/results/a', {
      hidden: [join(root, 'data')],
      readOnly: [join(root, 'data/results')],
    });
    expect(output).toContain('RESULT');
    expect(output).not.toContain('SECRET');
    expect(await readFile(join(root, 'data/results/a'), 'utf8')).toBe('RESULT');
  });

  test('protected files stay unchanged, also if the folders above are moved', async () => {
    const files = {
      '.git/hooks/pre-commit': 'old',
      '.git/config': 'old',
      '.claude/settings.json': 'old',
      '.mcp.json': 'old',
    };
    const { root, run } = await project(files);
    await run(
      `for f in ${Object.keys(files).join(' ')}; do echo new > $f; rm -f $f; mv $f $f.away; ln -f /etc/hostname $f; cp /etc/hostname $f; done; rm -rf .git .claude; mv .git moved; mv .claude moved; mkdir -p .git/hooks; echo new > .git/hooks/pre-commit; umount .claude; mount -o remount,rw .claude; echo new > .claude/settings.json`,
    );
    for (const [name, content] of Object.entries(files))
      expect([name, await readFile(join(root, name), 'utf8')]).toEqual([name, content]);
    expect(await readdir(join(root, '.git/hooks'))).toEqual(['pre-commit']);
    expect(await readdir(join(root, '.claude'))).toEqual(['settings.json']);
  });

  test('missing protected files cannot be created, and no placeholder is left', async () => {
    const { root, run } = await project({ 'a.txt': 'a' });
    const { findings } = await run(
      'for f in .claude/settings.json .helve/settings.json .vscode/tasks.json .git/hooks/pre-commit; do mkdir -p $(dirname $f); rmdir $(dirname $f); mkdir -p $(dirname $f); echo new > $f; done; echo new > .mcp.json; rm -rf .mcp.json; mv .claude c; echo new > .mcp.json',
    );
    expect(await readdir(root)).toEqual(['a.txt']);
    expect(findings).toEqual([]);
  });

  test('a process that outlives the command cannot create a protected file', async () => {
    const { root, run } = await project();
    await run(
      '(setsid bash -c "while :; do mkdir .claude; echo > .claude/settings.json; done" >/dev/null 2>&1 &); echo started',
    );
    expect(await readdir(root)).toEqual([]);
  });

  test('two concurrent commands share the placeholder of a missing name', async () => {
    const { root, start, run } = await project();
    const long = await start('sleep 1000');
    await run('true');
    expect(await readdir(root)).toContain('.claude');
    const { code } = await run('echo 1 > .claude/x');
    expect(code).toBe(1);
    long.child.kill('SIGKILL');
    await once(long.child, 'exit');
    await long.wrapped.ended();
    expect(await readdir(root)).toEqual([]);
  });

  test('a protected symlink keeps its target, and a replacement is moved aside', async () => {
    const { root, run } = await project({ 'shared/settings.json': 'old' });
    await symlink('shared', join(root, '.claude'));
    const { findings } = await run(
      'echo new > .claude/settings.json; rm .claude; mkdir .claude; echo new > .claude/settings.json',
    );
    expect(await readlink(join(root, '.claude'))).toBe('shared');
    expect(await readFile(join(root, '.claude/settings.json'), 'utf8')).toBe('old');
    expect(findings.join(' ')).toMatch(/was changed while the command ran.*renamed to/);
  });

  test('a file that would redirect git to other hooks cannot be created, and git works with its placeholder', async () => {
    const { root, run, give } = await project();
    await initRepository(root);
    await give();
    const { output, findings } = await run(
      'for f in commondir config.worktree; do echo ../evil > .git/$f; rm -f .git/$f; done; mv .git g; git status --short',
    );
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
    expect(output).not.toContain('fatal');
    expect(findings).toEqual([]);
    expect((await readdir(join(root, '.git'))).filter((name) => /^(?:commondir|config\.)/.test(name))).toEqual([]);
  });

  test('no network can be reached: neither an address, nor a name, nor a server on this machine', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { run } = await project();
    const connect = `exec 5<>/dev/tcp/127.0.0.1/${port} && cat <&5`;
    expect((await run(`${connect}; exec 6<>/dev/tcp/192.0.2.1/80`)).output).toMatch(/refused[\s\S]*unreachable/);
    expect((await run(connect, { network: 'on' })).output).toBe('reached');
  });

  describe('with a list of hosts', () => {
    /** A server that is allowed, one that is not, and the proxy. */
    async function withProxy() {
      const servers = await Promise.all(
        ['allowed', 'other'].map(async (answer) => {
          const server = createHttpServer((_, response) => response.end(`${answer} was reached\n`)).listen(
            0,
            '127.0.0.1',
          );
          await once(server, 'listening');
          onTestFinished(() => void server.close());
          const address = server.address();
          return typeof address === 'object' ? address?.port : undefined;
        }),
      );
      const { folder, ...rest } = await project({ 'a.txt': 'a' });
      const place = join(folder, 'proxy/socket');
      await mkdir(dirname(place), { mode: 0o755 });
      const refused: string[] = [];
      const hosts = { allowed: [`localhost:${servers[0]}`], denied: [] };
      const proxy = await createHostProxy({ hosts: () => hosts, onRefused: (sentence) => refused.push(sentence) });
      await proxy.listen(place);
      onTestFinished(() => proxy.close());
      await chmod(place, 0o777);
      return { ...rest, place, servers, refused, network: { address: place, direct: ['127.0.0.1'] } };
    }

    const through = (port: unknown) =>
      `(exec 5<>/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:}; printf 'GET http://localhost:${port}/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&5; cat <&5)`;

    test('an allowed host can be reached, and every other is refused and reported', async () => {
      const { run, servers, refused, network } = await withProxy();
      const { code, output } = await run(`${through(servers[0])}; ${through(servers[1])}; echo $http_proxy $NO_PROXY`, {
        network,
      });
      expect(code).toBe(0);
      expect(output).toContain('allowed was reached\n');
      expect(output).not.toContain('other was reached');
      expect(output).toMatch(/403 Forbidden[\s\S]*http:\/\/127\.0\.0\.1:\d+ 127\.0\.0\.1\n$/);
      expect(refused).toEqual([
        `The sandbox refused a connection to localhost:${servers[1]}. Allowed are: localhost:${servers[0]}.`,
      ]);
    });

    test('nothing can be reached without the proxy: no address, no server of this machine, no abstract socket', async () => {
      const { run, servers, network } = await withProxy();
      const abstract = createServer((socket) => socket.end('reached')).listen('\0helve-hosts-test');
      await once(abstract, 'listening');
      onTestFinished(() => void abstract.close());
      const { output } = await run(
        `for p in ${servers.join(' ')}; do (exec 5<>/dev/tcp/127.0.0.1/$p && echo reached); done; (exec 6<>/dev/tcp/192.0.2.1/80 && echo reached); node -e 'require("net").connect("\\0helve-hosts-test").on("data",(d)=>console.log(d+"")).on("error",(e)=>console.log(e.code))'`,
        { network },
      );
      expect(output).not.toContain('reached');
      expect(output.match(/refused|unreachable|ECONNREFUSED/g)?.length).toBeGreaterThanOrEqual(4);
    });

    test('the socket of the proxy can be neither replaced nor removed, and connects to nothing else', async () => {
      const { run, servers, place, network } = await withProxy();
      const { output } = await run(
        `rm -f ${place}; mv ${dirname(place)} /tmp/away; echo > ${dirname(place)}/x; ls -A ${dirname(place)}; ${through(servers[0])}`,
        { network },
      );
      expect(output).toMatch(/^socket\nHTTP\/1.1 200 OK/);
      expect(await readdir(dirname(place))).toEqual(['socket']);
    });

    test('the forwarder delays neither the command nor its output, and ends with it', async () => {
      const { run, servers, root, place, network } = await withProxy();
      const descriptors = 'ls /proc/self/fd';
      const { code, output } = await run(`${descriptors}; ${through(servers[0])} >/dev/null; wait; jobs -p; exit 5`, {
        network,
      });
      expect({ code, output }).toEqual({ code: 5, output: '0\n1\n2\n3\n' });
      expect(await runningWith(place)).toEqual([]);
      expect(await readdir(root)).toEqual(['a.txt']);
    });
  });

  test('a prestarted sandbox waits for its policy, and then confines like any other', async () => {
    const { root, policy } = await project({ '.env': 'SECRET', 'a.txt': 'a' });
    const env = { PATH: process.env['PATH'], HOME: root };
    const plain = {
      program: 'bash',
      args: ['-c', 'cat a.txt .env; echo x > /etc/x; ls -A'],
      cwd: root,
      env,
      freeDescriptor: 3,
    };
    const prepared = sandbox.prepare?.(plain, policy);
    if (!prepared) throw new Error('bubblewrap can be prepared');
    const child = startWrapped(prepared);
    const output = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')));
    expect(await readdir(root)).toEqual(['.env', 'a.txt']); // nothing is created in the project before it is used
    const tell = child.stdio[3 + prepared.descriptors.indexOf('pipe')];
    if (!(tell instanceof Socket)) throw new Error('expected a pipe for the policy');
    prepared.applyPolicy({ ...policy, unreadable: [join(root, '.env')] }, (walls) => void tell.end(walls));
    await once(child, 'exit');
    const said = (await output).join('');
    expect(said).toMatch(/^a[\s\S]*\.claude\n[\s\S]*\.env: Permission denied[\s\S]*\/etc\/x: (Read-only|Permission)/);
    expect(said).not.toContain('SECRET');
    expect(await prepared.ended()).toEqual([]);
    expect(await readdir(root)).toEqual(['.env', 'a.txt']);
  });

  test('a prestarted sandbox that never gets a policy runs nothing', async () => {
    const { root, policy } = await project();
    const env = { PATH: process.env['PATH'], HOME: root };
    const plain = { program: 'bash', args: ['-c', 'echo ran; touch ran'], cwd: root, env, freeDescriptor: 3 };
    const prepared = sandbox.prepare?.(plain, policy);
    if (!prepared) throw new Error('bubblewrap can be prepared');
    const child = startWrapped(prepared);
    const output = child.stdout ? text(child.stdout) : '';
    const tell = child.stdio[3 + prepared.descriptors.indexOf('pipe')];
    if (tell instanceof Socket) tell.destroy();
    const [code] = await once(child, 'exit');
    await prepared.ended();
    expect([code === 0, await output, await readdir(root)]).toEqual([false, '', []]);
  });

  test('sockets of other programs cannot be reached, by file or by name', async () => {
    const { root, run } = await project();
    for (const path of [join(root, 'agent.sock'), '\0helve-sandbox-test']) {
      const server = createServer((socket) => socket.end('reached')).listen(path);
      await once(server, 'listening');
      onTestFinished(() => void server.close());
    }
    await chmod(join(root, 'agent.sock'), 0o777);
    const connect = (path: string) =>
      `node -e 'require("net").connect("${path}").on("data",(d)=>console.log(d+"")).on("error",(e)=>console.log(e.code))'`;
    const { output } = await run(
      `${connect('agent.sock')}; ${connect('\\0helve-sandbox-test')}; echo "$SSH_AUTH_SOCK"; ls -A /run | grep -v -e current-system -e systemd`,
    );
    expect(output).toMatch(/^E\w+\nE\w+\n\n/);
    expect(output).not.toContain('reached');
  });

  test.runIf(process.arch === 'x64' || process.arch === 'arm64').each([
    ['a socket to the host of a virtual machine', `perl -e 'socket(my $s, 40, 1, 0) or die "$!\\n"'`, /not supported/],
    ['a user namespace', 'unshare -U true', /not permitted/],
    ['a mount namespace', 'unshare -m true', /not permitted/],
    ['a raw socket', `perl -e 'socket(my $s, 2, 3, 1) or die "$!\\n"'`, /not permitted/],
  ])('%s is refused', async (_name, command, refusal) => {
    const { run } = await project();
    const { code, output } = await run(command);
    expect(code).not.toBe(0);
    expect(output).toMatch(refusal);
  });

  test('processes outside can be neither seen nor signalled nor traced', async () => {
    const { run } = await project();
    const bystander = spawn('sleep', ['1000'], id === undefined ? {} : { uid: id, gid: id });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const { output } = await run(
      `kill -9 ${bystander.pid}; kill -9 -1; ls -d /proc/${bystander.pid}; perl -e 'print kill(9, ${bystander.pid}), "\\n"'`,
    );
    expect(output).toMatch(/No such process/);
    expect(bystander.signalCode).toBe(null);
    expect(await readFile(`/proc/${bystander.pid}/stat`, 'utf8')).toContain('(sleep) S');
  });

  test('background processes of a command end with it, even in a session of their own', async () => {
    const { run } = await project();
    const mark = `1000.${process.pid}${id ?? 0}`;
    await run(`setsid sleep ${mark} >/dev/null 2>&1 & (setsid sleep ${mark} >/dev/null 2>&1 &); echo done`);
    expect(await runningWith(mark)).toEqual([]);
  });

  test('everything ends when the process that started the sandbox is killed', async () => {
    const { start } = await project();
    const mark = `2000.${process.pid}${id ?? 0}`;
    const { wrapped, child } = await start(`setsid sleep ${mark} & echo ready; wait`);
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await wrapped.ended();
    expect(await runningWith(mark)).toEqual([]);
  });

  test('a command has no capabilities, can gain none, and cannot change kernel settings', async () => {
    const { run } = await project();
    const { output } = await run(
      'grep -E "CapEff|CapBnd|NoNewPrivs" /proc/self/status; f=/proc/sys/kernel/core_pattern; v=$(cat $f); echo "$v" > $f; mknod /tmp/disk b 8 0; ls /dev/*d[a-z] ; ls -l /proc/self/fd',
    );
    expect(output).toMatch(/CapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1\n/);
    expect(output).toMatch(/core_pattern: (Read-only file system|Permission denied)/);
    expect(output).toMatch(/mknod: .*not permitted/);
    expect(output).not.toContain('(deleted)'); // our own descriptors are not inherited
  });
});

async function initRepository(root: string): Promise<void> {
  await once(
    spawn('git', ['init', '-q', root], { env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' } }),
    'exit',
  );
}

async function runningWith(argument: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(argument));
}
