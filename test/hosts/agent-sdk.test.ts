import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  covered,
  type Fields,
  folder,
  load,
  messagesOf,
  newest,
  notices,
  ofKind,
  Prompts,
  pathOf,
  place,
  resultOf,
  run,
  sdkTest,
  until,
  zod,
} from './agent-sdk.js';

const touch = (file: string) => ({ calls: [{ name: 'Bash', input: { command: `touch ${file}` } }] });
const write = (file_path: string, content: string) => ({ calls: [{ name: 'Write', input: { file_path, content } }] });
const done = { text: 'Done.' };

sdkTest(
  'runs a prompt with the model, the system prompt and the folder of the host',
  { options: ['model', 'systemPrompt', 'cwd', 'env', 'executable', 'pathToClaudeCodeExecutable', 'stderr'] },
  async () => {
    const at = await place([done]);
    const messages = await run(at, { model: 'claude-opus-5-5', systemPrompt: 'You are a clerk.', stderr: () => {} });
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: 'Done.', usage: expect.any(Object) });
    const [request] = at.server.requests;
    expect(request?.body.model).toContain('opus');
    expect(JSON.stringify(request?.body.system)).toContain('You are a clerk.');
    expect(JSON.stringify(request?.body.system)).not.toContain('You are Helve');
    expect(ofKind(messages, 'init')).toMatchObject([{ cwd: at.cwd, claude_code_version: expect.any(String) }]);
    expect(ofKind(messages, 'assistant')[0]?.['message']).toMatchObject({ type: 'message', usage: expect.any(Object) });
    expect(ofKind(messages, 'session_state_changed').map(({ state }) => state)).toEqual(['running', 'idle']);
  },
);

