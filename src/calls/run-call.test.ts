import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Effect } from '../contract/effect.js';
import type { AgentHappening } from '../contract/event.js';
import { ToolFailure } from '../contract/failure.js';
import type { PermissionAnswer } from '../contract/permission.js';
import { defineTool, type Tool } from '../contract/tool.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { runCall } from './run-call.js';

const ticks = async (count: number): Promise<void> => {
  for (let tick = 0; tick < count; tick += 1) await new Promise((resolve) => setImmediate(resolve));
};

const echoTool = defineTool({
  name: 'Echo',
  description: 'Repeats its input.',
  input: z.strictObject({ text: z.string(), times: z.int().positive().optional() }),
  effects: () => [],
  execute: async ({ text, times = 1 }) => text.repeat(times),
  toModel: (text) => text,
});

test('runs a call and gives the result under its id', async () => {
  const project = await temporaryProject();
  const [result] = await project.engine.callTools([{ id: 'x', name: 'Missing', input: {} }]);
  expect(result).toMatchObject({ type: 'tool_result', tool_use_id: 'x', is_error: true });
  expect((await project.run(echoTool, { text: 'hello' })).content).toBe('hello');
});

test('names the nearest tools when there is none of that name', async () => {
  const project = await temporaryProject({}, { tools: [echoTool] });
  const events: AgentHappening[] = [];
  const [result] = await project.engine.callTools([{ id: 'x', name: 'echo_', input: {} }], {
    onEvent: (event) => events.push(event),
  });
  expect(result?.content).toBe('There is no tool named "echo_". Did you mean "Echo"?');
  expect(events).toMatchObject([{ type: 'tool_result', failure: 'unknown_tool' }]);
});

test('tells which field is wrong, what was expected and what came', async () => {
  const project = await temporaryProject();
  const one = await project.run(echoTool, { text: 'x', times: 'all' });
  expect(one).toMatchObject({ isError: true, failure: 'invalid_input' });
  expect(one.content).toBe(
    'Echo: "times" must be a number, but was "all". Nothing was run. Correct the input and send the call again.',
  );
  const several = await project.run(echoTool, { txt: 'x' });
  expect(several.content).toBe(
    'Echo: the input has 2 problems.\n- "text" is required, but is missing\n- "txt" is not a parameter of this tool. Did you mean "text"?\n' +
      'Nothing was run. Correct the input and send the call again.',
  );
});

test('checks the input of a tool that brings its own schema', async () => {
  const raw = defineTool<{ n: number }, number>({
    name: 'Raw',
    description: 'Doubles.',
    inputJsonSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    effects: () => [],
    execute: async ({ n }) => n * 2,
    toModel: String,
  });
  const project = await temporaryProject();
  expect((await project.run(raw, { n: 4 })).content).toBe('8');
  expect(await project.run(raw, { n: 'four' })).toMatchObject({
    isError: true,
    failure: 'invalid_input',
    content: 'Raw: "n" must be number, but was "four". Nothing was run. Correct the input and send the call again.',
  });
});

test('answers a malformed call with its problem and runs nothing', async () => {
  const project = await temporaryProject();
  const events: AgentHappening[] = [];
  const environment = project.engine.environment((event) => events.push(event));
  const call = { id: 'x', name: 'Echo', problem: 'Echo: the input was cut off.', shown: 'Cut off.', rawText: '{"te' };
  const result = await runCall(call, environment, new AbortController().signal);
  expect(result).toEqual({
    type: 'tool_result',
    tool_use_id: 'x',
    content: 'Echo: the input was cut off.',
    is_error: true,
  });
  expect(events).toMatchObject([{ type: 'tool_result', failure: 'invalid_input' }]);
});

const failing = (name: string, error: unknown, at: 'validate' | 'execute'): Tool =>
  defineTool({
    name,
    description: 'Fails.',
    input: z.strictObject({}),
    effects: () => [],
    async validate() {
      if (at === 'validate') throw error;
      return undefined;
    },
    async execute() {
      if (at === 'execute') throw error;
      return '';
    },
    toModel: (text) => text,
  });

