import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';
import { jsonLines, runHelve } from '../cli/run-helve.js';
import { called, connectByStdio, type ElicitLog, servedFolder, yes } from './mcp-server-client.js';

const revisions = ['with sessions', '2026-07-28'] as const;
const negotiations = [...revisions, 'auto'] as const;

test('lists the tools with their schemas, and what is known of their effects', async () => {
  const { client } = await connectByStdio(await servedFolder());
  const { tools } = await client.listTools();
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints).toMatchObject({
    Read: { readOnlyHint: true, openWorldHint: false },
    Grep: { readOnlyHint: true },
    Edit: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    Bash: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  });
  expect(hints['KillShell']).toEqual({ openWorldHint: false });
  const read = tools.find(({ name }) => name === 'Read');
  expect(read?.inputSchema).toMatchObject({ type: 'object', required: ['file_path'] });
  expect(read?.description).toContain('Read');
});

test('introduces itself and says how its tools are to be used', async () => {
  const { client } = await connectByStdio(await servedFolder());
  expect(client.getServerVersion()).toMatchObject({ name: 'helve' });
  expect(client.getInstructions()).toContain('Read a file before you change it');
});

test.each(revisions)('a read counts for the edit after it, and undo reverts it (%s)', async (revision) => {
  const folder = await servedFolder({ 'a.txt': 'one\n' });
  const { client } = await connectByStdio(folder, { revision, flags: ['--permission-mode', 'acceptEdits'] });
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
  expect(await called(client, 'Edit', edit)).toMatchObject({
    isError: true,
    text: expect.stringContaining('has not been read'),
  });
  expect(await called(client, 'Read', { file_path: 'a.txt' })).toEqual({ text: '1\tone', isError: false });
  expect(await called(client, 'Edit', edit)).toMatchObject({ isError: false });
  expect(await folder.text('a.txt')).toBe('two\n');
  await client.close();
  const undo = await runHelve(['undo', '--yes'], { cwd: folder.root, env: folder.env });
  expect(undo).toMatchObject({ code: 0 });
  expect(await folder.text('a.txt')).toBe('one\n');
});

test('a call is in the audit log with its decision', async () => {
  const folder = await servedFolder({ 'a.txt': 'one\n' });
  const { client } = await connectByStdio(folder);
  await called(client, 'Read', { file_path: 'a.txt' });
  await client.close();
  const log = await runHelve(['audit', 'show', 'last', '--json'], { cwd: folder.root, env: folder.env });
  expect(log.stdout).toContain('"Read"');
});

test.each(revisions)('a rule that denies refuses the call, without a question (%s)', async (revision) => {
  const folder = await servedFolder({
    '.helve/settings.json': JSON.stringify({ permissions: { deny: ['Read(secret.txt)'] } }),
    'secret.txt': 'hidden\n',
  });
  const asked: ElicitLog = [];
  const { client } = await connectByStdio(folder, { revision, elicit: yes(asked) });
  const { text, isError } = await called(client, 'Bash', { command: 'cat secret.txt' });
  expect({ isError, asked }).toEqual({ isError: true, asked: [] });
  expect(text).toContain('Read(secret.txt)');
  expect(text).not.toContain('hidden');
});

test.each(negotiations)('a call that needs permission runs when the person says yes (%s)', async (revision) => {
  const folder = await servedFolder();
  const asked: ElicitLog = [];
  const { client } = await connectByStdio(folder, { revision, elicit: yes(asked) });
  expect(await called(client, 'Write', { file_path: 'new.txt', content: 'x\n' })).toMatchObject({ isError: false });
  expect(await folder.text('new.txt')).toBe('x\n');
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain(`writes ${folder.path('new.txt')}`);
});

test.each(revisions)('a call that is allowed for the session is not asked about again (%s)', async (revision) => {
  const folder = await servedFolder();
  const asked: ElicitLog = [];
  const { client } = await connectByStdio(folder, { revision, elicit: yes(asked, 'allow for this session') });
  const touch = { command: 'touch a' };
  const done = { text: '(no output)', isError: false };
  expect([await called(client, 'Bash', touch), await called(client, 'Bash', touch)]).toEqual([done, done]);
  expect(asked).toHaveLength(1);
});

test.each(revisions)('a refusal comes back with the reason that the person gave (%s)', async (revision) => {
  const folder = await servedFolder();
  const { client } = await connectByStdio(folder, {
    revision,
    elicit: () => ({ action: 'accept', content: { answer: 'deny', reason: 'not on a Sunday' } }),
  });
  expect(await called(client, 'Bash', { command: 'touch a' })).toEqual({
    isError: true,
    text: 'The user refused this Bash call and said: not on a Sunday',
  });
});

