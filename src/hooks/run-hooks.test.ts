import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HookCallback, HookEvent, HookPayloads } from '../contract/hook.js';
import { isRunning, isWritten, pidsIn, until } from '../testing/watch-processes.js';
import { toolTable } from '../tools/index.js';
import { createHooks, type HooksOptions } from './run-hooks.js';
import type { ConfiguredHook, HookDefinition } from './schema.js';

const nothing = { answers: [], additionalContext: [], messages: [], reports: [] };
const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'call_1' };

type Fields = Partial<Extract<HookDefinition, { type: 'command' }>>;

const hook = (command: string, fields: Fields = {}, where: Partial<ConfiguredHook> = {}): ConfiguredHook => ({
  event: 'PreToolUse',
  matcher: '',
  hook: { type: 'command', command, ...fields },
  source: 'settings.json',
  trusted: true,
  ...where,
});

async function session(configured: readonly ConfiguredHook[], changes: Partial<HooksOptions> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-test-')));
  const hooks = createHooks({
    tools: toolTable(),
    configured,
    root,
    sessionId: 'session_1',
    transcriptPath: join(root, 'transcript.jsonl'),
    env: process.env,
    situation: () => ({ cwd: root, mode: 'default' }),
    ...changes,
  });
  const { signal } = new AbortController();
  return {
    root,
    hooks,
    run: <Event extends HookEvent>(event: Event, payload: HookPayloads[Event]) => hooks.run(event, payload, { signal }),
    pre: (payload: HookPayloads['PreToolUse'] = bash) => hooks.run('PreToolUse', payload, { signal }),
  };
}

const deciding = (permissionDecision: string, fields: object = {}) =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...fields } })}'`;

test('the input of a hook has the event, the working directory and the project', async () => {
  const script = 'cat > payload.json; printf "%s\\n" "$PWD" "$CLAUDE_PROJECT_DIR" "$HELVE_PROJECT_DIR" > where';
  const { root, pre } = await session([hook(script)]);
  expect(await pre()).toEqual(nothing);
  expect(JSON.parse(await readFile(join(root, 'payload.json'), 'utf8'))).toEqual({
    session_id: 'session_1',
    transcript_path: join(root, 'transcript.jsonl'),
    cwd: root,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    ...bash,
  });
  expect(await readFile(join(root, 'where'), 'utf8')).toBe(`${root}\n`.repeat(3));
});

test('the strictest of several answers wins, and all are kept in configuration order', async () => {
  const { pre } = await session([
    hook(deciding('allow')),
    hook(deciding('ask', { permissionDecisionReason: 'sure?' })),
    hook('echo no >&2; exit 2'),
  ]);
  expect(await pre()).toMatchObject({
    behavior: 'deny',
    answers: [{ behavior: 'allow' }, { behavior: 'ask', reason: 'sure?' }, { behavior: 'deny', reason: 'no' }],
  });
});

test('hooks of one event run concurrently', async () => {
  const meet = (own: string, other: string) => `touch ${own}; until [ -e ${other} ]; do sleep 0.01; done`;
  const { pre } = await session([hook(meet('a', 'b')), hook(meet('b', 'a'))]);
  expect(await pre()).toEqual(nothing);
});

test('the order in which hooks finish does not affect the result', async () => {
  const answer = fc.record(
    {
      permissionDecision: fc.constantFrom('allow', 'ask', 'deny'),
      updatedInput: fc.dictionary(fc.constantFrom('command', 'timeout'), fc.integer({ max: 2, min: 0 })),
      additionalContext: fc.string({ minLength: 1 }),
    },
    { requiredKeys: [] },
  );
  const cases = fc
    .array(answer, { minLength: 2, maxLength: 5 })
    .chain((answers) =>
      fc.tuple(fc.constant(answers), fc.shuffledSubarray([...answers.keys()], { minLength: answers.length })),
    );
  const outcomeOf = async (answers: readonly object[], finishing: readonly number[]) => {
    const gates = answers.map(() => Promise.withResolvers<void>());
    const all = answers.map(
      (specific, index): HookCallback =>
        async () => {
          await gates[index]?.promise;
          return { hookSpecificOutput: specific };
        },
    );
    const { pre } = await session([], { callbacks: { PreToolUse: [{ hooks: all }] }, root: tmpdir() });
    const running = pre();
    for (const index of finishing) {
      gates[index]?.resolve();
      await gates[index]?.promise;
    }
    return await running;
  };
  await fc.assert(
    fc.asyncProperty(cases, async ([answers, finishing]) => {
      expect(await outcomeOf(answers, finishing)).toEqual(await outcomeOf(answers, [...answers.keys()]));
    }),
    { numRuns: 50 },
  );
});