sdkTest(
  'asks canUseTool, and obeys both answers',
  { options: ['canUseTool', 'permissionMode', 'executableArgs'] },
  async () => {
    const at = await place([touch('yes'), touch('no'), done]);
    const asked: string[] = [];
    const messages = await run(at, {
      permissionMode: 'default',
      executableArgs: ['--no-warnings'],
      canUseTool: async (_name: string, input: Fields) => {
        asked.push(String(input['command']));
        if (asked.length === 1) return { behavior: 'allow', updatedInput: input };
        return { behavior: 'deny', message: 'Not this one.' };
      },
    });
    expect(asked).toEqual(['touch yes', 'touch no']);
    expect([existsSync(join(at.cwd, 'yes')), existsSync(join(at.cwd, 'no'))]).toEqual([true, false]);
    expect(resultOf(messages)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    expect(ofKind(messages, 'session_state_changed').map(({ state }) => state)).toContain('requires_action');
    expect(ofKind(messages, 'permission_denied')).toHaveLength(1);
    expect(ofKind(messages, 'user')[0]).toHaveProperty('tool_use_result');
  },
);

sdkTest(
  "the model calls the host's own tools, on the path of every call",
  { options: ['mcpServers', 'strictMcpConfig', 'disallowedTools', 'allowedTools'] },
  async () => {
    const [{ tool, createSdkMcpServer }, z] = [await load(), await zod()];
    const hello = (name: string) =>
      tool(name, 'Greets', { who: z.string() }, async ({ who }: { who: string }) => ({
        content: [{ type: 'text', text: `Hello, ${who}.` }],
      }));
    const mine = createSdkMcpServer({ name: 'mine', version: '1.0.0', tools: [hello('hello'), hello('secret')] });
    const call = (name: string) => ({ name: `mcp__mine__${name}`, input: { who: 'you' } });
    const at = await place([{ calls: [call('hello'), call('secret')] }, done]);
    await run(at, {
      mcpServers: { mine },
      strictMcpConfig: true,
      allowedTools: ['mcp__mine__hello', 'mcp__mine__secret'],
      disallowedTools: ['mcp__mine__secret'],
    });
    const [, second] = at.server.requests;
    const sent = JSON.stringify(second?.body.messages.at(-1));
    expect(sent).toContain('Hello, you.');
    expect(sent.match(/Hello, you\./g)).toHaveLength(1);
    expect(at.server.requests[0]?.body.tools?.map(({ name }) => name)).not.toContain('mcp__mine__secret');
  },
);

sdkTest(
  'starts the agents of the host, and holds the conversation with one of them',
  { options: ['agents', 'agent', 'forwardSubagentText', 'agentProgressSummaries'] },
  async () => {
    const task = { name: 'Task', input: { description: 'count', prompt: 'Count.', subagent_type: 'counter' } };
    const at = await place([{ calls: [task] }, { text: 'Three.' }, done]);
    const agents = {
      counter: { description: 'Counts things', prompt: 'You count.' },
      clerk: { description: 'Keeps records', prompt: 'You keep records.' },
    };
    const messages = await run(at, {
      agents,
      agent: 'clerk',
      forwardSubagentText: true,
      agentProgressSummaries: true,
      allowedTools: ['Task'],
    });
    expect(JSON.stringify(at.server.requests[0]?.body.system)).toContain('You keep records.');
    expect(JSON.stringify(at.server.requests[1]?.body.system)).toContain('You count.');
    for (const kind of ['task_started', 'task_updated', 'task_notification']) {
      expect(ofKind(messages, kind)).toMatchObject([{ task_id: expect.any(String) }]);
    }
    expect(notices(messages)).toContain('agentProgressSummaries of initialize has no effect');
  },
);

sdkTest(
  'restricts the tools, the skills and the sources of settings',
  { options: ['tools', 'toolAliases', 'settingSources', 'skills', 'settings', 'managedSettings'] },
  async () => {
    const at = await place([
      {
        calls: [
          { name: 'Read', input: { file_path: 'secret.txt' } },
          { name: 'Read', input: { file_path: 'b.txt' } },
        ],
      },
      touch('a'),
      done,
      done,
    ]);
    await mkdir(join(at.home, '.helve'), { recursive: true });
    for (const name of ['secret.txt', 'b.txt', 'c.txt']) await writeFile(join(at.cwd, name), `text of ${name}`);
    const permissions = { allow: ['Bash(touch:*)'], deny: ['Read(//**/secret.txt)'] };
    await writeFile(join(at.home, '.helve/settings.json'), JSON.stringify({ permissions }));
    for (const skill of ['one', 'two']) {
      await mkdir(join(at.home, '.helve/skills', skill), { recursive: true });
      const text = `---\nname: ${skill}\ndescription: the skill ${skill}\n---\nText`;
      await writeFile(join(at.home, '.helve/skills', skill, 'SKILL.md'), text);
    }
    const messages = await run(at, {
      tools: ['Read', 'Bash', 'Grep'],
      toolAliases: { Grep: 'mcp__x__grep' },
      settingSources: [],
      skills: ['one'],
      settings: { maxRunMinutes: 5 },
      managedSettings: { permissions: { deny: ['Read(b.txt)'] } },
    });
    expect(ofKind(messages, 'init')[0]?.['tools']).toEqual(expect.arrayContaining(['Read', 'Bash']));
    expect(at.server.requests[0]?.body.tools?.map(({ name }) => name).toSorted()).toEqual(['Bash', 'Read']);
    const sent = JSON.stringify(at.server.requests.at(-1)?.body.messages);
    expect(sent).not.toContain('text of secret.txt');
    expect(sent).not.toContain('text of b.txt');
    expect(existsSync(join(at.cwd, 'a'))).toBe(false); // an allow rule of the user does not apply
    const again = await run(at, { skills: ['one'] });
    expect(ofKind(again, 'init')[0]?.['skills']).toEqual(['one']);
  },
);

sdkTest(
  'limits runs, and takes thinking, effort, betas and budgets',
  {
    options: ['maxTurns', 'maxBudgetUsd', 'thinking', 'effort', 'maxThinkingTokens', 'betas', 'taskBudget'],
  },
  async () => {
    const at = await place([touch('a'), touch('b'), done, done, done]);
    const limits = { maxTurns: 1, maxBudgetUsd: 5, taskBudget: { total: 1_000 }, betas: ['context-1m-2025-08-07'] };
    const messages = await run(at, { ...limits, allowedTools: ['Bash'], effort: 'xhigh' });
    expect(resultOf(messages)).toMatchObject({ subtype: 'error_max_turns' });
    expect(notices(messages)).toMatch(/--betas has no effect[\s\S]*--task-budget has no effect/);
    expect(resultOf(await run(at, { thinking: { type: 'disabled' } }))).toMatchObject({ is_error: false });
    expect(resultOf(await run(at, { maxThinkingTokens: 2_000 }))).toMatchObject({ is_error: false });
  },
);

sdkTest(
  'streams partial messages and hook events, and gives structured output',
  { options: ['includePartialMessages', 'includeHookEvents', 'outputFormat', 'verbatimPrompts', 'promptSuggestions'] },
  async () => {
    const at = await place([{ calls: [{ name: 'StructuredOutput', input: { count: 3 } }] }, done]);
    const schema = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
    const messages = await run(at, {
      includePartialMessages: true,
      includeHookEvents: true,
      verbatimPrompts: true,
      promptSuggestions: true,
      hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
      outputFormat: { type: 'json_schema', schema },
    });
    expect(resultOf(messages)).toMatchObject({ structured_output: { count: 3 } });
    const events = ofKind(messages, 'stream_event').map(({ event }) => event as Fields);
    expect(events.find(({ type }) => type === 'message_start')?.['message']).toHaveProperty('usage');
    expect(events.find(({ type }) => type === 'message_delta')).toHaveProperty('usage');
    expect(ofKind(messages, 'hook_started')).not.toEqual([]);
    expect(ofKind(messages, 'hook_response')).not.toEqual([]);
    expect(notices(messages)).toContain('promptSuggestions of initialize has no effect');
  },
);

sdkTest(
  'keeps, continues, resumes and forks sessions',
  {
    options: [
      ...['sessionId', 'persistSession', 'continue', 'resume', 'forkSession', 'resumeSessionAt', 'resumeDropsTurn'],
      ...['title', 'fallbackModel', 'additionalDirectories', 'debug', 'debugFile', 'projectConfigRoot'],
    ],
  },
  async () => {
    const at = await place([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }, { text: 'Fourth.' }, done]);
    const sessionId = '123e4567-e89b-42d3-a456-426614174000';
    const other = join(at.home, 'other');
    await mkdir(other);
    const first = await run(at, {
      sessionId,
      title: 'A title',
      fallbackModel: 'claude-haiku-4-5',
      additionalDirectories: [other],
      debug: true,
    });
    expect(resultOf(first)).toMatchObject({ session_id: sessionId });
    expect(existsSync(join(at.home, '.helve/sessions', sessionId))).toBe(true);
    expect(resultOf(await run(at, { continue: true }))).toMatchObject({ session_id: sessionId });
    const cut = { resumeSessionAt: 'm1', projectConfigRoot: at.cwd, debugFile: join(at.home, 'log') };
    const third = await run(at, { resume: sessionId, ...cut });
    expect(notices(third)).toMatch(/resumed as a whole[\s\S]*--project-config-root has no effect/);
    const fork = await run(at, { resume: sessionId, forkSession: true, resumeDropsTurn: 'm2' });
    expect(resultOf(fork)['session_id']).not.toBe(sessionId);
    expect(JSON.stringify(at.server.requests.at(-1)?.body.messages)).toContain('Third.');
    const [lost] = ofKind(await run(at, { persistSession: false }), 'init');
    expect(existsSync(join(at.home, '.helve/sessions', String(lost?.['session_id'])))).toBe(false);
  },
);