test('tells a refusal by the check from an exception while running', async () => {
  const project = await temporaryProject();
  const check = await project.run(failing('Check', new ToolFailure('The file is locked.'), 'validate'), {});
  expect(check).toMatchObject({ failure: 'check_refused', content: 'The file is locked.', isError: true });
  const thrown = await project.run(failing('Throw', new TypeError('x is undefined'), 'execute'), {});
  expect(thrown).toMatchObject({ failure: 'exception', content: 'Throw failed: x is undefined', isError: true });
  const odd = await project.run(failing('Odd', 'just a string', 'execute'), {});
  expect(odd).toMatchObject({ failure: 'exception', content: 'Odd failed: just a string' });
});

test('cuts a long failure from the middle', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(
    failing('Long', new ToolFailure(`begin${'x'.repeat(50_000)}end`), 'execute'),
    {},
  );
  expect(content.length).toBeLessThan(10_100);
  expect(content).toMatch(/^beginx+\n\[… 40008 characters left out …\]\nx+end$/);
});

const touching = (effects: Effect[], log: string[] = []): Tool =>
  defineTool({
    name: 'Touch',
    description: 'Touches.',
    input: z.strictObject({}),
    effects: () => effects,
    async validate() {
      log.push('validate');
      return undefined;
    },
    async execute() {
      log.push('execute');
      return 'done';
    },
    toModel: (text) => text,
  });

const outside: Effect = { kind: 'file', access: 'write', path: '/etc/passwd', real: '/etc/passwd' };

test('denies a call that needs a question when no one can answer, and says so', async () => {
  const project = await temporaryProject({}, { permissionMode: 'default' });
  const result = await project.run(touching([outside]), {});
  expect(result).toMatchObject({ failure: 'permission_denied', isError: true });
  expect(result.content).toBe(
    'Touch was not run: it writes /etc/passwd, which is outside the project, and no one can be asked here. Do not look for another way to do the same; ask the user or go on without it.',
  );
});

test('does not examine a file before reading it is allowed', async () => {
  const log: string[] = [];
  const answers: PermissionAnswer[] = [{ behavior: 'deny', reason: 'not that one' }, { behavior: 'allow' }];
  const project = await temporaryProject(
    {},
    {
      permissionMode: 'default',
      async askPermission({ reason }) {
        log.push(`asked: ${reason}`);
        return answers.shift() ?? { behavior: 'deny' };
      },
    },
  );
  const refused = await project.run(touching([outside], log), {});
  expect(refused.content).toBe('The user refused this Touch call and said: not that one');
  expect(log).toEqual(['asked: it writes /etc/passwd, which is outside the project']);
  const allowed = await project.run(touching([outside], log), {});
  expect(allowed.content).toBe('done');
  expect(log.slice(1)).toEqual(['asked: it writes /etc/passwd, which is outside the project', 'validate', 'execute']);
});

test('checks before it asks if reading needs no permission, so that no question is about a call that cannot work', async () => {
  const log: string[] = [];
  const project = await temporaryProject(
    {},
    {
      permissionMode: 'default',
      async askPermission() {
        log.push('asked');
        return { behavior: 'allow' };
      },
    },
  );
  const inside: Effect = { kind: 'file', access: 'write', path: project.path('a'), real: project.path('a') };
  await project.run(touching([inside], log), {});
  expect(log).toEqual(['validate', 'asked', 'execute']);
});

test("puts the question of a tool's own check to the person, in every mode", async () => {
  const asking = defineTool({
    name: 'Careful',
    description: 'Asks.',
    input: z.strictObject({}),
    effects: () => [],
    validate: async () => ({ ask: 'the new text holds a private key' }),
    execute: async () => 'written',
    toModel: (text) => text,
  });
  const questions: string[] = [];
  const project = await temporaryProject(
    {},
    {
      permissionMode: 'bypassPermissions',
      async askPermission({ reason }) {
        questions.push(reason);
        return { behavior: 'allow' };
      },
    },
  );
  expect((await project.run(asking, {})).content).toBe('written');
  expect(questions).toEqual(['the new text holds a private key']);
});