test('a command that is configured several times runs once', async () => {
  const { root, pre } = await session([
    hook('echo run >> log', { timeout: 5 }),
    hook('echo run >> log', {}, { matcher: 'Bash', source: 'other.json' }),
    hook('echo other >> log'),
  ]);
  await pre();
  expect((await readFile(join(root, 'log'), 'utf8')).trim().split('\n').sort()).toEqual(['other', 'run']);
});

test('runs only matching hooks', async () => {
  const { pre, run } = await session([
    hook(deciding('deny'), {}, { matcher: 'Edit|Write' }),
    hook('echo context', {}, { event: 'SessionStart', matcher: 'resume' }),
  ]);
  expect(await pre()).toEqual(nothing);
  expect(await pre({ ...bash, tool_name: 'Edit' })).toMatchObject({ behavior: 'deny' });
  expect(await run('SessionStart', { source: 'startup' })).toEqual(nothing);
  expect(await run('SessionStart', { source: 'resume' })).toEqual({ ...nothing, additionalContext: ['context'] });
});

test('an "if" rule is evaluated by the permission rules, and applies to calls only', async () => {
  const seen: unknown[] = [];
  const { pre, run } = await session(
    [hook(deciding('deny'), { if: 'Bash(git *)' }), hook('echo x', { if: 'Bash' }, { event: 'UserPromptSubmit' })],
    {
      matchesRule: (rule, request) => {
        seen.push([rule, request]);
        return JSON.stringify(request.input).includes('git');
      },
    },
  );
  expect(await pre()).toEqual(nothing);
  expect(await pre({ ...bash, tool_input: { command: 'git push' } })).toMatchObject({ behavior: 'deny' });
  expect(await run('UserPromptSubmit', { prompt: 'x' })).toEqual(nothing);
  expect(seen[0]).toEqual(['Bash(git *)', { tool: 'Bash', input: { command: 'ls' }, effects: [] }]);
});

test('a hook whose rule cannot be evaluated still runs', async () => {
  const matchesRule = () => {
    throw new Error('no closing parenthesis');
  };
  const { pre } = await session([hook(deciding('deny'), { if: 'Bash(git' })], { matchesRule });
  expect(await pre()).toMatchObject({
    behavior: 'deny',
    reports: [expect.stringContaining('its rule "Bash(git" can\'t be judged (no closing parenthesis)')],
  });
});

test.each([
  ['crashes', 'echo boom >&2; exit 1', {}, 'it ended with exit code 1 and said: boom'],
  ['is not there', './missing-hook', {}, 'it ended with exit code 127 (command not found)'],
  ['prints broken JSON', 'echo "{broken"', {}, 'it printed something that starts like JSON but is not'],
  ['takes too long', 'sleep 60', { timeout: 0.2 }, 'it took longer than 0.2 s and was stopped'],
])('a hook that %s is reported; it blocks only if it is configured to', async (_, command, fields, failure) => {
  const { pre } = await session([hook(command, fields)]);
  expect(await pre()).toEqual({ ...nothing, reports: [expect.stringContaining(`failed: ${failure}`)] });

  const strict = await session([hook(command, { ...fields, onFailure: 'block' })]);
  expect(await strict.pre()).toMatchObject({
    behavior: 'deny',
    answers: [{ behavior: 'deny', reason: expect.stringContaining(failure) }],
    reports: [expect.stringContaining('Its failures block.')],
  });
});

test.each([
  '[1]',
  '{"verdict": 7}',
  '{"behavior": "allow"}',
  '{"permissionDecision": "allow"}',
  '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecisions": "allow"}}',
  '{"hookSpecificOutput": 5}',
  '{"continue": "maybe"}',
  '{"decision": ',
])('with "onFailure": "block", the invalid answer %s blocks', async (printed) => {
  const { pre } = await session([hook(`echo '${printed}'`, { onFailure: 'block' })]);
  expect(await pre()).toMatchObject({ behavior: 'deny', reports: [expect.stringContaining('Its failures block.')] });
});

test('a refusal in an unknown field is reported once, with the right syntax', async () => {
  const { pre } = await session([hook(`echo '{"behavior": "deny"}'`)]);
  expect((await pre()).reports).toEqual([
    expect.stringMatching(
      /failed: its "behavior" is "deny", which is not known here\. A refusal is written \{"hookSpecificOutput": .+\}\}\. To be safe, this counts as a refusal\.$/,
    ),
  ]);
});

