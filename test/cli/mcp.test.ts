import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { isWritten, until } from '../../src/testing/watch-processes.js';
import { emptyFolder, type HelveOptions, type HelveRun, isRunning, jsonLines, runHelve } from './run-helve.js';

const oddServer = resolve('test/fixtures/mcp/odd-server.mjs');
const odd = (...args: string[]) => ({ command: process.execPath, args: [oddServer, ...args] });
const config = (mcpServers: object): string => JSON.stringify({ mcpServers });

async function ask(
  answers: FakeAnswers,
  args: string[],
  options: HelveOptions = {},
): Promise<HelveRun & { server: FakeModelServer }> {
  const server = await startFakeModelServer(answers);
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', ...options.env };
    return { ...(await runHelve(['-p', ...args], { ...options, env })), server };
  } finally {
    await server.close();
  }
}

const toolNames = (server: FakeModelServer, request: number): string[] =>
  (server.requests[request]?.body.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith('mcp__'));

test('a server given on the command line is available from the first request on, and in init', async () => {
  const run = await ask(
    [{ calls: [{ name: 'mcp__odd__echo', id: 'toolu_1', input: { say: 'hi' } }] }, { text: 'done' }],
    [
      'use it',
      '--mcp-config',
      config({ odd: odd(), bad: odd('exits') }),
      '--allowed-tools',
      'mcp__odd',
      '--output-format',
      'stream-json',
    ],
  );
  const [init] = jsonLines(run.stdout);
  expect(init).toMatchObject({
    subtype: 'init',
    mcp_servers: [
      { name: 'odd', status: 'connected' },
      { name: 'bad', status: 'failed' },
    ],
    tools: expect.arrayContaining(['mcp__odd__echo']),
  });
  expect(toolNames(run.server, 0)).toContain('mcp__odd__echo');
  expect(JSON.stringify(run.server.requests[1]?.body.messages)).toContain('said hi');
  expect(run.server.refused).toEqual([]);
  expect(run.code).toBe(0);
});

test('deny rules match servers and tools in the spelling of the server, and one that matches nothing is reported', async () => {
  const cwd = await emptyFolder();
  const deny = ['mcp__My.Odd server', 'mcp__two__X.Y', 'mcp__two__goood', 'mcp__tow__good', 'mcp__elsewhere__x'];
  await mkdir(join(cwd, '.helve'));
  await writeFile(join(cwd, '.helve/settings.json'), JSON.stringify({ permissions: { deny } }));
  const servers = { 'my.odd server': odd(), two: odd('schemas') };
  const run = await ask([{ text: 'done' }], ['go', '--mcp-config', config(servers)], { cwd });
  expect(toolNames(run.server, 0).filter((name) => /my_odd|__x_y/.test(name))).toEqual([
    expect.stringMatching(/^mcp__two__x_y_[0-9a-f]{8}$/), // the one named "x y", while "x.y" is denied
  ]);
  expect(run.stderr).toContain(
    'The deny rule "mcp__two__goood" (.helve/settings.json:1) names the tool goood, which the MCP server two does not have, so it guards nothing now. Did you mean "mcp__two__good"?',
  );
  expect(run.stderr.match(/"mcp__tow__good" .* Did you mean "mcp__two"\?/g)).toHaveLength(1);
  expect(run.stderr).not.toContain('elsewhere');
  const home = await emptyFolder();
  await mkdir(join(home, '.helve'));
  await writeFile(join(home, '.helve/settings.json'), config(servers));
  const doctor = await runHelve(['doctor'], { cwd, env: { HOME: home } });
  expect(doctor.stdout).toContain('names the MCP server elsewhere, and none of that name is configured here');
});