test.each(revisions)('a cancelled question denies (%s)', async (revision) => {
  for (const action of ['decline', 'cancel'] as const) {
    const { client } = await connectByStdio(await servedFolder(), { revision, elicit: () => ({ action }) });
    expect(await called(client, 'Bash', { command: 'touch a' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('The user refused'),
    });
  }
});

test.each(revisions)('an answer that was not offered denies (%s)', async (revision) => {
  const folder = await servedFolder();
  const elicit = () => ({ action: 'accept' as const, content: { answer: 'allow' } });
  const { client } = await connectByStdio(folder, { revision, elicit });
  expect(await called(client, 'Bash', { command: 'touch a' })).toMatchObject({ isError: true });
});

test.each(revisions)('if the client cannot ask, calls that need a question are denied (%s)', async (revision) => {
  const { client } = await connectByStdio(await servedFolder(), { revision });
  expect(await called(client, 'Bash', { command: 'touch a' })).toEqual({
    isError: true,
    text: expect.stringContaining('no one can be asked here'),
  });
});

test('an image comes as an image', async () => {
  const folder = await servedFolder();
  const { client } = await connectByStdio(folder);
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await writeFile(folder.path('dot.png'), Buffer.from(pixel, 'base64'));
  const { content } = await client.callTool({ name: 'Read', arguments: { file_path: 'dot.png' } });
  expect(content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
});

test('an unknown tool is a protocol error with the nearest name', async () => {
  const { client } = await connectByStdio(await servedFolder());
  await expect(client.callTool({ name: 'Reed', arguments: {} })).rejects.toThrow('Did you mean "Read"?');
});

test('invalid input gives an error that a model can act on', async () => {
  const { client } = await connectByStdio(await servedFolder());
  expect(await called(client, 'Read', {})).toEqual({
    isError: true,
    text: 'Read: "file_path" is required, but is missing. Nothing was run. Correct the input and send the call again.',
  });
});

test('deferred tools are listed once they were searched for', async () => {
  const { client } = await connectByStdio(await servedFolder());
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).not.toContain('NotebookEdit');
  await called(client, 'ToolSearch', { query: 'select:NotebookEdit' });
  await changed.promise;
  expect(await names()).toContain('NotebookEdit');
});

test.each(revisions)('a call reports its progress (%s)', async (revision) => {
  const folder = await servedFolder();
  const { client } = await connectByStdio(folder, { revision, flags: ['--allowed-tools', 'Bash'] });
  const told: string[] = [];
  // It goes on only once its first words have come through.
  const onprogress = ({ message = '' }: { message?: string }) => {
    told.push(message);
    if (told.length === 1) spawn('touch', [folder.path('go')]);
  };
  const command = 'echo first; until [ -e go ]; do sleep 0.05; done; echo last';
  expect(await called(client, 'Bash', { command }, { onprogress })).toMatchObject({ isError: false });
  expect(told[0]).toContain('first');
});

test.skipIf(process.platform === 'win32').each(revisions)(
  'a cancelled call ends with all it has started (%s)',
  async (revision) => {
    const folder = await servedFolder();
    const { client } = await connectByStdio(folder, { revision, flags: ['--allowed-tools', 'Bash'] });
    const controller = new AbortController();
    const command = `bash -c 'echo $$ >> pids; exec sleep 1000' & echo $$ >> pids; wait`;
    const call = called(client, 'Bash', { command }, { signal: controller.signal });
    await until(() => isWritten(folder.path('pids')) && pidsIn(folder.path('pids')).length === 2);
    controller.abort('enough');
    await expect(call).rejects.toThrow();
    await until(() => pidsIn(folder.path('pids')).every((pid) => !isRunning(pid)));
    expect(await called(client, 'Bash', { command: 'echo still here' })).toEqual({
      text: 'still here',
      isError: false,
    });
  },
);

test('a call that waits for an answer ends when it is cancelled', async () => {
  const folder = await servedFolder();
  const controller = new AbortController();
  const elicit = async () => {
    controller.abort('enough');
    return await new Promise<never>(() => {});
  };
  const { client } = await connectByStdio(folder, { elicit });
  const call = called(client, 'Bash', { command: 'touch a' }, { signal: controller.signal });
  await expect(call).rejects.toThrow();
  expect(await called(client, 'Glob', { pattern: 'a' })).toMatchObject({ isError: false });
});

test('two connections are two sessions', async () => {
  const folder = await servedFolder({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n' });
  const flags = ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash'];
  const [one, other] = [await connectByStdio(folder, { flags }), await connectByStdio(folder, { flags })];
  await called(one.client, 'Read', { file_path: 'a.txt' });
  await called(one.client, 'Bash', { command: 'cd sub' });
  expect((await called(one.client, 'Bash', { command: 'pwd' })).text).toBe(folder.path('sub'));
  expect((await called(other.client, 'Bash', { command: 'pwd' })).text).toBe(folder.root);
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
  expect(await called(other.client, 'Edit', edit)).toMatchObject({ isError: true });
});

test.skipIf(process.platform === 'win32')('a client that is gone leaves nothing running', async () => {
  const folder = await servedFolder();
  const server = spawn(process.execPath, [resolve('bin/helve.cjs'), 'mcp', 'serve', '--allowed-tools', 'Bash'], {
    cwd: folder.root,
    env: folder.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const clientInfo = { name: 'raw', version: '1' };
  const command = `bash -c 'echo $$ >> pids; exec sleep 1000' & setsid bash -c 'echo $$ >> pids; exec sleep 1000' & wait`;
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'Bash', arguments: { command } } },
  ];
  for (const message of messages) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const pids = folder.path('pids');
  await until(() => isWritten(pids) && pidsIn(pids).length === 2);
  const ended = once(server, 'exit');
  server.stdin.destroy();
  server.stdout.destroy();
  await ended;
  await until(() => pidsIn(pids).every((pid) => !isRunning(pid)));
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends the server cleanly', async (signal, code) => {
  const folder = await servedFolder();
  const server = spawn(process.execPath, [resolve('bin/helve.cjs'), 'mcp', 'serve'], {
    cwd: folder.root,
    env: folder.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await once(server.stdout, 'data');
  const ended = once(server, 'exit');
  server.kill(signal);
  expect(await ended).toEqual([code, null]);
});

test('nothing but messages is on standard output, whatever is sent', async () => {
  const folder = await servedFolder({ '.helve/settings.json': JSON.stringify({ permissions: { allow: ['Bash'] } }) });
  const lines = ['not json', '{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', '[]', '{"id": 7}', ''];
  const { stdout, code } = await runHelve(['mcp', 'serve'], {
    cwd: folder.root,
    env: folder.env,
    input: lines.join('\n'),
  });
  expect(code).toBe(0);
  for (const line of jsonLines(stdout)) expect(line).toMatchObject({ jsonrpc: '2.0' });
});

test('over standard input too, a request of the newest revision is answered, and one that is wrong gets an error', async () => {
  const folder = await servedFolder();
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = (id: number, method: string, _meta: object) => ({ jsonrpc: '2.0', id, method, params: { _meta } });
  const lines = [
    request(1, 'server/discover', meta),
    request(2, 'no/such', meta),
    request(3, 'ping', meta),
    request(4, 'tools/list', meta),
  ];
  const server = spawn(process.execPath, [resolve('bin/helve.cjs'), 'mcp', 'serve'], {
    cwd: folder.root,
    env: folder.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  for (const line of lines) server.stdin.write(`${JSON.stringify(line)}\n`);
  let stdout = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  await until(() => stdout.split('\n').length > lines.length);
  server.stdin.end();
  await once(server, 'exit');
  const answers = jsonLines(stdout).toSorted((one, other) => Number(one['id']) - Number(other['id']));
  expect(answers).toMatchObject([
    { id: 1, result: { supportedVersions: ['2026-07-28'], ttlMs: 60_000, cacheScope: 'private' } },
    { id: 2, error: { code: -32_601 } },
    { id: 3, error: { code: -32_601 } },
    { id: 4, result: { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' } },
  ]);
});

test('a background command that has ended is reported with the next result', async () => {
  const folder = await servedFolder();
  const { client } = await connectByStdio(folder, { flags: ['--allowed-tools', 'Bash'] });
  await called(client, 'Bash', { command: 'echo done > done.txt', run_in_background: true });
  await until(() => isWritten(folder.path('done.txt')));
  let told = '';
  await until(async () => {
    told += (await called(client, 'Think', { thought: 'waiting' })).text;
    return told.includes('<system-reminder>');
  });
  expect(told).toContain('echo done');
});

test('commands do not see the token of the server', async () => {
  const folder = await servedFolder();
  folder.env['HELVE_MCP_TOKEN'] = 'a token that is long enough'.replaceAll(' ', '-');
  const { client } = await connectByStdio(folder, { flags: ['--allowed-tools', 'Bash'] });
  expect(await called(client, 'Bash', { command: 'env' })).toMatchObject({
    text: expect.not.stringContaining('long-enough'),
  });
});

test('the server offers tools of MCP servers only if they are named, and applies the rules to them', async () => {
  const trap = { mcpServers: { trap: { command: 'touch', args: ['started'] } } };
  const named = {
    mcpServers: { inner: { command: process.execPath, args: [resolve('bin/helve.cjs'), 'mcp', 'serve'] } },
  };
  const folder = await servedFolder({
    '.mcp.json': JSON.stringify(trap),
    'named.json': JSON.stringify(named),
    'a.txt': 'one\n',
  });
  const rules = ['--allowed-tools', 'mcp__inner__Read', '--disallowed-tools', 'mcp__inner__Bash'];
  const flags = ['--trust', '--mcp-config', folder.path('named.json'), ...rules];
  const { client } = await connectByStdio(folder, { flags });
  await client.listTools();
  expect(await called(client, 'mcp__inner__Read', { file_path: 'a.txt' })).toMatchObject({
    text: expect.stringMatching(/^1\tone/),
    isError: false,
  });
  expect(await called(client, 'mcp__inner__Bash', { command: 'true' })).toMatchObject({
    text: expect.stringContaining('the rule "mcp__inner__Bash"'),
    isError: true,
  });
  expect(await called(client, 'Glob', { pattern: 'started' })).toMatchObject({
    text: expect.stringContaining('No file matches'),
  });
});