test('a report names the hook, its event, its file and a stricter setting, without invisible characters', async () => {
  const { pre } = await session([hook('printf "\\033[2Jboo" >&2; exit 1')]);
  expect((await pre()).reports).toEqual([
    'The hook "printf "\\033[2Jboo" >&2; exit 1" (PreToolUse, from settings.json) failed: it ended with exit code 1 and said: \\u001b[2Jboo. Nothing was blocked by that; "onFailure": "block" would change it.',
  ]);
});

test('a report of an invalid answer that refuses says so', async () => {
  const { pre } = await session([hook(`echo '{"decision": "maybe"}'`)]);
  const { behavior, reports } = await pre();
  expect(behavior).toBe('deny');
  expect(reports).toEqual([
    expect.stringMatching(/"maybe"; there are allow, ask and deny\. To be safe, this counts as a refusal\.$/),
  ]);
});

test('a failing hook never blocks the end of a run', async () => {
  const { run } = await session([hook('exit 1', { onFailure: 'block' }, { event: 'Stop' })]);
  expect((await run('Stop', { stop_hook_active: false })).block).toBeUndefined();
});

test('nothing from an untrusted file runs, and one report says so', async () => {
  const untrusted = { source: '.helve/settings.json', trusted: false };
  const { root, hooks, pre } = await session([
    hook('touch ran', {}, untrusted),
    hook('touch ran', {}, { ...untrusted, event: 'Stop' }),
    hook('true'),
  ]);
  expect(hooks.has('Stop')).toBe(false);
  expect((await pre()).reports).toEqual([
    '2 hooks from .helve/settings.json will not run, since this folder is not trusted: "touch ran". Look at what they do, then trust the folder.',
  ]);
  expect((await pre()).reports).toEqual([]);
  expect(hooks.notices()).toEqual([]);
  await expect(readFile(join(root, 'ran'))).rejects.toThrow('ENOENT');
});