test('a call of a denied tool of a server is answered with the rule, also in a child', async () => {
  const call = (id: string) => ({ name: 'mcp__odd__echo', id, input: { say: 'hi' } });
  const task = { description: 'd', prompt: 'p', subagent_type: 'general-purpose' };
  const run = await ask(
    [
      { calls: [call('toolu_1')] },
      { calls: [{ name: 'Task', id: 'toolu_2', input: task }] },
      { calls: [call('toolu_3')] },
      { text: 'child' },
      { text: 'done' },
    ],
    ['go', '--mcp-config', config({ odd: odd() }), '--allowed-tools', 'Task', '--disallowed-tools', 'mcp__odd__echo'],
  );
  expect(toolNames(run.server, 0)).not.toContain('mcp__odd__echo');
  for (const request of [1, 3]) {
    const sent = JSON.stringify(run.server.requests[request]?.body.messages);
    expect(sent).toContain('mcp__odd__echo was not run: the rule \\"mcp__odd__echo\\"');
  }
  expect(run.code).toBe(0);
});

test('many tools add little to the first request: names in a reminder, schemas on demand', async () => {
  const servers = Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`s${n}`, odd('many', '50')]));
  const run = await ask(
    [
      { calls: [{ name: 'ToolSearch', id: 'toolu_1', input: { query: 'select:mcp__s2__tool_7' } }] },
      { calls: [{ name: 'mcp__s2__tool_7', id: 'toolu_2', input: { project: 'p' } }] },
      { text: 'done' },
    ],
    ['go', '--mcp-config', config(servers), '--allowed-tools', 'mcp__s2'],
  );
  expect(toolNames(run.server, 0)).toEqual([]);
  expect(JSON.stringify(run.server.requests[0]?.body.messages)).toContain('mcp__s3__tool_49');
  expect(toolNames(run.server, 1)).toEqual(['mcp__s2__tool_7']);
  expect(JSON.stringify(run.server.requests[2]?.body.messages)).toContain('done');
});

test('servers of a project start only once the folder is trusted', async () => {
  const cwd = await emptyFolder();
  const marker = join(cwd, 'started');
  const entry = { command: '/bin/sh', args: ['-c', `touch ${marker}; exit 1`] };
  await writeFile(join(cwd, '.mcp.json'), config({ mine: entry }));
  const untrusted = await ask([{ text: 'ok' }], ['hi'], { cwd });
  expect(untrusted.code).toBe(0);
  expect(existsSync(marker)).toBe(false);
  const doctor = await runHelve(['doctor'], { cwd });
  expect(doctor.stdout).toContain('MCP server mine: not started: this folder is not trusted with it');
  expect(existsSync(marker)).toBe(false);
  await runHelve(['tools', '--trust'], { cwd });
  expect(existsSync(marker)).toBe(true);
});

test('servers of settings connect while the model answers, and their tools come with a later request', async () => {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const listed = join(cwd, 'listed');
  const pins = join(home, 'mcp-tools');
  await writeFile(join(cwd, '.mcp.json'), config({ odd: odd('marks', listed) }));
  await mkdir(join(cwd, '.helve'));
  await writeFile(join(cwd, '.helve/settings.json'), JSON.stringify({ mcp: { startWaitMs: 0 } }));
  const look = (number: number) => ({ calls: [{ name: 'LS', id: `toolu_${number}`, input: { path: '.' } }] });
  const run = await ask(
    async (_, number) => {
      // The first answer waits until the server has come, which is long after the request was sent, and is recorded.
      if (number === 0) {
        await until(() => isWritten(listed));
        await until(() => existsSync(pins) && readdirSync(pins).join().endsWith('.json'));
      }
      return number < 2 ? look(number) : { text: 'done' };
    },
    ['hi', '--trust'],
    { cwd, env: { HELVE_HOME: home } },
  );
  expect(toolNames(run.server, 0)).toEqual([]);
  expect(toolNames(run.server, 2)).toContain('mcp__odd__echo');
  expect(JSON.stringify(run.server.requests[2]?.body.messages)).toContain('You now have these tools of MCP servers');
});

test('helve tools shows where a tool comes from, and what is wrong with a server', async () => {
  const { stdout, stderr } = await runHelve([
    'tools',
    '--json',
    '--all',
    '--mcp-config',
    config({ odd: odd('schemas'), bad: odd('exits') }),
  ]);
  const rows: Array<Record<string, unknown>> = JSON.parse(stdout);
  expect(rows.find(({ name }) => name === 'mcp__odd__good')).toMatchObject({ source: 'mcp', server: 'odd' });
  expect(stderr).toContain('The MCP server bad ended with exit code 4. Its last words: "no database at localhost".');
  expect(stderr).toContain('The tool hopeless of the MCP server odd is not used.');
});