sdkTest('loads a plugin of the host once its content is approved', { options: ['plugins'] }, async () => {
  const at = await place([done, done]);
  const path = join(at.home, 'greeter');
  await mkdir(join(path, '.claude-plugin'), { recursive: true });
  await mkdir(join(path, 'skills/greet'), { recursive: true });
  await writeFile(join(path, '.claude-plugin/plugin.json'), '{"name": "greeter"}');
  await writeFile(join(path, 'skills/greet/SKILL.md'), '---\nname: greet\ndescription: Greets\n---\nGreet.');
  const plugins = [{ type: 'local', path }];
  const [held] = ofKind(await run(at, { plugins }), 'init');
  expect(held).toMatchObject({ plugins: [], skills: [] });
  const [loaded] = ofKind(await run(at, { plugins, extraArgs: { trust: null } }), 'init');
  expect(loaded).toMatchObject({ plugins: [{ name: 'greeter' }], skills: ['greeter:greet'] });
  expect(JSON.stringify(at.server.requests.at(-1)?.body)).toContain('greeter:greet');
});

sdkTest(
  'goes on without dialogs and plugins of initialize, and says so',
  { options: ['pluginDelivery', 'supportedDialogKinds', 'onUserDialog', 'perTaskStopAffordance'] },
  async () => {
    const at = await place([done]);
    const plugins = [{ type: 'local', path: at.cwd }];
    const dialogs = { supportedDialogKinds: ['x'], onUserDialog: async () => ({ behavior: 'cancelled' }) };
    const said = await run(at, { plugins, pluginDelivery: 'initialize', ...dialogs, perTaskStopAffordance: true });
    expect(notices(said)).toMatch(/supportedDialogKinds.*\n.*perTaskStopAffordance.*\n.*plugins are loaded before it/);
    expect(resultOf(said)).toMatchObject({ result: 'Done.' });
  },
);