test('judges a call again when it would touch something else by the time the person has answered', async () => {
  let target = '/first';
  const moving = defineTool({
    name: 'Moving',
    description: 'Moves.',
    input: z.strictObject({}),
    effects: (): Effect[] => [{ kind: 'file', access: 'write', path: target, real: target }],
    execute: async () => `wrote ${target}`,
    toModel: (text) => text,
  });
  const questions: string[] = [];
  const project = await temporaryProject(
    {},
    {
      permissionMode: 'default',
      async askPermission({ reason }) {
        questions.push(reason);
        target = '/second';
        return { behavior: 'allow' };
      },
    },
  );
  expect((await project.run(moving, {})).content).toBe('wrote /second');
  expect(questions).toEqual([
    'it writes /first, which is outside the project',
    'it writes /second, which is outside the project',
  ]);
});

test('keeps progress for the person away from the model', async () => {
  const steps = defineTool({
    name: 'Steps',
    description: 'Takes steps.',
    input: z.strictObject({}),
    effects: () => [],
    async *execute() {
      yield { text: 'half' };
      return 'whole';
    },
    toModel: (text) => text,
  });
  const project = await temporaryProject();
  const { content, events } = await project.run(steps, {});
  expect(content).toBe('whole');
  expect(events.filter(({ type }) => type === 'tool_progress')).toMatchObject([{ text: 'half' }]);
});

test('saves a result that is too long, previews it, and lets the file be read', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(echoTool, { text: 'line\n', times: 20_000 });
  const file = /All of it is in (\S+):/.exec(String(content))?.[1] ?? '';
  expect(content).toMatch(/^The result has 100,000 characters, more than the 30,000 that fit here\./);
  expect(String(content).length).toBeLessThan(3_000);
  const saved = await import('node:fs/promises').then(({ readFile, stat }) =>
    Promise.all([readFile(file, 'utf8'), stat(file)]),
  );
  expect(saved[0]).toBe('line\n'.repeat(20_000));
  expect(saved[1].mode & 0o777).toBe(0o600);
  const effect: Effect = { kind: 'file', access: 'read', path: file, real: file };
  const reader = project.engine.environment(() => {}).decide({ tool: 'Any', input: {}, effects: [effect] });
  expect(reader.behavior).toBe('allow');
});

test('a call that is cancelled before its turn says that nothing was done', async () => {
  const project = await temporaryProject();
  const controller = new AbortController();
  controller.abort(new Error('Interrupted.'));
  const result = await project.run(echoTool, { text: 'x' }, { signal: controller.signal });
  expect(result).toMatchObject({
    failure: 'interrupted',
    content: 'The user interrupted before Echo started, so nothing was done.',
  });
});

test('children of a call that declares no effects pass the same gate without deadlock', async () => {
  const project = await temporaryProject();
  const { engine } = project;
  const order: string[] = [];
  const child = (name: string): Tool =>
    defineTool({
      name,
      description: 'Works alone.',
      input: z.strictObject({}),
      async execute() {
        order.push(`${name} begins`);
        await ticks(3);
        order.push(`${name} ends`);
        return name;
      },
      toModel: (text) => text,
    });
  const environmentWith = (tool: Tool) => ({ ...engine.environment(() => {}), findTool: () => tool });
  const run = (tool: Tool, id: string, signal: AbortSignal) =>
    runCall({ id, name: tool.name, input: {} }, environmentWith(tool), signal);
  const parent = defineTool({
    name: 'Parent',
    description: 'Runs calls.',
    input: z.strictObject({}),
    effects: () => [],
    async execute(_, { signal }) {
      const results = await Promise.all([run(child('A'), 'a', signal), run(child('B'), 'b', signal)]);
      return results.map(({ content }) => content).join();
    },
    toModel: (text) => text,
  });
  const { signal } = new AbortController();
  // More parents than there are slots: each must still find one for its children.
  const parents = Array.from({ length: 12 }, (_, index) => run(parent, `p${index}`, signal));
  const sibling = run(child('S'), 's', signal);
  const results = await Promise.all([...parents, sibling]);
  expect(results.map(({ content }) => content)).toEqual([...Array.from({ length: 12 }, () => 'A,B'), 'S']);
  expect(order.every((line, index) => index % 2 === 1 || order[index + 1] === line.replace('begins', 'ends'))).toBe(
    true,
  );
});