test('an abort ends all hooks and rejects with its reason', async () => {
  const { root, hooks } = await session([hook('touch begun; sleep 60'), hook('sleep 61')]);
  const controller = new AbortController();
  const running = hooks.run('PreToolUse', bash, { signal: controller.signal });
  await vi.waitFor(() => readFile(join(root, 'begun')), 50_000);
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test('a hook runs in the project if the working directory was removed', async () => {
  const gone = await mkdtemp(join(tmpdir(), 'helve-test-'));
  await rm(gone, { recursive: true });
  const { root, pre } = await session([hook('pwd > where')], { situation: () => ({ cwd: gone, mode: 'plan' }) });
  expect(await pre()).toEqual(nothing);
  expect(await readFile(join(root, 'where'), 'utf8')).toBe(`${root}\n`);
});

test('the input of a call is data for a hook, never part of its command', async () => {
  const { root, pre } = await session([hook('cat > payload')]);
  const input = { command: '$(touch evil)`touch evil`"; touch evil; \'' };
  await pre({ ...bash, tool_input: input });
  expect(JSON.parse(await readFile(join(root, 'payload'), 'utf8'))).toMatchObject({ tool_input: input });
  await expect(readFile(join(root, 'evil'))).rejects.toThrow('ENOENT');
});

test("with arguments, the program runs without a shell, and they may contain the project's path", async () => {
  const definition = { args: ['%s', `\${CLAUDE_PROJECT_DIR} $(id)`] };
  const { root, run } = await session([hook('printf', definition, { event: 'UserPromptSubmit' })]);
  expect((await run('UserPromptSubmit', { prompt: '' })).additionalContext).toEqual([`${root} $(id)`]);
});

test('output of bash startup files does not precede the answer of a hook', async () => {
  const noise = join(await mkdtemp(join(tmpdir(), 'helve-test-')), 'noise');
  await writeFile(noise, 'echo noise');
  const { pre } = await session([hook(deciding('ask'))], { env: { ...process.env, BASH_ENV: noise } });
  expect(await pre()).toMatchObject({ behavior: 'ask', reports: [] });
});

test('a session hook can set variables for later commands', async () => {
  const envFile = join(await mkdtemp(join(tmpdir(), 'helve-test-')), 'env');
  const start = hook('echo "export A=1" >> "$CLAUDE_ENV_FILE"', {}, { event: 'SessionStart' });
  const { run, pre } = await session([start, hook('[ -z "$CLAUDE_ENV_FILE" ]')], { envFile });
  expect(await run('SessionStart', { source: 'startup' })).toEqual(nothing);
  expect(await readFile(envFile, 'utf8')).toBe('export A=1\n');
  expect(await pre()).toEqual(nothing);
});

test('a background hook decides nothing, and its output comes with a later event', async () => {
  const late = `until [ -e go ]; do sleep 0.01; done; ${deciding('deny', { additionalContext: 'late' })}; touch done`;
  const { hooks, pre, run } = await session([
    hook(late, { async: true }),
    hook('touch go; until [ -e done ]; do sleep 0.01; done', {}, { event: 'Stop' }),
  ]);
  expect(await pre()).toEqual(nothing);
  const told = [...(await run('Stop', { stop_hook_active: false })).additionalContext];
  await vi.waitFor(async () => {
    told.push(...(await run('Notification', { message: '', notification_type: '' })).additionalContext);
    expect(told).toEqual(['late']);
  }, 50_000);
  await hooks.end();
});

test('the end of the session ends hooks in the background', async () => {
  const { root, hooks, pre } = await session([hook('echo $$ > pid; exec sleep 60', { async: true })]);
  await pre();
  const file = join(root, 'pid');
  await until(() => isWritten(file));
  const [pid = 0] = pidsIn(file);
  expect(isRunning(pid)).toBe(true);
  await hooks.end();
  expect(isRunning(pid)).toBe(false);
});

test('posts to an address only if it is allowed', async () => {
  const server = createServer((_, response) => response.end('{"decision": "block", "reason": "by mail"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // a server on a port has such an address
  const posting = hook('', {}, { hook: { type: 'http', url: `http://127.0.0.1:${port}/` } });
  expect(await (await session([posting])).pre()).toMatchObject({ answers: [{ behavior: 'deny', reason: 'by mail' }] });
  const { pre } = await session([posting], { mayPost: ({ hostname }) => hostname === 'example.org' });
  expect(await pre()).toEqual({ ...nothing, reports: [expect.stringContaining('not among those')] });
});

test('callbacks get the input and its call, run after the hooks from settings, and cannot change the input of others', async () => {
  const seen: unknown[] = [];
  const spoil: HookCallback = (input, toolUseId) => {
    seen.push(structuredClone(input), toolUseId);
    if ('tool_input' in input) Object.assign(Object(input.tool_input), { command: 'rm' });
    return { hookSpecificOutput: { additionalContext: 'second' } };
  };
  const first = hook(deciding('ask', { additionalContext: 'first' }));
  const look: HookCallback = (input) => void seen.push('tool_input' in input && input.tool_input);
  const { hooks, pre } = await session([first], {
    callbacks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [spoil, look] },
        { matcher: 'Edit', hooks: [() => void seen.push(0)] },
      ],
    },
  });
  expect(hooks.has('PreToolUse')).toBe(true);
  expect(hooks.has('PostToolUse')).toBe(false);
  expect(await pre()).toMatchObject({ behavior: 'ask', additionalContext: ['first', 'second'], reports: [] });
  expect(seen).toEqual([expect.objectContaining(bash), 'call_1', { command: 'ls' }]);
});

test('a callback that throws has failed, and one that takes too long refuses the call', async () => {
  const failing = await session([], {
    callbacks: {
      PreToolUse: [
        {
          hooks: [
            function careless() {
              throw new Error('oops');
            },
          ],
        },
      ],
    },
  });
  expect(await failing.pre()).toEqual({
    ...nothing,
    reports: [expect.stringContaining('"careless" (PreToolUse, from the program) failed: it threw: oops')],
  });
  const slow = await session([], {
    callbacks: { PreToolUse: [{ hooks: [() => new Promise(() => {})], timeout: 0.05 }] },
  });
  expect(await slow.pre()).toMatchObject({ behavior: 'deny', reports: [expect.stringContaining('took longer')] });
});

test.each<[string, unknown]>([
  ['a generator', (function* () {})()],
  ['an asynchronous generator', (async function* () {})()],
  ['a function', () => ({ decision: 'block' })],
  ['a Map', new Map([['decision', 'block']])],
  ['a Set', new Set(['block'])],
  ['bytes', Buffer.from('{"decision":"block"}')],
  ['a response', Response.json({ decision: 'block' })],
  [
    'a field that throws',
    Object.defineProperty({}, 'decision', {
      get: () => {
        throw new Error('x');
      },
      enumerable: true,
    }),
  ],
  ['a list with a changed input', [{ hookSpecificOutput: { updatedInput: { command: 'pwd' } } }]],
  ['a changed input as text', JSON.stringify({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } })],
  ['a changed input as a Map', { hookSpecificOutput: { updatedInput: new Map([['command', 'pwd']]) } }],
])('a callback that returns %s refuses the call, which is reported', async (_, value) => {
  const returning = () => value as ReturnType<HookCallback>;
  const { pre } = await session([], { callbacks: { PreToolUse: [{ hooks: [returning] }] } });
  const { behavior, reports } = await pre();
  expect(behavior).toBe('deny');
  expect(reports).toHaveLength(value instanceof Map ? 0 : 1); // the content of a Map is unambiguous
});