sdkTest(
  'takes modes, the sandbox, the name of a permission tool, and arguments that the SDK does not know',
  {
    options: [
      ...['allowDangerouslySkipPermissions', 'permissionPromptToolName', 'permissionPrompts', 'sandbox', 'extraArgs'],
      ...['planModeInstructions', 'spawnClaudeCodeProcess', 'abortController', 'enableFileCheckpointing'],
    ],
  },
  async () => {
    const at = await place([touch('a'), done, touch('b'), done, done]);
    const abortController = new AbortController();
    const bypass = await run(at, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      sandbox: { enabled: false },
      extraArgs: { 'replay-user-messages': '' },
      enableFileCheckpointing: true,
      abortController,
    });
    expect(existsSync(join(at.cwd, 'a'))).toBe(true);
    expect(bypass.some(({ isReplay }) => isReplay === true)).toBe(true);
    await run(at, { permissionPromptToolName: 'stdio', permissionPrompts: 'none' });
    expect(existsSync(join(at.cwd, 'b'))).toBe(false);
    const started: unknown[] = [];
    const spawnClaudeCodeProcess = ({
      command,
      args,
      cwd,
      env,
    }: {
      command: string;
      args: string[];
      cwd: string;
      env: NodeJS.ProcessEnv;
    }) => {
      started.push(command);
      return spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    };
    await run(at, { permissionMode: 'plan', planModeInstructions: 'Plan in verse.', spawnClaudeCodeProcess });
    expect(started).toHaveLength(1);
    expect(JSON.stringify(at.server.requests.at(-1)?.body.messages)).toContain('Plan in verse.');
  },
);

sdkTest(
  'answers the methods that look',
  {
    methods: [
      ...['initializationResult', 'reinitialize', 'supportedCommands', 'supportedModels', 'supportedAgents'],
      ...['mcpServerStatus', 'getContextUsage', 'usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET'],
      ...['readFile', 'reloadSkills', 'reloadOutputStyles', 'reloadPlugins', 'accountInfo', 'streamInput', 'close'],
      'setMcpPermissionModeOverride',
    ],
  },
  async () => {
    const at = await place([done, done]);
    await writeFile(join(at.cwd, 'a.txt'), 'text of a');
    await writeFile(join(at.cwd, 'b.txt'), 'text of b');
    const prompts = new Prompts();
    const { query } = await load();
    const q = query({ prompt: prompts, options: { ...at.options, disallowedTools: ['Read(b.txt)'] } });
    const reading = messagesOf(q);
    expect(await q['initializationResult']()).toMatchObject({ output_style: 'default' });
    expect(await q['reinitialize']()).toMatchObject({ output_style: 'default' });
    expect(await q['supportedCommands']()).toEqual([]);
    expect(await q['supportedModels']()).toContainEqual(expect.objectContaining({ value: 'default' }));
    expect(await q['supportedAgents']()).toContainEqual(expect.objectContaining({ name: 'Plan' }));
    expect(await q['mcpServerStatus']()).toEqual([]);
    expect(await q['getContextUsage']()).toMatchObject({ totalTokens: expect.any(Number) });
    expect(await q['usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET']()).toMatchObject({
      session: { total_cost_usd: 0 },
    });
    expect(await q['accountInfo']()).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' });
    expect(await q['readFile']('a.txt')).toMatchObject({ contents: expect.stringContaining('text of a') });
    expect(JSON.stringify(await q['readFile']('b.txt').catch(String))).not.toContain('text of b');
    expect(await q['reloadSkills']()).toEqual({ skills: [] });
    await expect(q['reloadOutputStyles']()).rejects.toThrow('read when a session starts');
    await expect(q['reloadPlugins']()).rejects.toThrow('loaded when a session starts');
    await expect(q['setMcpPermissionModeOverride']('x', 'default')).rejects.toThrow('There is no control request');
    prompts.send('one');
    prompts.end();
    expect(resultOf(await reading)).toMatchObject({ result: 'Done.' });
    q['close']();
  },
);

