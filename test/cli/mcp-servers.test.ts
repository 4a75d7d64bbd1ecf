import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, type HelveRun, runHelve, shareCode } from './run-helve.js';

const helve = resolve('bin/helve.cjs');

interface Desk {
  root: string;
  home: string;
  mcp(...words: string[]): Promise<HelveRun>;
  write(name: string, content: unknown): Promise<void>;
  json(name: string): Promise<unknown>;
  /** By name, what `helve mcp list` says. */
  listed(...flags: string[]): Promise<Record<string, Record<string, unknown>>>;
}

/** A project and a home folder of one user. */
async function desk(files: Readonly<Record<string, unknown>> = {}): Promise<Desk> {
  const [root, home] = [await emptyFolder(), await emptyFolder()];
  shareCode(join(home, '.helve'));
  const mcp = (...words: string[]): Promise<HelveRun> =>
    runHelve(['mcp', ...words], { cwd: root, env: { HOME: home } });
  const write = async (name: string, content: unknown): Promise<void> => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    root,
    home,
    mcp,
    write,
    json: async (name) => JSON.parse(await readFile(name.startsWith('/') ? name : join(root, name), 'utf8')),
    async listed(...flags) {
      const { stdout } = await mcp('list', '--json', ...flags);
      const rows: Array<Record<string, unknown>> = JSON.parse(stdout);
      return Object.fromEntries(rows.map((row) => [String(row['name']), row]));
    },
  };
}

/** A reference, as files have it. */
const variable = (name: string): string => `\${${name}}`;

test('adds a command to the settings of this person for this project', async () => {
  const { mcp, json, listed } = await desk();
  const { code, stdout } = await mcp('add', 'files', '-e', 'LEVEL=a=b', '--', 'npx', '-y', 'server', '--flag');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'files was written to .helve/settings.local.json.\n' });
  expect(await json('.helve/settings.local.json')).toEqual({
    mcpServers: {
      files: { type: 'stdio', command: 'npx', args: ['-y', 'server', '--flag'], env: { LEVEL: 'a=b' } },
    },
  });
  expect(await listed()).toMatchObject({ files: { scope: 'local', state: 'trusted', problem: null } });
});

test('adds an address to the settings of the person', async () => {
  const { mcp, json, home } = await desk();
  const flags = ['--scope', 'user', '--header', 'Authorization: Bearer x:y', '-H', 'X-Other:1'];
  expect(await mcp('add', 'web', 'https://example.com/mcp', ...flags)).toMatchObject({ code: 0 });
  expect(await json(join(home, '.helve/settings.json'))).toEqual({
    mcpServers: {
      web: {
        type: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer x:y', 'X-Other': '1' },
      },
    },
  });
  expect(await mcp('add', 'old', '-t', 'sse', 'http://localhost:1/sse')).toMatchObject({ code: 0 });
  expect(await json('.helve/settings.local.json')).toMatchObject({ mcpServers: { old: { type: 'sse' } } });
});

test("adds to the project's file, whose comments and other servers stay", async () => {
  const before =
    '{\n    // what everybody has\n    "mcpServers": {\n        "a": { "command": "a" }, // first\n    },\n    "other": 1\n}\n';
  const { mcp, root, listed } = await desk({ '.mcp.json': before });
  expect(await mcp('add', 'b', '-s', 'project', '--', 'node', 'b.js')).toMatchObject({ code: 0 });
  const after = await readFile(join(root, '.mcp.json'), 'utf8');
  expect(after).toContain('// what everybody has');
  expect(after).toContain('// first');
  expect(after).toContain('        "b": {');
  expect(after).toContain('"other": 1');
  const states = Object.entries(await listed()).map(([name, { state }]) => [name, state]);
  expect(states).toEqual([
    ['a', 'untrusted'],
    ['b', 'trusted'], // the user typed it
  ]);
});

