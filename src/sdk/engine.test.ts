import { expect, onTestFinished, test } from 'vitest';
import type { CanUseTool, ToolPermission } from '../contract/can-use-tool.js';
import type { Engine } from '../contract/engine.js';
import type { EngineOptions } from '../contract/options.js';
import { createEngine } from './engine.js';
import { chatTools, responsesTools } from './openai.js';
import { temporaryProject } from './testing.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function engineFor(options: EngineOptions = {}): Promise<Engine> {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'a.png': Buffer.from(PIXEL, 'base64') });
  const engine = createEngine({ root: project.root, dataFolder: project.path('../data'), ...options });
  onTestFinished(async () => {
    await engine.end();
    await project.remove();
  });
  return engine;
}

const write = (id: string) => ({ id, name: 'Write', input: { file_path: `${id}.txt`, content: 'x' } });

const answersTo = async (canUseTool: CanUseTool): Promise<unknown> => {
  const engine = await engineFor({ canUseTool });
  const results = await engine.runCalls([write('one'), write('two')]);
  return results.map(({ content }) => content);
};

test('offers the tools that need no model, and runs the calls of a message', async () => {
  const engine = await engineFor();
  const names = (await engine.tools()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Bash', 'Edit', 'Read']));
  expect(names).not.toContain('Task');
  const results = await engine.runCalls([
    { id: 'a', name: 'Read', input: { file_path: 'a.txt' } },
    { id: 'b', name: 'Read', input: 'nonsense' },
  ]);
  expect(results).toMatchObject([
    { tool_use_id: 'a', content: '1\tone' },
    { tool_use_id: 'b', is_error: true, content: expect.stringContaining('Read') },
  ]);
});

test('offers apply_patch to models that know patches, and runs a patch typed into a shell as such a call', async () => {
  const patch = '*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** End Patch\n';
  const bash = (command: string) => ({ id: 'b', name: 'Bash', input: { command } });
  const typed = bash(`apply_patch <<'EOF'\n${patch}EOF\n`);
  const read = { id: 'a', name: 'Read', input: { file_path: 'a.txt' } };
  const engine = await engineFor({ permissionMode: 'acceptEdits', editStyle: 'patch' });
  expect((await engine.tools()).map(({ name }) => name)).toContain('apply_patch');
  const [, patched] = await engine.runCalls([read, typed]);
  expect(patched).toMatchObject({
    tool_use_id: 'b',
    content: expect.stringMatching(/^Edited a.txt: 1 place at line 1/),
  });
  const words = /^apply_patch is a tool, not a program, so the command was not run\. If you have the tool, /;
  const inFolder = bash(`cd sub && apply_patch <<'EOF'\n${patch}EOF\n`);
  for (const [editStyle, call] of [
    ['patch', inFolder],
    ['text', typed],
  ] as const) {
    const other = await engineFor({ permissionMode: 'bypassPermissions', editStyle });
    expect(await other.runCalls([call])).toMatchObject([{ is_error: true, content: expect.stringMatching(words) }]);
  }
});

test('treats a patch typed into a shell as a change of its files', async () => {
  const engine = await engineFor({
    permissionMode: 'bypassPermissions',
    editStyle: 'patch',
    permissions: { deny: ['Edit(b.txt)'] },
  });
  const command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch\nEOF";
  const [result] = await engine.runCalls([{ id: 'a', name: 'Bash', input: { command } }]);
  expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('Edit(b.txt)') });
});

test('reminders come with the last result', async () => {
  const engine = await engineFor({ permissionMode: 'bypassPermissions' });
  engine.mode = 'plan';
  const [first, last] = await engine.runCalls([
    { id: 'a', name: 'Read', input: { file_path: 'a.txt' } },
    { id: 'b', name: 'Read', input: { file_path: 'a.txt' } },
  ]);
  expect(first?.content).toBe('1\tone');
  expect(last?.content).toMatchObject([{ type: 'text' }, { text: expect.stringMatching(/<system-reminder>.*plan/is) }]);
});

test('canUseTool allows, changes and denies, with its message for the model', async () => {
  const [allowed, denied] = (await answersTo((tool, input, { effects, reason, signal }) => {
    expect({ tool, kinds: effects.map(({ kind }) => kind), aborted: signal.aborted }).toEqual({
      tool: 'Write',
      kinds: ['file', 'file', 'session'],
      aborted: false,
    });
    expect(reason).toContain('writes');
    if (input['file_path'] === 'one.txt') return { behavior: 'allow', updatedInput: { ...input, file_path: '1.txt' } };
    return { behavior: 'deny', message: 'One is enough.' };
  })) as string[]; // two calls of Write, whose result is text
  expect(allowed).toContain('1.txt');
  expect(denied).toContain('One is enough.');
});