// Any batch: effects of all kinds, slow and failing steps, refusals, cancellations of one call or of all.
const somePath = fc.constantFrom('/a', '/b', '/b/c');
const someEffects = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('file' as const),
      access: fc.constantFrom('read' as const, 'write' as const),
      path: somePath,
      real: somePath,
    }),
    fc.constant<Effect>({ kind: 'unknown', why: 'test' }),
    fc.constant<Effect>({ kind: 'command', text: 'ls', harmless: true }),
  ),
  { maxLength: 2 },
);
const plan = fc.record({
  effects: someEffects,
  effectsFail: fc.boolean(),
  checkFails: fc.boolean(),
  ticks: fc.nat(4),
  fails: fc.boolean(),
  ignoresAbort: fc.boolean(),
  cancelAfter: fc.option(fc.nat(8), { freq: 4 }),
  malformed: fc.boolean(),
});

test('gives every call of any batch exactly one result, in message order', async () => {
  const project = await temporaryProject();
  const runs = process.env['HELVE_SOAK'] ? 5_000 : 200;
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 10 }),
      fc.option(fc.nat(10), { freq: 4 }),
      fc.infiniteStream(fc.boolean()),
      async (plans, cancelAllAfter, answers) => {
        const all = new AbortController();
        const events: AgentHappening[] = [];
        if (cancelAllAfter !== null) void ticks(cancelAllAfter).then(() => all.abort(new Error('Interrupted.')));
        const results = await Promise.all(
          plans.map((planned, index) => {
            const one = new AbortController();
            if (planned.cancelAfter !== null)
              void ticks(planned.cancelAfter).then(() => one.abort(new Error('Interrupted.')));
            const tool = defineTool({
              name: 'Any',
              description: 'Does as planned.',
              input: z.looseObject({}),
              async effects() {
                if (planned.effectsFail) throw new Error('no effects');
                return planned.effects;
              },
              async validate() {
                if (planned.checkFails) throw new ToolFailure('refused');
                return undefined;
              },
              async *execute(_, { signal }) {
                for (let tick = 0; tick < planned.ticks; tick += 1) {
                  await ticks(1);
                  yield { text: 'tick' };
                  if (!planned.ignoresAbort) signal.throwIfAborted();
                }
                if (planned.fails) throw new Error('failed');
                return 'done';
              },
              toModel: (text) => text,
            });
            const environment = {
              ...project.engine.environment((event) => events.push(event)),
              findTool: () => tool,
              decide: () => ({ behavior: 'ask' as const, reason: 'test' }),
              askPermission: async (): Promise<PermissionAnswer> => ({
                behavior: answers.next().value ? 'allow' : 'deny',
              }),
            };
            const id = `call_${index}`;
            const call = planned.malformed
              ? { id, name: 'Any', problem: 'broken', shown: 'broken', rawText: '{' }
              : { id, name: 'Any', input: {} };
            return runCall(call, environment, AbortSignal.any([all.signal, one.signal]));
          }),
        );
        expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(plans.map((_, index) => `call_${index}`));
        const answered = events.filter((event) => event.type === 'tool_result').map(({ callId }) => callId);
        expect(answered.toSorted()).toEqual(plans.map((_, index) => `call_${index}`).toSorted());
      },
    ),
    { numRuns: runs },
  );
  // Nothing is left behind: a call that must run alone gets its turn.
  expect((await project.run(touching([{ kind: 'unknown', why: 'test' }]), {})).content).toBe('done');
});

