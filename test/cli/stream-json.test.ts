import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileAppears, isRunning } from './run-helve.js';
import { fields, startHost } from './stream-json-host.js';

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);

const echo = (command: string, id = 'toolu_1') => ({ calls: [{ name: 'Bash', id, input: { command } }] });

const asking = ['--permission-prompt-tool', 'stdio'];

test('runs prompt after prompt in one conversation, each with its own init and result', async () => {
  const host = await startHost([{ text: 'One.' }, { text: 'Two.' }]);
  host.prompt('first');
  expect(await host.next('init')).toEqual({
    type: 'system',
    subtype: 'init',
    cwd: host.cwd,
    tools: expect.arrayContaining(['Bash', 'Read']),
    mcp_servers: [],
    model: 'claude-sonnet-5-5',
    permissionMode: 'default',
    slash_commands: [],
    agents: expect.arrayContaining(['general-purpose', 'Explore', 'Plan']),
    skills: [],
    plugins: [],
    output_style: 'default',
    apiKeySource: 'ANTHROPIC_API_KEY',
    helve_version: expect.any(String),
    claude_code_version: expect.any(String),
    session_id: uuid,
    uuid,
  });
  expect(await host.next('assistant')).toEqual({
    type: 'assistant',
    message: {
      id: expect.any(String),
      type: 'message',
      role: 'assistant',
      model: expect.any(String),
      content: [{ type: 'text', text: 'One.' }],
      stop_reason: null,
      stop_sequence: null,
      usage: expect.objectContaining({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) }),
    },
    parent_tool_use_id: null,
    session_id: uuid,
    uuid,
  });
  expect(await host.next('success')).toEqual({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: expect.any(Number),
    duration_api_ms: expect.any(Number),
    num_turns: 1,
    result: 'One.',
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    total_cost_usd: expect.any(Number),
    cost_is_known: true,
    usage: expect.objectContaining({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) }),
    modelUsage: expect.any(Object),
    permission_denials: [],
    session_id: uuid,
    uuid,
  });
  host.prompt([{ type: 'text', text: 'second' }]);
  await host.next('init');
  expect(await host.next('success')).toMatchObject({ result: 'Two.' });
  expect(await host.end()).toBe(0);
  expect(host.server.refused).toEqual([]);
  expect(host.server.requests[1]?.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(new Set(host.lines.map(({ session_id }) => session_id)).size).toBe(1);
});