test.each<[unknown, string]>([
  [{ behavior: 'allow', updatedInput: 'echo safe' }, 'must be an object, but was "echo safe"'],
  [{ behavior: 'allow', updatedInput: ['echo safe'] }, 'must be an object'],
  [{ behavior: 'allow', updatedInput: 0 }, 'must be an object'],
  [{ behavior: 'allow', updatedInput: new Map([['content', 'x']]) }, 'must be an object'],
  [{ behavior: 'allow', updated_input: { content: 'x' } }, '"updated_input", which is not known'],
  [{ behavior: 'allow', updateInput: { content: 'x' } }, '"updateInput", which is not known'],
  [{ behavior: 'allow', content: 'x' }, '"content", which is not known'],
  [{ behavior: 'allow', decision: 'deny' }, 'also "deny" in "decision"'],
  [{ behavior: 'allow', hookSpecificOutput: { permission_decision: 'deny' } }, 'also "deny"'],
  [{ behavior: 'allow', interrupt: true }, 'also true in "interrupt"'],
])('an answer of canUseTool that is not a clear allow runs nothing: %j', async (answer, why) => {
  const engine = await engineFor({ canUseTool: async () => answer as ToolPermission }); // from a program without types
  const [result] = await engine.runCalls([write('one')]);
  expect(result).toMatchObject({ is_error: true, content: expect.stringMatching(/^Write was not run: /) });
  expect(result?.content).toContain(why);
});

test('canUseTool gets the risks of a call', async () => {
  const seen: string[] = [];
  const engine = await engineFor({
    canUseTool: (_tool, _input, { risks }) => {
      seen.push(...risks.map(({ level, kind, text }) => `${level} ${kind}: ${text}`));
      return { behavior: 'deny' };
    },
  });
  await engine.runCalls([{ id: 'a', name: 'Bash', input: { command: 'npm publish' } }]);
  expect(seen).toEqual(['high publishes: publishes this package to the registry']);
});

test('rules that canUseTool returns apply to the rest of the session', async () => {
  const asked: string[] = [];
  const engine = await engineFor({
    canUseTool: (_, input, { suggestions }) => {
      asked.push(String(input['command']));
      return { behavior: 'allow', allowRules: suggestions };
    },
  });
  for (const id of ['a', 'b']) await engine.runCalls([{ id, name: 'Bash', input: { command: 'touch x' } }]);
  expect(asked).toEqual(['touch x']);
});

test.each<[string, CanUseTool]>([
  ['throws', () => Promise.reject(new Error('broken'))],
  // A program without types may return anything.
  ['returns nothing', (() => undefined) as unknown as CanUseTool],
  ['returns something else', (() => ({ behavior: 'maybe' })) as unknown as CanUseTool],
])('nothing runs if canUseTool %s', async (_, canUseTool) => {
  const engine = await engineFor({ canUseTool });
  const [result] = await engine.runCalls([write('one')]);
  expect(result?.is_error).toBe(true);
  const [listed] = await engine.runCalls([{ id: 'b', name: 'Glob', input: { pattern: '*.txt' } }]);
  expect(listed?.content).toBe('a.txt');
});

test('canUseTool and askPermission together are refused', () => {
  const askPermission = async () => ({ behavior: 'allow' as const });
  expect(() => createEngine({ canUseTool: () => ({ behavior: 'allow' }), askPermission })).toThrow('Leave one');
});

test('supports the formats of OpenAI, including malformed arguments and images', async () => {
  const engine = await engineFor();
  const chat = await chatTools(engine).runCalls([
    { id: 'a', function: { name: 'Read', arguments: '{"file_path": "a.png"}' } },
    { id: 'b', function: { name: 'Read', arguments: '{"file_path": "a.p' } },
  ]);
  expect(chat).toEqual([
    { role: 'tool', tool_call_id: 'a', content: expect.stringContaining('[The image follows in the next message.]') },
    { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('Read') },
    { role: 'user', content: [expect.anything(), { type: 'image_url', image_url: { url: expect.any(String) } }] },
  ]);
  const responses = await responsesTools(engine).runCalls([
    { type: 'message' },
    { type: 'function_call', call_id: 'c', name: 'Read', arguments: '{"file_path": "a.png"}' },
  ]);
  expect(responses).toMatchObject([{ type: 'function_call_output', call_id: 'c' }]);
  expect(responses[0]?.output.map(({ type }) => type)).toContain('input_image');
});

test('ending an engine interrupts its calls, and later calls are refused', async () => {
  const engine = await engineFor({ permissions: { allow: ['Bash'] } });
  const started = Promise.withResolvers<void>();
  const onEvent = ({ type }: { type: string }): void => (type === 'tool_start' ? started.resolve() : undefined);
  const results = engine.runCalls([{ id: 'a', name: 'Bash', input: { command: 'sleep 60' } }], { onEvent });
  await started.promise;
  await engine.end();
  expect(await results).toMatchObject([
    { tool_use_id: 'a', is_error: true, content: expect.stringContaining('interrupted') },
  ]);
  await expect(engine.runCalls([write('b')])).rejects.toThrow('This engine has ended');
});