test("warns of values that a project's file would share", async () => {
  const { mcp } = await desk();
  const safe = `SAFE=${variable('SAFE')}`;
  const { stderr } = await mcp('add', 'a', '-s', 'project', '-e', 'KEY=s3cret', '-e', safe, '--', 'a');
  expect(stderr).toContain('contains the value of KEY, and everyone');
  expect(stderr).not.toContain('s3cret');
});

test('refuses an existing name, unless forced', async () => {
  const { mcp, json } = await desk();
  await mcp('add', 'a', '--', 'one');
  const { code, stderr } = await mcp('add', 'a', '--', 'two');
  expect(code).toBe(2);
  expect(stderr).toContain('There is a server "a" in .helve/settings.local.json already');
  expect(await mcp('add', 'a', '--force', '--', 'two')).toMatchObject({ code: 0 });
  expect(await json('.helve/settings.local.json')).toMatchObject({ mcpServers: { a: { command: 'two' } } });
});

test('adds an entry as it is written in files', async () => {
  const { mcp, json } = await desk();
  const entry = { type: 'http', url: 'http://127.0.0.1:1/mcp', timeout: 5000, headers: { A: variable('A') } };
  expect(await mcp('add-json', 'a', JSON.stringify(entry))).toMatchObject({ code: 0 });
  expect(await json('.helve/settings.local.json')).toEqual({ mcpServers: { a: entry } });
});