sdkTest(
  'answers the methods that change something',
  {
    methods: [
      ...['setPermissionMode', 'setModel', 'setMaxThinkingTokens', 'applyFlagSettings', 'updateSettings'],
      ...['rewindFiles', 'seedReadState', 'stopTask', 'backgroundTasks', 'interrupt'],
    ],
  },
  async () => {
    const held = Promise.withResolvers<void>();
    const at = await place([
      write('new.txt', 'x'),
      done,
      { text: 'never', holdAfter: { events: 1, until: held.promise } },
      done,
    ]);
    const prompts = new Prompts();
    const { query } = await load();
    const q = query({ prompt: prompts, options: at.options });
    await writeFile(join(at.cwd, 'old.txt'), 'old');
    await q['setPermissionMode']('acceptEdits');
    await q['setModel']('claude-haiku-4-5');
    await q['setMaxThinkingTokens'](0);
    await q['applyFlagSettings']({ effortLevel: 'low' });
    await expect(q['applyFlagSettings']({ permissions: {} })).rejects.toThrow("can't change during a conversation");
    await q['updateSettings']('userSettings', { theme: 'dark' });
    await expect(q['updateSettings']('userSettings', { permissions: { allow: ['Bash'] } })).rejects.toThrow(
      'decide what calls may do',
    );
    await q['seedReadState'](join(at.cwd, 'old.txt'), (await stat(join(at.cwd, 'old.txt'))).mtimeMs);
    await expect(q['stopTask']('none')).rejects.toThrow('There is no task "none"');
    await q['backgroundTasks']();
    const uuid = '7b6a0f3e-0000-4000-8000-000000000001';
    prompts.send('one', { uuid });
    await until(q, 'result');
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(true);
    expect(at.server.requests[0]?.body.model).toContain('haiku');
    const would = await q['rewindFiles'](uuid, { dryRun: true });
    expect(would).toMatchObject({ canRewind: true, filesChanged: [expect.stringContaining('new.txt')] });
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(true);
    expect(await q['rewindFiles'](uuid)).toMatchObject({ canRewind: true });
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(false);
    expect(await q['rewindFiles']('unknown')).toMatchObject({ canRewind: false });
    prompts.send('two');
    await until(q, 'init');
    await q['interrupt']();
    expect(await until(q, 'result')).toMatchObject({ terminal_reason: 'interrupted' });
    held.resolve();
    prompts.send('three');
    prompts.end();
    await messagesOf(q);
  },
);

sdkTest(
  'adds, reconnects, switches off and reads MCP servers during a conversation',
  { methods: ['setMcpServers', 'reconnectMcpServer', 'toggleMcpServer', 'readMcpResource'] },
  async () => {
    const [{ query, tool, createSdkMcpServer }, z] = [await load(), await zod()];
    const at = await place([{ calls: [{ name: 'mcp__late__hello', input: { who: 'you' } }] }, done]);
    const prompts = new Prompts();
    const asked: string[] = [];
    const canUseTool = async (name: string, input: Fields) => {
      asked.push(name);
      return { behavior: 'allow', updatedInput: input };
    };
    const q = query({ prompt: prompts, options: { ...at.options, canUseTool } });
    const hello = tool('hello', 'Greets', { who: z.string() }, async () => ({
      content: [{ type: 'text', text: 'Hi!' }],
    }));
    const late = createSdkMcpServer({ name: 'late', version: '1.0.0', tools: [hello] });
    const instance = (late as { instance: { resource(...given: unknown[]): void } }).instance;
    instance.resource('note', 'note://1', async () => ({ contents: [{ uri: 'note://1', text: 'the note' }] }));
    expect(await q['setMcpServers']({ late })).toMatchObject({ added: ['late'], errors: {} });
    expect(await q['mcpServerStatus']()).toMatchObject([{ name: 'late', status: 'connected' }]);
    await q['reconnectMcpServer']('late');
    await q['toggleMcpServer']('late', false);
    expect(await q['mcpServerStatus']()).toMatchObject([{ name: 'late', status: 'disabled' }]);
    await q['toggleMcpServer']('late', true);
    expect(JSON.stringify(await q['readMcpResource']('late', 'note://1'))).toContain('the note');
    prompts.send('go');
    prompts.end();
    await messagesOf(q);
    expect(JSON.stringify(at.server.requests.at(-1)?.body.messages)).toContain('Hi!');
    expect(asked).toEqual(['ReadMcpResource', 'mcp__late__hello']); // the host is asked about its own requests too
  },
);