test.each([[false], [undefined], ['no'], [{}], [{ behavior: 'Deny' }], [{ behavior: 'yes' }]])(
  'takes the answer %j to a permission question for a no',
  async (answer) => {
    const project = await temporaryProject(
      {},
      {
        permissionMode: 'default',
        // As a program written without types might answer.
        askPermission: async () => answer as unknown as PermissionAnswer,
      },
    );
    const log: string[] = [];
    expect(await project.run(touching([outside], log), {})).toMatchObject({ failure: 'permission_denied' });
    expect(log).toEqual([]);
  },
);

test('denies when the question could not be put', async () => {
  const project = await temporaryProject(
    {},
    {
      permissionMode: 'default',
      async askPermission() {
        throw new Error('the dialog crashed');
      },
    },
  );
  expect(await project.run(touching([outside]), {})).toMatchObject({
    failure: 'permission_denied',
    content: expect.stringContaining('the question could not be put (the dialog crashed)'),
  });
});

test('a display that throws, or a listener that does, leaves the call as it is', async () => {
  const shy = defineTool({
    name: 'Shy',
    description: 'Can not be drawn.',
    input: z.strictObject({}),
    effects: () => [],
    execute: async () => 'done',
    toModel: (text) => text,
    displayCall() {
      throw new Error('no picture');
    },
    displayResult() {
      throw new Error('no picture');
    },
  });
  const project = await temporaryProject({}, { tools: [shy] });
  const [result] = await project.engine.callTools([{ id: 'x', name: 'Shy', input: {} }], {
    onEvent() {
      throw new Error('a bad listener');
    },
  });
  expect(result).toEqual({ type: 'tool_result', tool_use_id: 'x', content: 'done' });
});

test('sends nothing that a provider would refuse, whatever a tool answers', async () => {
  const answering = (content: unknown): Tool =>
    defineTool({
      name: 'Odd',
      description: 'Answers oddly.',
      input: z.strictObject({}),
      effects: () => [],
      execute: async () => '',
      toModel: () => content as string,
    });
  const project = await temporaryProject();
  const answerOf = async (content: unknown) => (await project.run(answering(content), {})).content;
  const image = (media_type: string, data: string) => ({ type: 'image', source: { type: 'base64', media_type, data } });
  expect(await answerOf('')).toBe('(no output)');
  expect(await answerOf(undefined)).toBe('(no output)');
  expect(await answerOf(5)).toBe('5');
  expect(await answerOf({ five: 5 })).toBe('{"five":5}');
  expect(await answerOf(Promise.resolve('five'))).toBe('five');
  expect(await answerOf([{ type: 'text', text: '  ' }])).toBe('(no output)');
  expect(await answerOf([{ type: 'text', text: 'a', extra: 10n }])).toEqual([{ type: 'text', text: 'a' }]);
  expect(await answerOf([image('image/png', 'AAAA')])).toEqual([image('image/png', 'AAAA')]);
  expect(JSON.stringify(await answerOf([image('image/bmp', 'AAAA'), image('image/png', '')]))).toMatch(
    /left out.*bmp.*left out/,
  );
  expect(JSON.stringify(await answerOf([{ type: 'tool_use', id: 'a', name: 'b', input: {} }]))).toContain('left out');
  expect(await project.run(failing('Mute', new ToolFailure(''), 'execute'), {})).toMatchObject({
    content: 'Mute failed and gave no reason.',
  });
});

test('a tool written without types may give its data at once, and data that JSON does not have', async () => {
  const project = await temporaryProject();
  const sum = defineTool({
    name: 'Sum',
    description: 'Adds one.',
    input: z.strictObject({ n: z.string().transform(BigInt) }),
    effects: () => [],
    execute: (({ n }: { n: bigint }) => n + 1n) as unknown as () => Promise<bigint>,
    toModel: String,
  });
  expect((await project.run(sum, { n: '4' })).content).toBe('5');
});

