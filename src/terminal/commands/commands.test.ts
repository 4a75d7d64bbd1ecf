import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SessionStore } from '../../agent/store/session-store.js';
import { readSettings } from '../../settings/load.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { writeTool } from '../../tools/write.js';
import type { CommandAnswer, CommandSession, RunningTask } from '../contract.js';
import { KeyBindings } from '../input/key-bindings.js';
import { pastPrompts } from '../session/past-prompts.js';
import { completedCommands, remember, runCommand, terminalCommands } from './index.js';
import { type TestSession, testSession } from './test-session.js';

async function run(line: string, session: CommandSession): Promise<CommandAnswer> {
  const [name = '', ...args] = line.split(' ');
  return await runCommand({ name, args: args.join(' ') }, session);
}

const shown = (answer: CommandAnswer): string =>
  answer.type === 'sections'
    ? answer.sections.flatMap(({ title, lines }) => lines.map((line) => `${title.padEnd(14)}${line}`)).join('\n')
    : 'text' in answer
      ? (answer.text ?? '')
      : '';

async function choose(answer: CommandAnswer, value: string): Promise<CommandAnswer> {
  if (answer.type !== 'choose') throw new Error(`There is nothing to choose in ${JSON.stringify(answer)}`);
  expect(answer.items.map((item) => item.value)).toContain(value);
  return await answer.choose(value);
}

async function reread(session: TestSession): Promise<TestSession> {
  const { root, env, home } = session;
  const settings = await readSettings({ root, env, ...(home !== undefined && { home }), managedFolder: '/nowhere' });
  return Object.defineProperty(session, 'settings', { value: settings, configurable: true });
}

test('has all documented commands', () => {
  const promised =
    'help clear compact resume rewind undo permissions mcp agents tasks todos model cost context config doctor export theme init add-dir quit status diff review copy memory hooks tools skills rename effort vim trust';
  const names = terminalCommands.map(({ name }) => name);
  expect(promised.split(' ').filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(terminalCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases])).size).toBe(
    terminalCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]).length,
  );
});

test('help fits on a screen of 40 rows, with many custom commands, and names every command', async () => {
  const own = Array.from({ length: 80 }, (_, index) => ({
    name: `own-${index}`,
    kind: 'command' as const,
    description: 'mine',
    argumentHint: '',
  }));
  const keys = new KeyBindings().listed();
  const text = shown(await run('help', await testSession({ commands: async () => own, keys })));
  expect(text.split('\n').length).toBeLessThanOrEqual(36);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  for (const { name } of terminalCommands) expect(text).toContain(`/${name}`);
  expect(text).toContain('/own-0');
});