const accepted = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Notification', 'UserPromptSubmit'],
  ...['UserPromptExpansion', 'SessionStart', 'SessionEnd', 'Stop', 'StopFailure', 'SubagentStart', 'SubagentStop'],
  ...['PreCompact', 'PostCompact', 'PreModelSwitch', 'PostModelSwitch', 'PermissionRequest', 'PermissionDenied'],
  ...['Setup', 'TeammateIdle', 'TaskCreated', 'TaskCompleted', 'WorktreeCreate', 'WorktreeRemove'],
  ...['InstructionsLoaded', 'CwdChanged', 'FileChanged', 'DirectoryAdded', 'MessageDisplay'],
];

sdkTest('calls the hooks of the host', { options: ['hooks'], hooks: accepted }, async () => {
  const task = { name: 'Task', input: { description: 'count', prompt: 'Count.', subagent_type: 'general-purpose' } };
  const at = await place([
    { calls: [{ name: 'Bash', input: { command: 'mkdir sub && cd sub' } }] },
    { calls: [{ name: 'Read', input: { file_path: 'missing' } }, task] },
    { text: 'Three.' },
    done,
    { text: 'A summary.' },
    done,
  ]);
  await writeFile(join(at.cwd, 'CLAUDE.md'), 'Be brief.');
  const fired = new Set<string>();
  const hook = async (input: Fields) => {
    fired.add(String(input['hook_event_name']));
    return {};
  };
  const prompts = new Prompts();
  const { query } = await load();
  const hooks = Object.fromEntries(accepted.map((event) => [event, [{ hooks: [hook] }]]));
  const q = query({ prompt: prompts, options: { ...at.options, hooks, allowedTools: ['Bash', 'Task'] } });
  prompts.send('one');
  await until(q, 'result');
  await q['setModel']('claude-haiku-4-5');
  prompts.send('/compact');
  expect(await until(q, 'result')).toMatchObject({ is_error: false });
  prompts.end();
  await messagesOf(q);
  expect([...fired].toSorted()).toEqual(
    expect.arrayContaining([
      ...['CwdChanged', 'InstructionsLoaded', 'PostCompact', 'PostModelSwitch', 'PostToolBatch', 'PostToolUse'],
      ...['PreCompact', 'PreModelSwitch', 'PreToolUse', 'SessionStart', 'Stop', 'SubagentStart', 'SubagentStop'],
      'UserPromptSubmit',
    ]),
  );
});

sdkTest('says which events never occur here, and goes on', {}, async () => {
  const at = await place([done]);
  const never = ['TeammateIdle', 'MessageDisplay'];
  const hooks = Object.fromEntries(never.map((event) => [event, [{ hooks: [async () => ({ decision: 'block' })] }]]));
  const messages = await run(at, { hooks });
  for (const event of never) expect(notices(messages)).toContain(event);
  expect(resultOf(messages)).toMatchObject({ result: 'Done.' });
});

sdkTest(
  'refuses hooks that could keep something from happening and would not be called',
  { hooks: ['Elicitation', 'ElicitationResult', 'ConfigChange'] },
  async () => {
    const at = await place([]);
    for (const event of ['Elicitation', 'ElicitationResult', 'ConfigChange']) {
      const { query } = await load();
      const q = query({
        prompt: 'go',
        options: { ...at.options, hooks: { [event]: [{ hooks: [async () => ({})] }] } },
      });
      expect(resultOf(await messagesOf(q))).toMatchObject({
        result: expect.stringContaining(`does not call hooks of the event ${event}`),
      });
    }
    expect(at.server.requests).toEqual([]);
  },
);