test('what a program wrote before it failed reaches the model, both streams, cut in the middle', async () => {
  const project = await temporaryProject();
  const content = async (error: object): Promise<string> =>
    String((await project.run(failing('Build', error, 'execute'), {})).content);
  const ended = (outputs: object): Error => Object.assign(new Error('it ended with 2'), outputs);
  expect(await content(ended({ stderr: 'no such file\n', stdout: Buffer.from('step 1\n') }))).toBe(
    'Build failed: it ended with 2\n\nstderr:\nno such file\n\nstdout:\nstep 1',
  );
  expect(await content(Object.assign(new Error('Command failed: x\nno such file'), { stderr: 'no such file\n' }))).toBe(
    'Build failed: Command failed: x\nno such file',
  );
  const long = await content(ended({ stderr: 'the reason', stdout: `first${'x'.repeat(100_000)}last` }));
  expect(long).toMatch(
    /^Build failed: it ended with 2\n\nstderr:\nthe reason\n\nstdout:\nfirstx+\n\[… \d+ characters left out …\]\nx+last$/,
  );
  expect(long.length).toBeLessThan(10_100);
  const both = await content(ended({ stderr: `e${'y'.repeat(50_000)}E`, stdout: `o${'x'.repeat(50_000)}O` }));
  expect(both).toMatch(/stderr:\ney+[\s\S]*y+E\n\nstdout:\nox+[\s\S]*x+O$/);
  expect(both.length).toBeLessThan(10_200);
});

test('progress of a tool without types is shown as far as it can be', async () => {
  const project = await temporaryProject();
  const odd = defineTool({
    name: 'Odd',
    description: '',
    input: z.object({}),
    effects: () => [],
    async *execute() {
      yield* [undefined, {}, { text: 7 }, { text: 'half' }] as never[];
      return 'done';
    },
    toModel: String,
  });
  expect(await project.run(odd, {})).toMatchObject({ content: 'done' });
});

test('whatever is thrown, the call has its result', async () => {
  const project = await temporaryProject();
  const content = async (thrown: unknown) => (await project.run(failing('Odd', thrown, 'execute'), {})).content;
  expect(await content(Object.create(null))).toBe('Odd failed: no reason given');
  expect(await content('a text')).toBe('Odd failed: a text');
});

test('a schema that no model could be told names its tool', () => {
  const taking = (input: z.ZodType): Tool =>
    defineTool({ name: 'Odd', description: '', input, execute: async () => '', toModel: (text) => text });
  expect(() => taking(z.object({ a: z.date() })).inputSchema).toThrow(
    'The input of the tool Odd has no JSON Schema that a model could be told: Date cannot be represented',
  );
  expect(() => taking(z.string()).inputSchema).toThrow('The input of the tool Odd must be an object');
});

test('runs a call only once its start is kept, and not at all if it can not be', async () => {
  const project = await temporaryProject();
  const order: string[] = [];
  const noting = defineTool({
    name: 'Note',
    description: 'Notes that it ran.',
    input: z.strictObject({}),
    effects: () => [],
    execute: async () => void order.push('ran'),
    toModel: () => 'done',
  });
  const environment = {
    ...project.engine.environment(({ type }) => void (type === 'tool_start' && order.push('recorded'))),
    findTool: (): Tool => noting,
  };
  const call = { id: 'x', name: 'Note', input: {}, rawText: '{}' };
  const kept = { ...environment, recorded: async () => void order.push('kept') };
  expect(await runCall(call, kept, new AbortController().signal)).toMatchObject({ content: 'done' });
  expect(order).toEqual(['recorded', 'kept', 'ran']);
  const lost = { ...environment, recorded: () => Promise.reject(new ToolFailure('The record was rejected.')) };
  const refused = await runCall({ ...call, id: 'y' }, lost, new AbortController().signal);
  expect(refused).toMatchObject({ is_error: true, content: 'The record was rejected.' });
  expect(order).toEqual(['recorded', 'kept', 'ran', 'recorded']);
});