test('runs prompts that come at once one after the other, and ends when the input has ended', async () => {
  const host = await startHost(({ body }) => ({ text: `${body.messages.length}` }));
  for (const word of ['a', 'b', 'c']) host.prompt(word);
  expect(await host.end()).toBe(0);
  expect(host.kinds()).toEqual(['a', 'b', 'c'].flatMap(() => ['init', 'assistant', 'success']));
  expect(host.lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual(['1', '3', '5']);
});

test('sends images of a prompt to the model', async () => {
  const host = await startHost([{ text: 'A dot.' }]);
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
  host.prompt([image, { type: 'text', text: 'what is it?' }]);
  expect(await host.end()).toBe(0);
  expect(host.server.requests[0]?.body.messages[0]?.content).toMatchObject([image, { type: 'text' }]);
});

test('answers invalid lines with an error, and continues', async () => {
  const host = await startHost([{ text: 'Still here.' }]);
  const bad = [
    'broken{',
    '[]',
    '{"type": "unheard of"}',
    '{"type": "user"}',
    '{"type": "user", "message": {"role": "user", "content": "  "}}',
    '{"type": "user", "message": {"role": "assistant", "content": "x"}}',
    '{"type": "user", "message": {"role": "user", "content": [{"type": "audio"}]}}',
    '{"type": "control_request", "request": {"subtype": "interrupt"}}',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  ];
  for (const line of bad) host.send(line);
  host.send('');
  host.send('{"type": "keep_alive"}');
  host.prompt('hello');
  expect(await host.end()).toBe(0);
  const errors = host.lines.filter(({ subtype }) => subtype === 'input_error');
  expect(errors.map(({ line }) => line)).toEqual(bad.map((_, index) => index + 1));
  expect(errors[0]).toEqual({
    type: 'system',
    subtype: 'input_error',
    line: 1,
    error: expect.stringContaining('Line 1 of the input was left out: it is not valid JSON'),
    session_id: uuid,
    uuid,
  });
  expect(errors[6]).toMatchObject({ error: expect.stringMatching(/content\[0\]" must be of the type text or image/) });
  expect(host.lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Still here.' });
});

test('takes a line of ten megabytes', async () => {
  const host = await startHost(({ text }) => ({ text: `${text.length > 10_000_000}` }));
  const data = Buffer.alloc(7_500_000, 'x').toString('base64');
  host.prompt([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]);
  expect(await host.next('success')).toMatchObject({ result: 'true' });
  expect(await host.end()).toBe(0);
});

test('leaves out a line that is too long for the memory, and reads the next one', async () => {
  const host = await startHost([{ text: 'ok' }]);
  for (let written = 0; written < 70; written += 1) host.child.stdin?.write('x'.repeat(1024 * 1024));
  host.send('');
  host.prompt('hello');
  expect(await host.next('input_error')).toMatchObject({ line: 1, error: expect.stringContaining('73400320 bytes') });
  expect(await host.next('success')).toMatchObject({ result: 'ok' });
  expect(await host.end()).toBe(0);
});

test('repeats prompts with --replay-user-messages', async () => {
  const host = await startHost([{ text: 'ok' }], { args: ['--replay-user-messages'] });
  host.prompt('hello', { uuid: '7b6a0f3e-0000-4000-8000-000000000001', session_id: 'any' });
  await host.end();
  expect(host.lines[1]).toEqual({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    parent_tool_use_id: null,
    isReplay: true,
    session_id: uuid,
    uuid: '7b6a0f3e-0000-4000-8000-000000000001',
  });
});

test('answers initialize with what a host can choose from', async () => {
  const host = await startHost([]);
  expect(await host.request({ subtype: 'initialize', hooks: null })).toEqual({
    subtype: 'success',
    request_id: 'request-1',
    response: {
      commands: [],
      agents: expect.arrayContaining([{ name: 'Plan', description: expect.stringContaining('how to make a change') }]),
      models: expect.arrayContaining([
        {
          value: 'default',
          resolvedModel: 'anthropic/claude-sonnet-5-5',
          displayName: 'claude-sonnet-5-5',
          description: expect.any(String),
          supportsEffort: true,
          supportedEffortLevels: ['low', 'medium', 'high', 'max'],
        },
      ]),
      output_style: 'default',
      available_output_styles: ['default'],
      account: { apiKeySource: 'ANTHROPIC_API_KEY' },
      capabilities: expect.arrayContaining(['initialize', 'interrupt', 'set_model', 'set_permission_mode']),
      pid: host.child.pid,
      unsupported_hook_events: [],
      hooks_applied: true,
      hook_on_failure_supported: false,
      plugins_applied: false,
    },
  });
  expect(await host.end()).toBe(0);
});

test.each([
  ['jsonSchema', { type: 'nope' }],
  ['jsonSchema', { type: 'array' }],
  ['agents', { a: { description: 'x', prompt: 'y', permissionMode: 'nope' } }],
])('answers an initialize with %s %j with the reason, and ends', async (field, value) => {
  const host = await startHost([]);
  const answer = await host.request({ subtype: 'initialize', [field]: value });
  expect(answer).toMatchObject({ subtype: 'error', error: expect.stringMatching(/\w/) });
  if (field === 'jsonSchema') expect(await host.closed).toBe(2);
});

test('says which fields of initialize have no effect', async () => {
  const host = await startHost([]);
  await host.request({
    subtype: 'initialize',
    hooks: {},
    agents: null,
    promptSuggestions: true,
    systemPrompt: '',
  });
  expect(await host.find(({ subtype }) => subtype === 'notice')).toMatchObject({
    text: 'The field promptSuggestions of initialize has no effect: Helve suggests no prompts.',
  });
});

test('ends on a signal while it waits for a prompt', async () => {
  const host = await startHost([{ text: 'ok' }]);
  host.prompt('hello');
  await host.next('success');
  host.child.kill('SIGTERM');
  expect(await host.closed).toBe(143);
});

test('calls the hooks of a host, and applies their answers', async () => {
  const host = await startHost([echo('touch a'), { text: 'I see.' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  const hooks = { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] };
  expect(await host.request({ subtype: 'initialize', hooks })).toMatchObject({ subtype: 'success' });
  host.prompt('go');
  const line = await host.next('hook_callback');
  expect(line['request']).toEqual({
    subtype: 'hook_callback',
    callback_id: 'hook_0',
    input: expect.objectContaining({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'touch a' },
    }),
    tool_use_id: 'toolu_1',
  });
  host.answer(line, {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'not by this hook',
    },
  });
  expect(await host.next('user')).toMatchObject({
    message: { content: [{ is_error: true, content: expect.stringContaining('not by this hook') }] },
  });
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
});

test.each([
  ['{ behavior: "deny" }', { behavior: 'deny' }, 'which is not known here'],
  ['null', null, 'but was null'],
  ['"deny"', 'deny', 'but was "deny"'],
])('a hook of a host that answers %s blocks the call, and the result names the answer', async (_, answer, named) => {
  const host = await startHost([echo('touch a'), { text: 'I see.' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  const hooks = {
    PreToolUse: [
      { matcher: 'Bash', hookCallbackIds: ['hook_0'] },
      { matcher: 'bash', hookCallbackIds: ['hook_1'] },
    ],
  };
  await host.request({ subtype: 'initialize', hooks });
  host.prompt('go');
  host.answer(await host.next('hook_callback'), answer as unknown as Record<string, unknown>);
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
  const notices = host.lines.filter(({ subtype }) => subtype === 'notice').map(({ text }) => text);
  expect(notices).toEqual([expect.stringContaining('Did you mean "Bash"?'), expect.stringContaining(named)]);
});

test('a hook of a host with its refusal one level too high blocks the call, and the result names it', async () => {
  const host = await startHost([echo('touch a'), { text: 'I see.' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  await host.request({ subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } });
  host.prompt('go');
  const { request_id } = await host.next('hook_callback');
  host.send({ type: 'control_response', response: { subtype: 'success', request_id, ...deny } });
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
  const notices = host.lines.filter(({ subtype }) => subtype === 'notice').map(({ text }) => text);
  expect(notices).toEqual([expect.stringContaining('the host sent "hookSpecificOutput" beside "response"')]);
});

test('a hook of a host that no longer reads requests blocks the call', async () => {
  const host = await startHost([echo('touch a'), { text: 'I see.' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  await host.request({
    subtype: 'initialize',
    hooks: { PreToolUse: [{ matcher: null, hookCallbackIds: ['hook_0'] }] },
  });
  host.prompt('go');
  expect(await host.end()).toBe(0);
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
});

const deny = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };

test('keeps the guard of a host that also has hooks for events that Helve does not have', async () => {
  const host = await startHost([echo('touch a'), { text: 'I see.' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  const hooks = {
    MessageDisplay: [{ hookCallbackIds: ['hook_1'] }],
    PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }],
  };
  for (let times = 0; times < 2; times += 1) {
    expect(await host.request({ subtype: 'initialize', hooks })).toMatchObject({
      subtype: 'success',
      response: { unsupported_hook_events: ['MessageDisplay'] },
    });
  }
  host.prompt('go');
  host.answer(await host.next('hook_callback'), deny);
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
  expect(host.lines.filter(({ subtype }) => subtype === 'notice')).toEqual([
    expect.objectContaining({ text: expect.stringMatching(/no hook event MessageDisplay: .* never called/) }),
  ]);
});

test('runs no prompt after an initialize that was refused, until one is accepted', async () => {
  const host = await startHost([{ text: 'Hello.' }], { args: ['--permission-mode', 'bypassPermissions'] });
  await host.request({ subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: 7 }] } });
  host.prompt('go');
  expect(await host.next('error_during_execution')).toMatchObject({
    is_error: true,
    result: expect.stringMatching(/^The prompt was not run, because initialize was refused.*hookCallbackIds/),
  });
  expect(host.server.requests).toEqual([]);
  await host.request({ subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } });
  host.prompt('go');
  expect(await host.next('success')).toMatchObject({ result: 'Hello.' });
  expect(await host.end()).toBe(0);
});

test.each([
  [
    'a request id that is not a text',
    '{"type":"control_request","request_id":7,"request":{"subtype":"initialize","hooks":{}}}',
  ],
  [
    'JSON that is cut off',
    '{"type":"control_request","request_id":"a","request":{"subtype":"initialize","hooks":{"Pre',
  ],
  ['another spelling', '{"type":"control_request","request_id":"a","request":{"subtype":"Initialize","hooks":{}}}'],
])('runs no prompt after an initialize with %s', async (_, line) => {
  const host = await startHost([{ text: 'Hello.' }], { args: ['--permission-mode', 'bypassPermissions'] });
  host.send(line);
  host.prompt('go');
  expect(await host.next('error_during_execution')).toMatchObject({ is_error: true });
  expect(host.server.requests).toEqual([]);
});

test.each([
  [{ PreToolUSes: [{ hookCallbackIds: ['hook_0'] }] }, /no hook event "PreToolUSes".*Use "PreToolUse"/],
  [{ pre_tool_use: [{ hookCallbackIds: ['hook_0'] }] }, /no hook event "pre_tool_use".*Use "PreToolUse"/],
  [{ BeforeTool: [{ hookCallbackIds: ['hook_0'] }] }, /no hook event "BeforeTool".*Use "PreToolUse"/],
  [{ PreToolUse: [{ matcher: '(', hookCallbackIds: ['hook_0'] }] }, /matcher/],
  [{ PreToolUse: [{}] }, /hookCallbackIds/],
])('refuses hooks %j, which would never be called', async (hooks, sentence) => {
  const host = await startHost([]);
  expect(await host.request({ subtype: 'initialize', hooks })).toEqual({
    subtype: 'error',
    request_id: 'request-1',
    error: expect.stringMatching(sentence),
  });
});

test('reports the use of the context window', async () => {
  const host = await startHost([]);
  expect(await host.request({ subtype: 'get_context_usage' })).toMatchObject({
    subtype: 'success',
    response: {
      categories: expect.arrayContaining([
        expect.objectContaining({ name: 'tools', tokens: expect.any(Number), kind: 'used' }),
      ]),
      totalTokens: expect.any(Number),
      maxTokens: expect.any(Number),
      percentage: expect.any(Number),
    },
  });
});

test('starts as hosts start such programs, without -p and with a system prompt of their own', async () => {
  const host = await startHost([{ text: 'ok' }], {
    replacedArgs: [
      '--output-format',
      'stream-json',
      '--verbose',
      '--system-prompt',
      '',
      '--input-format',
      'stream-json',
    ],
  });
  host.prompt('hello', { parent_tool_use_id: null, session_id: 'default' });
  expect(await host.next('success')).toMatchObject({ result: 'ok' });
  expect(JSON.stringify(host.server.requests[0]?.body.system)).not.toContain('You are Helve');
  expect(host.server.refused).toEqual([]);
});

test.each([
  [{ subtype: 'mcp_call', tool: 'mcp__s__t', args: {} }, 'mcp_call has no field "args". Send it as "arguments".'],
  [{ subtype: 'read_file', path: 'a', maxBytes: 1 }, 'read_file has no field "maxBytes". Send it as "max_bytes".'],
  [{ subtype: 'read_file' }, 'read_file needs the field "path", which is missing.'],
  [{ subtype: 'mcp_toggle', serverName: 's', enabled: 'no' }, '"enabled" of mcp_toggle must be true or false'],
  [{ subtype: 'stop_task', taskId: 'b1' }, 'stop_task has no field "taskId". Send it as "task_id".'],
])('refuses the request %j, naming the field', async (request, sentence) => {
  const host = await startHost([]);
  expect(await host.request(request)).toMatchObject({ subtype: 'error', error: expect.stringContaining(sentence) });
});

test('ignores fields of newer hosts', async () => {
  const host = await startHost([]);
  const request = { subtype: 'file_suggestions', query: 'x', generation: 3, _meta: {} };
  expect(await host.request(request)).toMatchObject({ subtype: 'success' });
});

test('an unknown request is answered with the list of known ones', async () => {
  const host = await startHost([]);
  expect(await host.request({ subtype: 'toString' })).toEqual({
    subtype: 'error',
    request_id: 'request-1',
    error: expect.stringMatching(
      /no control request "toString".*initialize, interrupt,.*set_permission_mode, set_model/,
    ),
  });
  expect(await host.request({})).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('"request.subtype" must be a string'),
  });
});

test('asks the host for permission in the documented format, and runs allowed calls', async () => {
  const host = await startHost([echo('npm run build:it; echo ran > it.txt'), { text: 'Done.' }], { args: asking });
  host.prompt('go');
  const { line, request } = await host.question();
  expect(line).toEqual({ type: 'control_request', request_id: uuid, request: expect.any(Object) });
  expect(request).toMatchObject({
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'npm run build:it; echo ran > it.txt' },
    tool_use_id: 'toolu_1',
    permission_suggestions: expect.any(Array),
    decision_reason: expect.any(String),
    risks: [],
    confinement: expect.stringMatching(/^Runs without a sandbox\./),
  });
  // The call itself was shown before.
  expect(host.kinds().slice(0, 3)).toEqual(['init', 'assistant', 'can_use_tool']);
  host.answer(line, { behavior: 'allow', updatedInput: request['input'] });
  expect(await host.next('success')).toMatchObject({ result: 'Done.', permission_denials: [] });
  expect(await readFile(join(host.cwd, 'it.txt'), 'utf8')).toBe('ran\n');
  expect(await host.end()).toBe(0);
});

test('names the path that a question is about', async () => {
  const write = { name: 'Write', id: 'toolu_w', input: { file_path: 'new.txt', content: 'x' } };
  const host = await startHost([{ calls: [write] }, { text: 'Done.' }], { args: asking });
  host.prompt('go');
  const { line, request } = await host.question();
  const path = join(host.cwd, 'new.txt');
  expect(request).toMatchObject({ tool_name: 'Write', tool_use_id: 'toolu_w', blocked_path: path });
  expect(request['permission_suggestions']).toEqual([
    {
      type: 'addRules',
      rules: [{ toolName: 'Edit', ruleContent: './new.txt' }],
      behavior: 'allow',
      destination: 'session',
    },
  ]);
  host.answer(line, { behavior: 'allow' });
  await host.next('success');
  expect(await readFile(path, 'utf8')).toBe('x');
});

test('tells the model what the host said when it denies', async () => {
  const host = await startHost([echo('touch a'), { text: 'I see.' }], { args: asking });
  host.prompt('go');
  const { line } = await host.question();
  host.answer(line, { behavior: 'deny', message: 'Not on a Sunday.' });
  expect(await host.next('user')).toMatchObject({
    message: { content: [{ is_error: true, content: expect.stringContaining('Not on a Sunday.') }] },
  });
  expect(await host.next('success')).toMatchObject({
    result: 'I see.',
    permission_denials: [{ tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: { command: 'touch a' } }],
  });
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
});

test('ends the run when the host denies and interrupts', async () => {
  const host = await startHost([echo('touch a'), { text: 'Next.' }], { args: asking });
  host.prompt('go');
  const { line } = await host.question();
  host.answer(line, { behavior: 'deny', message: 'Stop it all.', interrupt: true });
  expect(await host.next('error_during_execution')).toMatchObject({ is_error: true, terminal_reason: 'interrupted' });
  host.prompt('go on');
  expect(await host.next('success')).toMatchObject({ result: 'Next.' });
  expect(await host.end()).toBe(0);
});

test('runs the input that the host has changed, without asking again', async () => {
  const host = await startHost([echo('touch a'), { text: 'Done.' }], { args: asking });
  host.prompt('go');
  const { line } = await host.question();
  host.answer(line, { behavior: 'allow', updatedInput: { command: 'touch b' } });
  await host.next('success');
  expect(host.kinds().filter((kind) => kind === 'can_use_tool')).toHaveLength(1);
  expect([existsSync(join(host.cwd, 'a')), existsSync(join(host.cwd, 'b'))]).toEqual([false, true]);
});

test('checks the input that the host has changed: denied stays denied, and invalid input is reported', async () => {
  const answers = [echo('touch a', 'toolu_1'), echo('touch b', 'toolu_2'), { text: 'Done.' }];
  const host = await startHost(answers, { args: [...asking, '--disallowed-tools', 'Bash(rm:*)'] });
  await writeFile(join(host.cwd, 'kept'), '');
  host.prompt('go');
  const first = await host.question();
  host.answer(first.line, { behavior: 'allow', updatedInput: { command: 'rm kept' } });
  const second = await host.question();
  host.answer(second.line, { behavior: 'allow', updatedInput: { command: 5 } });
  await host.next('success');
  expect(existsSync(join(host.cwd, 'kept'))).toBe(true);
  const results = host.lines.filter(({ type }) => type === 'user').map(({ message }) => JSON.stringify(message));
  expect(results[0]).toContain('Bash(rm:*)');
  expect(results[1]).toContain('The user changed the input of this call to one that does not fit');
});

test.each([
  ['session', undefined],
  ['localSettings', '.helve/settings.local.json'],
  ['projectSettings', '.helve/settings.json'],
])('remembers a rule that the host sends back, in %s', async (destination, file) => {
  const answers = [echo('npm run one', 'toolu_1'), echo('npm run one', 'toolu_2'), { text: 'Done.' }];
  const host = await startHost(answers, { args: asking });
  host.prompt('go');
  const { line, request } = await host.question();
  const [update] = Array.isArray(request['permission_suggestions']) ? request['permission_suggestions'] : [];
  expect(update).toEqual({
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'npm run one:*' }],
    behavior: 'allow',
    destination: 'localSettings',
  });
  host.answer(line, { behavior: 'allow', updatedPermissions: [{ ...update, destination }] });
  await host.next('success');
  expect(host.kinds().filter((kind) => kind === 'can_use_tool')).toHaveLength(1);
  expect(host.kinds()).not.toContain('notice');
  const rules = file && JSON.parse(await readFile(join(host.cwd, file), 'utf8')).permissions.allow;
  expect(rules).toEqual(file && ['Bash(npm run one:*)']);
});

test('remembers nothing that the question did not offer', async () => {
  const answers = [echo('npm run one', 'toolu_1'), echo('rm -f ../x', 'toolu_2'), { text: 'Done.' }];
  const host = await startHost(answers, { args: asking });
  const everything = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };
  host.prompt('go');
  host.answer((await host.question()).line, { behavior: 'allow', updatedPermissions: [everything] });
  const { line, request } = await host.question();
  expect(request).toMatchObject({ input: { command: 'rm -f ../x' }, permission_suggestions: [] });
  const deleting = { ...everything, rules: [{ toolName: 'Bash', ruleContent: 'rm:*' }], destination: 'userSettings' };
  host.answer(line, { behavior: 'allow', updatedPermissions: [deleting] });
  await host.next('success');
  expect(host.lines.filter(({ subtype }) => subtype === 'notice').map(({ text }) => text)).toEqual([
    'The rule Bash was not remembered: the question offers only Bash(npm run one:*).',
    'The rule Bash(rm:*) was not remembered: nothing of this can be.',
  ]);
});

test.each([
  ['nothing', null, 'neither allow nor deny'],
  ['something else', { behavior: 'maybe' }, 'neither allow nor deny'],
  ['a new input that is a text', { behavior: 'allow', updatedInput: 'echo safe' }, 'must be an object'],
  ['a new input that is a list', { behavior: 'allow', updatedInput: ['echo safe'] }, 'must be an object'],
  ['a misspelt new input', { behavior: 'allow', updated_input: { command: 'ls' } }, '"updated_input", which is not'],
  ['yes and no', { behavior: 'allow', decision: 'deny' }, 'also "deny" in "decision"'],
])('treats an answer of %s as a denial', async (_, response, why) => {
  const host = await startHost([echo('touch a'), { text: 'Done.' }], { args: asking });
  host.prompt('go');
  host.answer((await host.question()).line, response);
  expect(await host.next('user')).toMatchObject({
    message: { content: [{ is_error: true, content: expect.stringContaining(why) }] },
  });
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
});

test('treats an error of the host as a denial', async () => {
  const host = await startHost([echo('touch a'), { text: 'Done.' }], { args: asking });
  host.prompt('go');
  const { request_id } = (await host.question()).line;
  const response = { subtype: 'error', request_id, error: 'no callback here' };
  host.send({ type: 'control_response', response });
  expect(await host.next('user')).toMatchObject({
    message: { content: [{ is_error: true, content: expect.stringContaining('no callback here') }] },
  });
});

test('denies an open question when the input ends, and says why', async () => {
  const host = await startHost([echo('touch a'), { text: 'Pity.' }], { args: asking });
  host.prompt('go');
  await host.question();
  expect(await host.end()).toBe(0);
  expect(await host.next('user')).toMatchObject({
    message: { content: [{ is_error: true, content: expect.stringContaining('the host closed its input') }] },
  });
  expect(await host.next('success')).toMatchObject({ result: 'Pity.' });
});

test('sends open questions again when a host initializes again', async () => {
  const host = await startHost([echo('touch a'), { text: 'Done.' }], { args: asking });
  host.prompt('go');
  const { line } = await host.question();
  await host.request({ subtype: 'initialize' });
  expect((await host.question()).line).toEqual(line);
  host.answer(line, { behavior: 'allow' });
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(true);
});

test('withdraws a question when the run is interrupted', async () => {
  const host = await startHost([echo('touch a'), { text: 'Later.' }], { args: asking });
  host.prompt('go');
  const { line } = await host.question();
  expect(await host.request({ subtype: 'interrupt' })).toMatchObject({ subtype: 'success' });
  expect(await host.next('control_cancel_request')).toEqual({
    type: 'control_cancel_request',
    request_id: line['request_id'],
  });
  await host.next('error_during_execution');
  host.answer(line, { behavior: 'allow' }); // too late, and without effect
  host.prompt('again');
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(false);
});

test('without --permission-prompt-tool asks no one, even after initialize', async () => {
  const host = await startHost([echo('touch a'), { text: 'I may not.' }]);
  await host.request({ subtype: 'initialize' });
  host.prompt('go');
  expect(await host.next('success')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  expect(host.kinds()).not.toContain('can_use_tool');
});

test('sends the questions of a tool to the host', async () => {
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'ours' };
  const host = await startHost(
    async (_, number) => {
      if (number === 0) return { calls: [{ name: 'Read', id: 'toolu_r', input: { file_path: 'a.txt' } }] };
      if (number > 1) return { text: 'Done.' };
      await writeFile(join(host.cwd, 'a.txt'), 'theirs\n');
      return { calls: [{ name: 'Edit', id: 'toolu_e', input: edit }] };
    },
    { args: [...asking, '--permission-mode', 'acceptEdits'] },
  );
  await writeFile(join(host.cwd, 'a.txt'), 'one\n');
  host.prompt('go');
  const { line, request } = await host.question();
  expect(request).toMatchObject({ tool_name: 'AskUserQuestion', tool_use_id: expect.any(String) });
  const [question] = fields(request['input'])['questions'] as Array<{ question: string }>; // one, as it is asked
  const answers = { [question?.question ?? '']: 'Overwrite' };
  host.answer(line, { behavior: 'allow', updatedInput: { ...fields(request['input']), answers } });
  await host.next('success');
  expect(await readFile(join(host.cwd, 'a.txt'), 'utf8')).toBe('ours\n');
});

test('interrupts a command, and continues with the next prompt', async () => {
  const host = await startHost([echo('echo $$ > begun; exec sleep 300'), { text: 'Back.' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  host.prompt('go');
  await fileAppears(host.cwd, 'begun');
  expect(await host.request({ subtype: 'interrupt' })).toEqual({
    subtype: 'success',
    request_id: 'request-1',
    response: { still_queued: [] },
  });
  expect(await host.next('user')).toMatchObject({
    message: { content: [{ type: 'tool_result', is_error: true }, {}] },
  });
  expect(await host.next('error_during_execution')).toMatchObject({
    type: 'result',
    is_error: true,
    terminal_reason: 'interrupted',
    errors: ['Interrupted.'],
  });
  expect(isRunning(Number(await readFile(join(host.cwd, 'begun'), 'utf8')))).toBe(false);
  host.prompt('and now?');
  expect(await host.next('success')).toMatchObject({ result: 'Back.' });
  expect(await host.end()).toBe(0);
  expect(host.server.refused).toEqual([]);
});

test('interrupts an answer in the middle, keeps its text, and continues', async () => {
  const never = new Promise(() => {});
  const host = await startHost([{ text: 'A long story', holdAfter: { events: 4, until: never } }, { text: 'Yes?' }], {
    args: ['--include-partial-messages'],
  });
  host.prompt('tell');
  await host.find(({ event }) => event !== undefined && fields(event)['type'] === 'content_block_delta');
  await host.request({ subtype: 'interrupt' });
  await host.next('error_during_execution');
  host.prompt('stop');
  expect(await host.next('success')).toMatchObject({ result: 'Yes?' });
  expect(JSON.stringify(host.server.requests[1]?.body.messages)).toContain('A long s');
});

test('interrupts a prompt that came just before, and says which ones still wait', async () => {
  const host = await startHost(() => ({ text: 'ok' }));
  const requests = ['first', 'second', 'third'].map((word) => ({
    type: 'user',
    message: { role: 'user', content: word },
    uuid: word,
  }));
  const interrupt = { type: 'control_request', request_id: 'i', request: { subtype: 'interrupt' } };
  host.send([...requests, interrupt].map((line) => JSON.stringify(line)).join('\n'));
  expect(await host.next('control_response')).toMatchObject({
    response: { request_id: 'i', response: { still_queued: ['second', 'third'] } },
  });
  await host.end();
  const results = host.lines.filter(({ type }) => type === 'result');
  expect(results.map(({ subtype }) => subtype)).toEqual(['error_during_execution', 'success', 'success']);
});

test('drops queued prompts if an interrupt says so', async () => {
  const host = await startHost([echo('echo > begun; sleep 300'), { text: 'never' }], {
    args: ['--permission-mode', 'bypassPermissions'],
  });
  host.prompt('first');
  host.prompt('second');
  await fileAppears(host.cwd, 'begun');
  const answer = await host.request({ subtype: 'interrupt', cancel_queued: true });
  expect(answer).toMatchObject({ response: { still_queued: [] } });
  expect(await host.end()).toBe(1);
  expect(host.kinds().filter((kind) => kind === 'init')).toHaveLength(1);
});

test('answers a request that cannot be handled, whatever is wrong with it', async () => {
  const host = await startHost([]);
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  host.send(`{"type":"control_request","request_id":"deep","request":{"subtype":"initialize","hooks":${deep}}}`);
  expect(await host.next('control_response')).toMatchObject({ response: { subtype: 'error', request_id: 'deep' } });
  expect(await host.end()).toBe(0);
});

test('escapes control characters in descriptions of a call, and leaves its input unchanged', async () => {
  const command = 'echo \u202e\u001b[31m > a.txt';
  const host = await startHost([echo(command), { text: 'Done.' }], { args: asking });
  host.prompt('go');
  const { request } = await host.question();
  expect(request['input']).toEqual({ command });
  expect(String(request['title'])).toMatch(/^echo [ -~]+ > a\.txt$/);
});

test('changes the permission mode at once', async () => {
  const host = await startHost([echo('touch a'), { text: 'Done.' }]);
  expect(await host.request({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
    subtype: 'success',
    response: { mode: 'bypassPermissions' },
  });
  expect(await host.next('status')).toMatchObject({ status: null, permissionMode: 'bypassPermissions' });
  expect(await host.request({ subtype: 'set_permission_mode', mode: 'freely' })).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('default, acceptEdits, plan, dontAsk, bypassPermissions'),
  });
  host.prompt('go');
  expect(await host.next('init')).toMatchObject({ permissionMode: 'bypassPermissions' });
  await host.next('success');
  expect(existsSync(join(host.cwd, 'a'))).toBe(true);
});

test.skipIf(process.getuid?.() !== 0)('refuses bypassPermissions to root on request too', async () => {
  const host = await startHost([], { env: { IS_SANDBOX: '' } });
  expect(await host.request({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('refused to root'),
  });
});

test('changes the model for the prompts that follow', async () => {
  const host = await startHost(({ body }) => ({ text: body.model }));
  host.prompt('one');
  expect(await host.next('success')).toMatchObject({ result: 'claude-sonnet-5-5' });
  expect(await host.request({ subtype: 'set_model', model: 'haiku' })).toMatchObject({ subtype: 'success' });
  host.prompt('two');
  expect(await host.next('init')).toMatchObject({ model: expect.stringContaining('haiku') });
  expect(await host.next('success')).toMatchObject({ result: expect.stringContaining('haiku') });
  expect(await host.request({ subtype: 'set_model', model: 'made-up/model' })).toMatchObject({ subtype: 'error' });
  await host.request({ subtype: 'set_model', model: 'default' });
  host.prompt('three');
  expect(await host.next('success')).toMatchObject({ result: 'claude-sonnet-5-5' });
  expect(await host.end()).toBe(0);
});

test('streams the answer as raw events with --include-partial-messages', async () => {
  const host = await startHost(
    [{ text: 'Hi you', calls: [{ name: 'LS', id: 'toolu_1', input: { path: '.' } }] }, { text: 'x' }],
    { args: ['--include-partial-messages'] },
  );
  host.prompt('go');
  await host.end();
  const stopAt = host.lines.findIndex(({ event }) => event !== undefined && fields(event)['type'] === 'message_stop');
  const partial = host.lines.slice(0, stopAt + 1).filter(({ type }) => type === 'stream_event');
  expect(partial[0]).toEqual({
    type: 'stream_event',
    event: {
      type: 'message_start',
      message: expect.objectContaining({ type: 'message', role: 'assistant', content: [], stop_reason: null }),
    },
    parent_tool_use_id: null,
    session_id: uuid,
    uuid,
  });
  const events = partial.map(({ event }) => fields(event));
  const deltas = (key: string) => events.map(({ delta }) => (delta ? (fields(delta)[key] ?? '') : '')).join('');
  expect(deltas('text')).toBe('Hi you');
  expect(JSON.parse(deltas('partial_json'))).toEqual({ path: '.' });
  const ends = events.filter(({ type }) => type !== 'content_block_delta').slice(1);
  expect(ends).toEqual([
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'LS', input: {} },
    },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: expect.objectContaining({ output_tokens: expect.any(Number) }),
    },
    { type: 'message_stop' },
  ]);
});

test('reports compaction, and does not show the summary as an answer', async () => {
  const host = await startHost(
    ({ body }) => {
      const isForSummary = JSON.stringify(body.messages.at(-1)).includes('replaced by a summary');
      return { text: isForSummary ? `SUMMARY ${'of what was said '.repeat(10)}` : 'word '.repeat(3_000) };
    },
    { args: ['--include-partial-messages'], env: { HELVE_CONTEXT_TOKENS: '24000' } },
  );
  for (let prompts = 0; prompts < 6; prompts += 1) host.prompt('go on');
  expect(await host.next('compact_boundary')).toMatchObject({
    type: 'system',
    compact_metadata: { trigger: 'auto', pre_tokens: expect.any(Number), post_tokens: expect.any(Number) },
  });
  expect(await host.end()).toBe(0);
  expect(host.server.requests.some(({ text }) => text.includes('replaced by a summary'))).toBe(true);
  const shown = host.lines.filter(({ type }) => type === 'stream_event' || type === 'assistant');
  expect(JSON.stringify(shown)).not.toContain('SUMMARY');
});

test.each([
  [['--input-format', 'stream-json', '--output-format', 'json'], /goes with --output-format stream-json/],
  [['--permission-prompt-tool', 'mcp__x'], /takes stdio.*MCP/],
  [['a prompt'], /from standard input/],
  [['--session-id', 'mine'], /takes a UUID/],
  [['--max-budget-usd', '0'], /above 0/],
])('refuses %j as wrong usage', async (args, sentence) => {
  const host = await startHost([], { args });
  expect(await host.closed).toBe(2);
  expect(host.stderr).toMatch(sentence);
  expect(host.lines).toEqual([]);
});