sdkTest('a PreModelSwitch hook keeps the model as it is', {}, async () => {
  const at = await place([done]);
  const prompts = new Prompts();
  const { query } = await load();
  const block = async () => ({ decision: 'block', reason: 'Sonnet only.' });
  const q = query({ prompt: prompts, options: { ...at.options, hooks: { PreModelSwitch: [{ hooks: [block] }] } } });
  await expect(q['setModel']('claude-haiku-4-5')).rejects.toThrow('Sonnet only.');
  prompts.send('go');
  prompts.end();
  await messagesOf(q);
  expect(at.server.requests[0]?.body.model).not.toContain('haiku');
});

/** Members of the typings that no test covers, each with the reason. */
const reasons: Readonly<Record<string, string>> = {
  sessionStore: 'the SDK itself keeps a second copy of sessions; Helve names --session-mirror as without effect',
  sessionStoreFlush: 'belongs to sessionStore',
  loadTimeoutMs: 'belongs to sessionStore',
  toolConfig: 'about the preview of questions in the interface of Claude Code; it sends nothing to Helve',
  onElicitation: 'questions of MCP servers come as questions with choices, to canUseTool',
};

test('every option, method and hook event of the typings has a test or a reason', ({ skip }) => {
  if (!existsSync(pathOf(newest))) skip('the SDK is not there');
  const typings = readFileSync(join(folder, newest, 'sdk.d.ts'), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const members = (start: string): string[] => {
    const from = typings.indexOf(start);
    const body = typings.slice(from, typings.indexOf('\n}', from));
    return [...body.matchAll(/^ {4}(\w+)\??[(:]/gm)].map(([, name = '']) => name);
  };
  const [, events = ''] = /const HOOK_EVENTS: readonly \[([^\]]*)\]/.exec(typings) ?? [];
  const missing = [
    ...members('export declare type Options = {').filter((name) => !covered.options.has(name)),
    ...members('export declare interface Query ').filter((name) => !covered.methods.has(name)),
    ...[...events.matchAll(/'(\w+)'/g)].map(([, name = '']) => name).filter((name) => !covered.hooks.has(name)),
  ];
  expect(covered.options.size + covered.methods.size + covered.hooks.size).toBeGreaterThan(100);
  expect(missing.toSorted()).toEqual(Object.keys(reasons).toSorted());
  expect(Object.keys(reasons).length).toBeLessThanOrEqual(6);
});

for (const version of ['0.1.0', '0.1.77', '0.2.50', '0.2.122']) {
  const sdk = `sdk-${version}`;
  sdkTest(
    `the SDK ${version} runs a prompt, a call with permission, a hook and an interrupt`,
    {},
    async () => {
      const held = Promise.withResolvers<void>();
      const at = await place([
        touch('yes'),
        touch('no'),
        done,
        { text: 'x', holdAfter: { events: 1, until: held.promise } },
        done,
      ]);
      const prompts = new Prompts();
      const { query } = await load(sdk);
      let hooked = 0;
      const hook = async () => {
        hooked += 1;
        return {};
      };
      const canUseTool = async (_name: string, input: Fields) =>
        input['command'] === 'touch yes'
          ? { behavior: 'allow', updatedInput: input }
          : { behavior: 'deny', message: 'No.' };
      const options = { ...at.options, canUseTool, hooks: { PreToolUse: [{ hooks: [hook] }] }, systemPrompt: 'Clerk.' };
      const q = query({ prompt: prompts, options });
      prompts.send('one');
      expect(await until(q, 'result')).toMatchObject({ subtype: 'success', result: 'Done.' });
      expect([existsSync(join(at.cwd, 'yes')), existsSync(join(at.cwd, 'no'))]).toEqual([true, false]);
      expect(hooked).toBe(2);
      expect(JSON.stringify(at.server.requests[0]?.body.system)).toContain('Clerk.');
      prompts.send('two');
      await until(q, 'init');
      await q['interrupt']();
      expect(await until(q, 'result')).toMatchObject({ is_error: true });
      held.resolve();
      prompts.send('three');
      prompts.end();
      for (;;) if ((await q.next()).done) break;
    },
    sdk,
  );
}