test.each<[string[], string]>([
  [['add'], 'The server has no name. Use helve mcp add NAME'],
  [['add', 'a'], 'There is no command or address for the server "a". Use helve mcp add NAME'],
  [['add', 'a b', '--', 'x'], `can't be named "a b"`],
  [['add', 'a__b', '--', 'x'], `can't be named "a__b"`],
  [['add', '_a', '--', 'x'], `can't be named "_a"`],
  [['add', '../a', '--', 'x'], `can't be named`],
  [['add', '__proto__', '--', 'x'], `can't be named`],
  [['add', 'x'.repeat(33), '--', 'x'], '1 to 32 letters'],
  [['add', 'a', 'npx', '-y', 'x'], 'write -- before the command'],
  [['add', 'a', '-e', 'NOVALUE', '--', 'x'], '-e takes KEY=VALUE'],
  [['add', 'a', '-e', '1A=x', '--', 'x'], '-e takes KEY=VALUE'],
  [['add', 'a', '--header', 'A: b', '--', 'x'], '--header is for servers with an address'],
  [['add', 'a', 'http://x', '-e', 'A=b'], '-e is for servers that are commands'],
  [['add', 'a', 'http://x', '--header', 'no colon'], '--header takes "Name: value"'],
  [['add', 'a', 'http://x', '--header', 'A: b\r\nC: d'], '--header takes "Name: value"'],
  [['add', 'a', 'http://x', 'more'], 'takes one argument, but "more" follows'],
  [['add', 'a', '-t', 'http', 'ftp://x'], 'not an http or https address'],
  [['add', 'a', '-t', 'ws', 'http://x'], '--transport takes stdio, http or sse'],
  [['add', 'a', '-s', 'everywhere', '--', 'x'], '--scope takes local, project, user'],
  [['add-json', 'a', '{'], 'not valid JSON'],
  [['add-json', 'a', '[]'], 'must be a JSON object'],
  [['add-json', 'a', '{"mcpServers": {}}'], 'without "mcpServers" around it'],
  [['add-json', 'a', '{}'], 'needs a "command" or a "url"'],
  [['add-json', 'a', '{"url": "http://x"}'], 'no "type"'],
  [['add-json', 'a', '{"command": "x", "args": "y"}'], 'must be a list of texts'],
  [['get'], 'Use helve mcp get NAME'],
  [['get', 'none'], 'There is no MCP server "none". None is configured here: add one with helve mcp add.'],
  [['remove', 'none'], 'There is no MCP server "none"'],
  [['doctor', 'none'], 'There is no MCP server "none"'],
  [['list', 'all'], 'takes no argument'],
  [['lst'], 'Did you mean "helve mcp list"?'],
  [[], 'needs an action'],
])('helve mcp %j is wrong usage, and nothing is written', async (words, problem) => {
  const { mcp, root } = await desk();
  const { code, stderr, stdout } = await mcp(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(problem);
  expect(existsSync(join(root, '.helve'))).toBe(false);
  expect(existsSync(join(root, '.mcp.json'))).toBe(false);
});

test('a project file that is a symlink is not written', async () => {
  const { mcp, root, home } = await desk();
  await writeFile(join(home, 'mine.json'), '{}');
  await symlink(join(home, 'mine.json'), join(root, '.mcp.json'));
  const { code, stderr } = await mcp('add', 'a', '-s', 'project', '--', 'x');
  expect(code).toBe(2);
  expect(stderr).toContain('link');
  expect(await readFile(join(home, 'mine.json'), 'utf8')).toBe('{}');
});

test.each(['{"mcpServers": ', '{"mcpServers": []}', '[]'])(
  'a project file that holds %s is left as it is',
  async (text) => {
    const { mcp, root } = await desk({ '.mcp.json': text });
    expect(await mcp('add', 'a', '-s', 'project', '--', 'x')).toMatchObject({ code: 2 });
    expect(await readFile(join(root, '.mcp.json'), 'utf8')).toBe(text);
  },
);

const secretive = {
  mcpServers: {
    cmd: {
      command: 'run',
      args: ['--api-key', 'S3CRET', '--token=S3CRET', 'https://user:S3CRET@host/?key=S3CRET', '--name', 'shown'],
      env: { ANYTHING: 'S3CRET', REF: variable('REF') },
    },
    web: {
      type: 'http',
      url: `https://S3CRET@example.com/mcp?k=S3CRET&ref=${variable('REF')}`,
      headers: { Authorization: 'Bearer S3CRET', Other: `Bearer ${variable('TOKEN')}` },
      oauth: { clientSecret: 'S3CRET', clientId: 'shown' },
    },
  },
};

test('neither list nor get shows secrets, in any form', async () => {
  const { mcp, write } = await desk({ '.helve/settings.local.json': secretive });
  await write('.mcp.json', { mcpServers: { cmd: secretive.mcpServers.cmd } });
  const [list, web] = await Promise.all([mcp('list'), mcp('get', 'web')]);
  const others = await Promise.all([
    mcp('list', '--json'),
    mcp('get', 'cmd'),
    mcp('get', 'cmd', '--json'),
    mcp('get', 'web', '--json'),
  ]);
  for (const { code, stdout, stderr } of [list, web, ...others]) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('S3CRET');
  }
  expect(web.stdout).toContain(`Bearer ${variable('TOKEN')}`);
  expect(web.stdout).toContain('"clientId": "shown"');
  expect(list.stdout).toContain('--name shown');
});

test('lists every server with its file and state, and starts none', async () => {
  const trap = { command: 'touch', args: ['started'] };
  const { listed, root, mcp } = await desk({
    '.mcp.json': { mcpServers: { both: { command: 'project' }, off: trap, trap } },
    '.helve/settings.json': { disabledMcpjsonServers: ['off'] },
    '.helve/settings.local.json': { mcpServers: { both: { command: 'local' }, broken: { url: 'http://x' } } },
  });
  expect(await mcp('doctor', 'broken', '--trust')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('has a "url" but no "type"'),
  });
  expect(await listed()).toMatchObject({
    trap: { scope: 'project', file: '.mcp.json', state: 'untrusted' },
    broken: { state: 'untrusted' },
  });
  expect(await listed('--trust')).toMatchObject({
    trap: { state: 'trusted', line: 1 },
    off: { state: 'off', problem: expect.stringContaining('disabledMcpjsonServers') },
    broken: { state: 'broken' },
  });
  const { stdout: got } = await mcp('get', 'both', '--trust');
  expect(got).toContain('"command": "local"');
  expect(got).toContain('Also in .mcp.json:1 (project), overridden: .helve/settings.local.json:1');
  await mcp('list', '--check');
  expect(await mcp('doctor')).toMatchObject({ stdout: expect.stringContaining('untrusted') });
  expect(existsSync(join(root, 'started'))).toBe(false);
});