test('a callback that returns an unrelated value decides nothing', async () => {
  for (const value of [1, true, 'logged', [], {}, new Map()]) {
    const { pre } = await session([], { callbacks: { PreToolUse: [{ hooks: [() => value as object] }] } });
    expect((await pre()).behavior).toBeUndefined();
  }
});

test('an invalid matcher from a program throws at once', async () => {
  await expect(session([], { callbacks: { Stop: [{ matcher: '*x', hooks: [] }] } })).rejects.toThrow(TypeError);
});

test('a result that cannot be written as JSON is passed on as text', async () => {
  const circle: Record<string, unknown> = { count: 1n };
  circle['self'] = circle;
  const { root, run } = await session([hook('cat > payload', {}, { event: 'PostToolUse' })]);
  expect(await run('PostToolUse', { ...bash, tool_response: circle, duration_ms: 1 })).toEqual(nothing);
  expect(JSON.parse(await readFile(join(root, 'payload'), 'utf8'))).toMatchObject({
    ...bash,
    tool_response: '[object Object]',
  });
});

test('a long text is truncated for the model and saved completely in a file', async () => {
  const saved: string[] = [];
  const saveText = async (name: string, text: string) => {
    saved.push(text);
    return `/results/${name}`;
  };
  const long = hook('head -c 20000 /dev/zero | tr "\\0" x', {}, { event: 'UserPromptSubmit' });
  const { run } = await session([long], { saveText });
  const [text = ''] = (await run('UserPromptSubmit', { prompt: '' })).additionalContext;
  expect(text.length).toBeLessThan(10_200);
  expect(text).toMatch(/characters left out[\s\S]*\[The whole text is in \/results\/hook-UserPromptSubmit\.txt\]$/);
  expect(saved).toEqual(['x'.repeat(20_000)]);
});

test('without hooks nothing happens', async () => {
  const { hooks, pre } = await session([]);
  expect(hooks.has('PreToolUse')).toBe(false);
  expect(await pre()).toEqual(nothing);
});

test('a hook that prints {"async": true} first continues in the background, and decides nothing', async () => {
  const script = `echo '{"async": true, "asyncTimeout": 5000}'; until [ -e go ]; do sleep 0.01; done; echo '{"systemMessage": "late", "decision": "block"}'`;
  const { root, pre, run, hooks } = await session([hook(script)]);
  expect(await pre()).toEqual(nothing);
  await writeFile(join(root, 'go'), '');
  const messages: string[] = [];
  await until(async () => {
    messages.push(...(await run('Notification', { message: '', notification_type: '' })).messages);
    return messages.length > 0;
  });
  expect(messages).toEqual(['late']);
  await hooks.end();
});

test.each([
  [
    { decision: 'block', reason: 'no' },
    { behavior: 'deny', answers: [{ behavior: 'deny', reason: 'no' }], reports: [] },
  ],
  [{ hookSpecificOutput: { updatedInput: { command: 'pwd' } } }, { updatedInput: { command: 'pwd' }, reports: [] }],
  [{ updatedInput: { command: 'pwd' } }, { behavior: 'deny', reports: [expect.stringContaining("can't be used")] }],
])('an answer on the line that moves a hook to the background counts: %j', async (fields, outcome) => {
  const waits = `until [ -e go ]; do sleep 0.01; done; echo '{"systemMessage": "late"}'`;
  const { root, pre, hooks } = await session([hook(`echo '${JSON.stringify({ async: true, ...fields })}'; ${waits}`)]);
  expect(await pre()).toMatchObject(outcome);
  await writeFile(join(root, 'go'), '');
  await hooks.end();
  const ended = await session([hook(`printf '%s' '${JSON.stringify({ async: true, ...fields })}'`)]);
  expect(await ended.pre()).toMatchObject(outcome);
});

test('the model gets the objection of a background hook with asyncRewake', async () => {
  const told: string[] = [];
  const script = hook('echo the build broke >&2; exit 2', { asyncRewake: true });
  const { pre, hooks } = await session([script], { rewake: (text) => told.push(text) });
  expect(await pre()).toEqual(nothing);
  await until(async () => told.length > 0);
  expect(told).toEqual(['the build broke']);
  await hooks.end();
});