test('help explains one command', async () => {
  expect(shown(await run('help undo', await testSession()))).toMatch(/^\/undo \[number of calls.*\n {2}undo changes/);
});

test('an unknown command is answered with the nearest', async () => {
  expect(await run('hlep', await testSession())).toEqual({
    type: 'problem',
    text: 'There is no command /hlep. Did you mean /help?',
  });
});

test('a word that resembles no command is not answered with one', async () => {
  expect(shown(await run('help edit', await testSession()))).toBe('There is no command /edit.');
});

test('custom commands, prompts of servers and paths go to the model as typed', async () => {
  const own = { name: 'team:review', kind: 'command' as const, description: '', argumentHint: '' };
  const session = await testSession({ commands: async () => [own] });
  expect(await run('review a b', session)).toEqual({ type: 'prompt', text: '/review a b' });
  expect(await run('mcp__x__y', session)).toEqual({ type: 'prompt', text: '/mcp__x__y' });
  expect(await run('tmp is full', session)).toEqual({ type: 'prompt', text: '/tmp is full' });
});

test('a command that fails says so', async () => {
  const session = await testSession({
    clear: async () => {
      throw new Error('The disk is full.');
    },
  });
  expect(await run('clear', session)).toEqual({ type: 'problem', text: '/clear did not work: The disk is full.' });
});

test('adds a rule, lists it with its location, and removes it', async () => {
  const session = await testSession();
  expect(shown(await run('permissions deny Bash(rm *)', session))).toContain('.helve/settings.local.json');
  await reread(session);
  expect(await run('permissions', session)).toMatchObject({
    type: 'choose',
    items: expect.arrayContaining([
      expect.objectContaining({ label: 'deny  Bash(rm *)', group: '.helve/settings.local.json' }),
    ]),
  });
  expect(await run('permissions remove Bash(rm *)', session)).toMatchObject({ type: 'text' });
  await reread(session);
  expect(JSON.stringify(await run('permissions', session))).toContain('No rules yet');
});

test('refuses an invalid rule, and writes nothing', async () => {
  const session = await testSession();
  expect(await run('permissions deny Bash(rm', session)).toMatchObject({ type: 'problem' });
  expect(existsSync(join(session.root, '.helve', 'settings.local.json'))).toBe(false);
});

test('sets the mode, and explains a call', async () => {
  const session = await testSession();
  expect(shown(await run('permissions mode plan', session))).toBe('The mode is plan.');
  expect(session.done).toEqual(['mode plan']);
  expect(await run('permissions mode fast', session)).toMatchObject({ type: 'problem' });
  expect(shown(await run('permissions explain Tool {"a":1}', session))).toBe('Tool {"a":1}');
  expect(shown(await run('permissions explain Tool {', session))).toContain('not valid JSON');
  expect(shown(await run('permissions explain tool --a 1', session))).toBe('Tool {"a":1}');
});

test('sets a setting for the user, shows it, and removes it', async () => {
  const session = await testSession();
  expect(shown(await run('config keys.interrupt ctrl+x', session))).toContain('keys.interrupt was set in');
  await reread(session);
  expect(session.settings.keys.get('interrupt')?.value).toEqual(['ctrl+x']);
  expect(shown(await run('config keys.interrupt', session))).toMatch(/The key.*\nkeys\.interrupt = \["ctrl\+x"\]/);
  expect(shown(await run('config unset keys.interrupt', session))).toContain('was removed');
});

test.each([
  ['config keys.interupt x', /Did you mean "keys.interrupt"\?/],
  ['config keys.interrupt ctrl+escpe', /there is no key "escpe", did you mean "escape"\?/],
  ['config thme dark', /Did you mean "theme"\?/],
  ['config zzzzzz 1', /\/config lists all of them/],
  ['config theme drk', /must be "auto", "dark", "light", "colorblind" or "none"/],
])('%s is answered with the nearest name or the possible values', async (line, problem) => {
  expect(await run(line, await testSession())).toEqual({ type: 'problem', text: expect.stringMatching(problem) });
});

test('chooses a theme and keeps it', async () => {
  const session = await testSession();
  await choose(await run('theme', session), 'light');
  expect(session.done).toEqual(['theme light']);
  expect((await reread(session)).settings.theme?.value).toBe('light');
  expect(await run('theme pink', session)).toMatchObject({ type: 'problem' });
  expect(shown(await run('config theme dark', session))).not.toContain('next start');
  expect(session.done).toEqual(['theme light', 'theme dark']);
});

test('the first model that the user chooses is saved, later ones are not', async () => {
  let model: string | undefined;
  const session = await testSession({
    models: async () => [{ value: 'ollama/one' }],
    chooseModel: async (name) => {
      model = name;
      return name;
    },
  });
  Object.defineProperty(session, 'model', { get: () => model });
  await choose(await run('model', session), 'ollama/one');
  await run('model ollama/two', session);
  expect((await reread(session)).settings.model?.value).toBe('ollama/one');
  expect(model).toBe('ollama/two');
});

test('asks for a key without showing it, stores it privately, checks it, and uses it', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/v1/models' && request.headers['x-api-key'] === 'sk-test-1' ? 200 : 401;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const session = await testSession({ model: undefined });
  const { port } = server.address() as AddressInfo; // it listens on a port
  Object.assign(session.env, { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` });
  const asked = await choose(await run('key', session), 'anthropic');
  if (asked.type !== 'ask') throw new Error('It asks.');
  expect(asked.isSecret).toBe(true);
  const answer = await asked.answer('export ANTHROPIC_API_KEY="sk-test-1"');
  expect(shown(answer)).toContain('Stored. Anthropic accepts it. The model is anthropic');
  expect(JSON.stringify(answer)).not.toContain('sk-test-1');
  const file = join(session.dataFolder, 'keys.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ keys: { ANTHROPIC_API_KEY: 'sk-test-1' } });
  expect(shown(await run('key forget anthropic', session))).toBe('The stored key for Anthropic was removed.');
  expect(await run('key antropic', session)).toEqual({
    type: 'problem',
    text: 'There is no provider "antropic" that takes a key. Did you mean anthropic?',
  });
});

test('offers settings with their values, and sets what is chosen', async () => {
  const session = await testSession();
  const picking = await run('config', session);
  if (picking.type !== 'choose') throw new Error('It is to be chosen.');
  expect(picking.items.slice(0, 2).map(({ value }) => value)).toEqual(['permissions.defaultMode', 'model']);
  const valuing = await picking.choose('editorMode');
  if (valuing.type !== 'choose') throw new Error('There are but a few values.');
  expect(valuing.items.map(({ value }) => value)).toEqual(['normal', 'vim', 'vi', '']);
  expect(shown(await valuing.choose('vim'))).toMatch(/editorMode was set in .*\nIt takes effect at the next start\./);
  expect(shown(await valuing.choose(''))).toContain('editorMode was removed from');
  const asking = await picking.choose('model');
  if (asking.type !== 'ask') throw new Error('It is to be written.');
  expect(shown(await asking.answer('sonnet'))).toContain('model was set in');
});

test('the cost names a time that rounds to nothing as less than a second', async () => {
  const usage = { models: [], costUsd: 0, prompts: 1, modelMs: 120, totalMs: 3000 };
  expect(shown(await run('cost', await testSession({ usage })))).toContain('Time 3 s: <1 s for the model, 3 s for');
});

test('the parts of the time add up', async () => {
  const usage = { models: [], costUsd: 0, prompts: 1, modelMs: 1600, totalMs: 24_100 };
  expect(shown(await run('cost', await testSession({ usage })))).toContain('Time 24 s: 2 s for the model, 22 s for');
});

test('shows the use of the context, and the cost', async () => {
  const session = await testSession({
    context: {
      system: 1000,
      tools: 4000,
      messages: 5000,
      results: 10_000,
      total: 20_000,
      window: 200_000,
      free: 150_000,
    },
    usage: {
      models: [
        {
          provider: 'fake',
          name: 'model',
          usage: { input_tokens: 1200, output_tokens: 30, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
          costUsd: 0.5,
        },
      ],
      costUsd: 0.5,
      prompts: 2,
      modelMs: 61_000,
      totalMs: 125_000,
    },
  });
  expect(await run('context', session)).toMatchObject({ type: 'context', context: session.context ?? {} });
  expect(shown(await run('cost', session))).toMatch(
    /^Cost \$0\.50, 2 prompts\nTime 2 min 5 s: 1 min 1 s for the model, 1 min 4 s for tools/,
  );
});

test('the largest results have paths as the rest of the terminal has them', async () => {
  const session = await testSession({
    context: { system: 0, tools: 0, messages: 0, results: 5, total: 5, window: 9, free: 4 },
  });
  const title = `Edit ${session.root}/src/total.ts`;
  const answer = await run('context', { ...session, largestResults: () => [{ title, tokens: 9 }] });
  expect(JSON.stringify(answer)).toContain('"name":"Edit src/total.ts"');
});

test('the list of tasks shows them as they are now, and is left once the conversation of its task is over', async () => {
  let milliseconds = 1_000;
  const tasks: RunningTask[] = [];
  const session = await testSession({ tasks });
  tasks.push({
    ...{ id: 'b1', title: 'npm run dev', state: 'running' },
    get milliseconds() {
      return milliseconds;
    },
    look: async () => void tasks.pop(),
  });
  const answer = await run('tasks', session);
  if (answer.type !== 'choose') throw new Error(answer.type);
  milliseconds = 6_000;
  expect(answer.latest?.()).toMatchObject([{ value: 'b1', description: 'running · 6s' }]);
  expect(await answer.choose('b1')).toEqual({ type: 'done' });
  expect(answer.latest?.()).toEqual([]);
});

test('stops a task', async () => {
  const stopped: string[] = [];
  const look = async (): Promise<void> => {};
  const task = { id: 'b1', title: 'npm\nrun dev', state: 'running', look, stop: () => void stopped.push('b1') };
  const ended = { id: 'b0', title: 'Build', state: 'completed, exit code 0', milliseconds: 61_000, look };
  const session = await testSession({ tasks: [ended, task] });
  expect(await run('tasks', session)).toMatchObject({
    items: [
      { value: 'b1', label: 'npm run dev', description: 'running' },
      { value: 'b0', label: 'Build', description: 'completed, exit code 0 · 1m 1s' },
    ],
  });
  expect(await run('tasks stop b0', session)).toMatchObject({ type: 'problem' });
  expect(shown(await run('tasks stop b1', session))).toBe('“npm run dev” was stopped.');
  expect(stopped).toEqual(['b1']);
  expect(await run('tasks stop b2', session)).toMatchObject({ type: 'problem' });
});

test('shows the state of servers, and why one is not used', async () => {
  const session = await testSession({
    servers: [
      { name: 'files', status: 'connected', tools: 3, setAside: [], changedTools: [], errorOutput: '' },
      {
        name: 'web',
        status: 'failed',
        detail: 'no answer',
        tools: 0,
        setAside: [],
        changedTools: [],
        errorOutput: 'line one\nline two',
      },
    ],
  });
  expect(shown(await run('mcp', session))).toBe(
    '✓ files: connected, 3 tools\n✗ web: failed, no answer\nDetails: /mcp web. To retry: /mcp reconnect web',
  );
  expect(shown(await run('mcp web', session))).toContain('It wrote last:\n  line one');
  expect(shown(await run('mcp wb', session))).toContain('Did you mean "web"?');
  expect(shown(await run('mcp reconnect web', session))).toContain('✗ web: failed, no answer');
  expect(session.done).toEqual(['reconnect web']);
});

test('shows who needs a sign-in, begins it, and takes an address that is pasted', async () => {
  const waiting = new Set<string>();
  const detail = 'The MCP server web needs a sign-in. To sign in: helve mcp login web.';
  const session = await testSession({
    servers: [{ name: 'web', status: 'needs-auth', detail, tools: 0, setAside: [], changedTools: [], errorOutput: '' }],
    signIn: async (server) => void waiting.add(server),
    isSigningIn: (server) => waiting.has(server),
  });
  expect(shown(await run('mcp', session))).toBe('! web: needs sign-in\nTo sign in: /mcp login web');
  expect(shown(await run('mcp login web', session))).toContain('Waiting for the browser.');
  const asked = await run('mcp login web', session);
  if (asked.type !== 'ask') throw new Error(`It answered with ${asked.type}.`);
  expect(asked.isSecret).toBe(true);
  await asked.answer('http://127.0.0.1:5/callback?code=c');
  expect(session.done).toEqual(['paste web http://127.0.0.1:5/callback?code=c']);
  expect(shown(await run('mcp logout web', session))).toBe('Signed out of web.');
  expect(await run('mcp login wb', session)).toMatchObject({ type: 'problem' });
});

test('names each of several failed servers', async () => {
  const failed = { status: 'failed', detail: 'no answer', tools: 0, setAside: [], changedTools: [], errorOutput: '' };
  const session = await testSession({ servers: ['web', 'mail'].map((name) => ({ name, ...failed })) });
  const text = shown(await run('mcp', session));
  for (const name of ['web', 'mail']) expect(text).toContain(`/mcp reconnect ${name}`);
});

test('shows how a server has changed its tools, and approves exactly that', async () => {
  const pin = (text: string) => ({ hash: text, text });
  const change = { tool: 'pay', before: pin('a'), after: pin('b'), patch: '@@ -1 +1 @@\n-a\n+b' };
  const session = await testSession({
    servers: [{ name: 'bank', status: 'connected', tools: 2, setAside: [], changedTools: ['pay'], errorOutput: '' }],
    toolChanges: async () => [change],
  });
  expect(shown(await run('mcp', session))).toBe(
    '✓ bank: connected, 2 tools, 1 changed and held back\nTo see and approve what changed: /mcp approve bank',
  );
  expect(shown(await run('mcp bank', session))).toContain('pay has changed and is held back: /mcp approve bank pay');
  const question = await run('mcp approve bank', session);
  if (question.type !== 'choose') throw new Error('no question');
  expect(question.changes).toEqual([{ title: 'pay', path: 'pay', patch: change.patch }]);
  expect(question.items[0]?.value).toBe('no'); // what is selected at first
  expect(await question.choose('no')).toEqual({ type: 'done' });
  expect(session.done).toEqual([]);
  expect(shown(await question.choose('yes'))).toBe('The model gets pay of bank again.');
  expect(session.done).toEqual(['approve bank pay']);
  expect(shown(await run('mcp approve bank look', session))).toBe('No change of bank named "look" waits for approval.');
  expect(shown(await run('mcp approve bnk', session))).toMatch('Did you mean "bank"?');
});

test('adds an existing folder, and no other', async () => {
  const session = await testSession();
  mkdirSync(join(session.root, '..', 'other'));
  const folder = join(session.root, '..', 'other');
  await run('add-dir ../other', session);
  expect(session.done).toEqual([`add ${folder}`]);
  expect(await run('add-dir ../missing', session)).toMatchObject({ type: 'problem' });
});

test('has the model write AGENTS.md, or improve an existing one', async () => {
  const session = await testSession();
  expect(await run('init', session)).toMatchObject({
    type: 'prompt',
    text: '/init',
    instructions: expect.stringContaining('Write AGENTS.md'),
  });
  writeFileSync(join(session.root, 'CLAUDE.md'), '# x\n');
  expect(await run('init be brief', session)).toMatchObject({
    text: '/init be brief',
    instructions: expect.stringMatching(/Improve CLAUDE\.md[\s\S]*be brief/),
  });
});

test('appends a note to the file that the user chooses', async () => {
  const session = await testSession();
  writeFileSync(join(session.root, 'AGENTS.md'), '# Rules');
  await choose(remember('use  tabs', session), join(session.root, 'AGENTS.md'));
  expect(readFileSync(join(session.root, 'AGENTS.md'), 'utf8')).toBe('# Rules\n- use tabs\n');
  const own = join(session.dataFolder, 'HELVE.md');
  await choose(remember('be kind', session), own);
  expect(readFileSync(own, 'utf8')).toBe('- be kind\n');
  expect(session.done.at(-1)).toMatch(/^remind The user has saved this note .*: be kind$/);
});

test('shows what an undo would do, and does it only if the person agrees', async () => {
  const project = await temporaryProject({ 'a.txt': 'before\n' });
  await project.run(writeTool, { file_path: 'b.txt', content: 'made\n' });
  const { id, root, dataFolder } = project.engine.session;
  const session = await testSession({ id, root, cwd: root, dataFolder });
  const asked = await run('undo', session);
  expect(asked).toMatchObject({
    type: 'choose',
    title: 'Undo this change?',
    changes: [{ title: 'remove b.txt', patch: expect.stringContaining('-made') }],
    items: [{ key: 'y' }, { key: 'n' }],
    focus: 0,
  });
  expect(shown(await choose(asked, 'no'))).toBe('The files stay as they are.');
  expect(existsSync(join(root, 'b.txt'))).toBe(true);
  expect(shown(await choose(await run('undo', session), 'yes'))).toBe(
    'Removed 1 file. To reverse this, use /undo again.',
  );
  expect(existsSync(join(root, 'b.txt'))).toBe(false);
  const again = await run('undo', session);
  expect(again).toMatchObject({ title: 'Reverse the last undo?' });
  expect(shown(await choose(again, 'yes'))).toMatch(/^Restored 1 file\./);
  expect(existsSync(join(root, 'b.txt'))).toBe(true);
  expect(await run('undo 7', await testSession())).toMatchObject({ type: 'problem' });
});

test('undo offers everything since the last prompt first, then the last call, and then the last undo', async () => {
  const project = await temporaryProject();
  const { id, root, dataFolder } = project.engine.session;
  const store = new SessionStore({ dataFolder, id, root, model: 'x' });
  await store.open();
  store.prompt([{ type: 'text', text: 'make two' }]);
  await store.flushed();
  for (const name of ['a.txt', 'folder/b.txt']) await project.run(writeTool, { file_path: name, content: 'made\n' });
  const session = await testSession({ id, root, cwd: root, dataFolder });
  const asked = await run('undo', session);
  expect(asked).toMatchObject({
    title: 'Undo everything since “make two”?',
    items: [{ key: 'y' }, { key: 'l' }, { key: 'n' }],
  });
  const last = await choose(asked, 'last');
  expect(last).toMatchObject({ changes: [{ title: 'remove the folder folder' }, { title: 'remove folder/b.txt' }] });
  expect(shown(await choose(last, 'yes'))).toMatch(/^Removed 1 file and 1 folder\./);
  expect(await run('undo', session)).toMatchObject({
    items: [{ value: 'yes' }, { value: 'redo', key: 'r' }, { value: 'no' }],
  });
  await choose(await choose(await run('undo', session), 'redo'), 'yes');
  expect(shown(await choose(await run('undo', session), 'yes'))).toMatch(/^Removed 2 files and 1 folder\./);
  expect(existsSync(join(root, 'folder'))).toBe(false);
});

test('rewinds to a prompt with its files, and puts the prompt into the editor', async () => {
  const project = await temporaryProject();
  const { id, root, dataFolder } = project.engine.session;
  const store = new SessionStore({ dataFolder, id, root, model: 'x' });
  await store.open();
  store.prompt([{ type: 'text', text: 'make b' }]);
  await store.flushed();
  await project.run(writeTool, { file_path: 'b.txt', content: 'made\n' });
  const session = await testSession({ id, root, cwd: root, dataFolder, prompts: pastPrompts({ dataFolder, id }) });
  const what = await choose(await run('rewind', session), '0');
  const answer = await choose(await choose(what, 'both'), 'yes');
  expect(answer).toMatchObject({ type: 'edit', draft: 'make b' });
  expect(session.done).toEqual(['rewind 0']);
  expect(existsSync(join(root, 'b.txt'))).toBe(false);
});

test('reports that there is nothing to rewind, to resume, or to undo', async () => {
  const session = await testSession();
  for (const line of ['rewind', 'resume', 'undo 1', 'undo list']) {
    expect(await run(line, session)).toMatchObject({ type: 'problem' });
  }
  expect(shown(await run('undo', session))).toContain('nothing to undo');
});

test('explains why an unsaved conversation cannot be exported', async () => {
  const session = await testSession();
  expect(await run('export', session)).toMatchObject({ type: 'problem', text: expect.stringContaining('Nothing has') });
  expect(await run('export notes.pdf', session)).toMatchObject({ type: 'problem' });
});

test('completes arguments of commands', async () => {
  const session = await testSession();
  const commands = await completedCommands(session);
  const complete = async (name: string, typed: string) =>
    ((await commands.find((one) => one.name === name)?.complete?.(typed)) ?? []).map(({ value }) => value);
  expect(await complete('theme', 'l')).toEqual(['light']);
  expect(await complete('permissions', 'mode p')).toEqual(['mode plan']);
  expect(await complete('config', 'keys.int')).toEqual(['keys.interrupt']);
});

test('no answer without arguments is longer than a screen', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `t${index}`);
  const session = await testSession({
    tasks: many.map((id) => ({ id, title: id, state: 'running', look: async () => {} })),
    servers: many.map((name) => ({
      name,
      status: 'connected',
      tools: 1,
      setAside: [],
      changedTools: [],
      errorOutput: '',
    })),
    checkSetup: async () => many.map((what) => ({ what, state: 'ok', detail: '' })),
    agentTypes: async () => many.map((name) => ({ name, description: name })),
  });
  for (const { name } of terminalCommands) {
    const answer = await run(name, session);
    if (answer.type === 'text') expect(answer.text.split('\n').length, name).toBeLessThanOrEqual(38);
  }
});

test('a note says where a link leads before it is saved there', async () => {
  const session = await testSession();
  const elsewhere = join(session.root, '..', 'elsewhere.md');
  writeFileSync(elsewhere, '');
  symlinkSync(elsewhere, join(session.root, 'AGENTS.md'));
  const asked = remember('be brief', session);
  expect(asked.type === 'choose' && asked.items[0]?.description).toBe(
    `of the project, a link to ${realpathSync(elsewhere)}`,
  );
});

test('/login begins a sign-in, takes the address while it waits, and leads to keys for other providers', async () => {
  const waiting = new Set<string>();
  const session = await testSession({
    logIn: async (provider) => void waiting.add(provider),
    isLoggingIn: (provider) => waiting.has(provider),
    pasteLogin: (provider, text) => void session.done.push(`paste ${provider} ${text}`),
  });
  const list = await run('login', session);
  expect(shown(await choose(list, 'openai'))).toContain('Waiting for the browser.');
  const asked = await run('login openai', session);
  expect(asked).toMatchObject({ type: 'ask', isSecret: true });
  if (asked.type === 'ask') await asked.answer('http://127.0.0.1:1455/auth/callback?code=1');
  expect(session.done).toEqual(['paste openai http://127.0.0.1:1455/auth/callback?code=1']);
  expect(await choose(list, 'key')).toMatchObject({ type: 'choose', title: 'A key for which provider?' });
  expect(shown(await run('login claude', session))).toContain("Anthropic's terms do not permit");
  expect(shown(await run('logout openai', session))).toBe('Signed out of openai.');
  expect(shown(await run('logout', session))).toBe(
    'Name the provider: /logout openai, /logout openrouter, /logout copilot.',
  );
});