test('removes a server, and says from where', async () => {
  const { mcp, json, home } = await desk({ '.mcp.json': { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } } });
  expect(await mcp('remove', 'a')).toMatchObject({ code: 0, stdout: 'a was removed from .mcp.json.\n' });
  expect(await json('.mcp.json')).toEqual({ mcpServers: { b: { command: 'b' } } });
  await mcp('add', 'b', '-s', 'user', '--', 'b');
  const { code, stderr } = await mcp('remove', 'b');
  expect(code).toBe(2);
  expect(stderr).toContain('"b" is configured in several places: .mcp.json (project), ~/.helve/settings.json (user)');
  expect(await mcp('remove', 'b', '--scope', 'user')).toMatchObject({ code: 0 });
  expect(await json(join(home, '.helve/settings.json'))).toEqual({ mcpServers: {} });
  expect(await mcp('remove', 'b', '--scope', 'local')).toMatchObject({ code: 2 });
});

test("leaves other agents' files alone", async () => {
  const { mcp, json } = await desk({ '.claude/settings.json': { mcpServers: { a: { command: 'a' } } } });
  const { code, stderr } = await mcp('remove', 'a');
  expect(code).toBe(2);
  expect(stderr).toContain('.claude/settings.json, which helve does not change');
  expect(await json('.claude/settings.json')).toEqual({ mcpServers: { a: { command: 'a' } } });
});

test('a server that cannot be reached is reported, with exit code 1', async () => {
  const { mcp } = await desk();
  await mcp('add', 'gone', 'http://127.0.0.1:1/mcp');
  await mcp('add', 'missing', '--', 'no-such-command-anywhere');
  const { code, stdout } = await mcp('doctor');
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ gone: /);
  expect(stdout).toMatch(/✗ missing: .*no-such-command-anywhere/);
});

test('connects to trusted servers, and reports the result', async () => {
  const { mcp, root } = await desk();
  await mcp('add', 'helve', '--', process.execPath, helve, 'mcp', 'serve');
  await mcp('add', 'silent', '--', 'true');
  const { code, stdout } = await mcp('doctor');
  expect(stdout).toMatch(/✓ helve: connected, \d+ tools \(\.helve\/settings\.local\.json:3\)/);
  expect(stdout).toMatch(/✗ silent: /);
  expect(code).toBe(1);
  expect(await mcp('doctor', 'helve')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('silent') });
  const checked = await mcp('list', '--check', '--json');
  expect(JSON.parse(checked.stdout)).toMatchObject([
    { name: 'helve', check: { ok: true } },
    { name: 'silent', check: { ok: false } },
  ]);
  await mcp('add', 'trap', '--', 'touch', join(root, 'started'));
  await mcp('doctor', 'helve');
  expect(existsSync(join(root, 'started'))).toBe(false);
});

test('an entry that was changed after it was added needs approval again', async () => {
  const { mcp, write, listed } = await desk();
  await mcp('add', 'a', '-s', 'project', '--', 'good');
  await write('.mcp.json', { mcpServers: { a: { type: 'stdio', command: 'evil', args: [] } } });
  expect(await listed()).toMatchObject({ a: { state: 'untrusted' } });
});

test('an address is not contacted before its entry is trusted', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
  const { mcp } = await desk({ '.mcp.json': { mcpServers: { a: { type: 'http', url } } } });
  await mcp('list', '--check');
  await mcp('doctor');
  expect(connections).toBe(0);
});