test('helve doctor reports the state of each server', async () => {
  const cwd = await emptyFolder();
  const home = await emptyFolder();
  await mkdir(join(home, 'h'), { recursive: true });
  await writeFile(join(home, 'h', 'settings.json'), config({ odd: odd(), bad: odd('exits') }));
  const { stdout, code } = await runHelve(['doctor'], { cwd, env: { HELVE_HOME: join(home, 'h') } });
  expect(stdout).toContain('✓ MCP server odd: connected, 14 tools');
  expect(stdout).toMatch(/✗ MCP server bad: .*exit code 4.*starting \| no database at localhost/);
  expect(code).toBe(1);
});

test('--strict-mcp-config leaves out servers of settings', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, '.mcp.json'), config({ mine: odd('exits') }));
  const named = join(cwd, 'named.json');
  await writeFile(named, config({ odd: odd() }));
  const args = ['tools', '--json', '--all', '--trust', '--mcp-config', named, '--strict-mcp-config'];
  const { stdout, stderr } = await runHelve(args, { cwd });
  expect(stdout).toContain('mcp__odd__echo');
  expect(stderr).not.toContain('mine');
});

test.each([
  ['nowhere.json', /"nowhere\.json" can't be read/],
  ['{"mcpServers": ', /is not valid JSON/],
  ['{"servers": {}}', /has no "mcpServers" object/],
  ['{"mcpServers": {"a": {"args": []}}}', /"a" needs a "command" or a "url"/],
])('--mcp-config %s is wrong usage', async (given, message) => {
  const { code, stderr } = await runHelve(['tools', '--mcp-config', given]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test.skipIf(process.platform !== 'linux')('a server of a killed Helve is ended by the next one', async () => {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  // It does not end with its input, as a good one would.
  const stubborn = { command: '/bin/sh', args: ['-c', `echo $$ > ${join(cwd, 'pid')}; exec sleep 1000`] };
  const killed = await runHelve(['tools', '--mcp-config', config({ stubborn })], {
    cwd,
    env: { HELVE_HOME: home },
    onStart: (kill) => void until(() => isWritten(join(cwd, 'pid'))).then(() => kill('SIGKILL')),
  });
  expect(killed.signal).toBe('SIGKILL');
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await runHelve(['call', 'LS', '{"path": "."}'], { cwd, env: { HELVE_HOME: home } });
  await until(() => !isRunning(pid));
  expect(readdirSync(join(home, 'running'))).toEqual([]);
});

test('a resource that the prompt mentions is sent with it', async () => {
  const run = await ask([{ text: 'ok' }], ['Look at @odd:note://1, please', '--mcp-config', config({ odd: odd() })]);
  expect(JSON.stringify(run.server.requests[0]?.body.messages)).toContain('note://1:\\nthe note');
});

test('a run ends although a server in settings never answers', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, '.mcp.json'), config({ silent: odd('silent'), exits: odd('exits') }));
  const run = await ask([{ text: 'ok' }], ['hi', '--trust'], { cwd });
  expect(run).toMatchObject({ code: 0, stdout: 'ok\n' });
});

test('--permission-prompt-tool lets a tool of a server answer permission questions', async () => {
  const cwd = await emptyFolder();
  const answer = join(cwd, 'answer');
  const run = async (words: string): Promise<HelveRun & { server: FakeModelServer }> => {
    await writeFile(answer, words);
    const write = { name: 'Write', id: 'toolu_1', input: { file_path: 'a.txt', content: 'one\n' } };
    const flags = ['--permission-prompt-tool', 'mcp__gate__approve', '--mcp-config'];
    const servers = config({ gate: odd('approves', answer) });
    return await ask([{ calls: [write] }, { text: 'done' }], ['write it', ...flags, servers], { cwd });
  };
  const denied = await run('{"behavior":"deny","message":"not on a Sunday"}');
  expect(JSON.stringify(denied.server.requests[1]?.body.messages)).toContain('not on a Sunday');
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  await run('{"behavior":"allow","updatedInput":{"file_path":"a.txt","content":"two\\n"}}');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
});
