import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool, type Tool } from '../contract/tool.js';
import { scriptedModel } from '../models/scripted.js';
import { type AgentOptions, createAgent, resumeAgent } from './agent.js';
import { createEngine } from './engine.js';
import type { EngineOptions } from './options.js';
import { temporaryProject } from './testing.js';

const model = scriptedModel({ turns: [] });
const named = (name: string) =>
  defineTool({ name, description: '', input: z.object({}), execute: async () => '', toModel: (text) => text });

test.each<[unknown, string]>([
  [undefined, 'createAgent takes an object with options, but was given undefined.'],
  [{}, 'createAgent needs a model.'],
  [{ model: Promise.resolve(model) }, 'The model is a promise. Wait for it: model: await chooseModel(…).'],
  [
    { model: 'sonnet' },
    'The model is "sonnet", which can\'t answer. Take one from helve/models, as in await chooseModel("sonnet").',
  ],
  [{ model, fallbackModels: model }, 'fallbackModels must be a list'],
  [{ model, maxTurns: 0 }, 'maxTurns takes a whole number above 0, but was 0. Leave it out for no limit.'],
  [{ model, cwd: '/' }, 'createAgent has no option "cwd". Did you mean root?'],
  [{ model, permisions: { deny: ['Bash'] } }, 'createAgent has no option "permisions". Did you mean permissions?'],
])('an agent made of %j says what is wrong', (options, sentence) => {
  expect(() => createAgent(options as AgentOptions)).toThrow(sentence);
});

test.each<[unknown, string]>([
  [{ model }, 'createEngine has no option "model".'],
  [{ root: import.meta.filename }, 'which is no folder'],
  [{ permissions: { deny: 'Bash' } }, 'permissions.deny must be a list, but was "Bash".'],
  [{ permissions: { denied: [] } }, 'There is no list permissions.denied. There are: allow, ask, deny.'],
  [{ permissions: { deny: [/Bash/] } }, 'A rule of permissions.deny is no text'],
  [{ canUseTool: 'yes' }, 'canUseTool must be a function, but was "yes".'],
  [{ hiddenVariables: 'SECRET' }, 'hiddenVariables must be a list, but was "SECRET".'],
  [{ sandbox: true }, 'sandbox must be an object, but was true.'],
  [{ editStyle: 'diff' }, 'editStyle takes text or patch, but was "diff".'],
  [{ toolSet: 'minimal' }, 'toolSet takes simple or all, but was "minimal".'],
  [{ toolSwitches: { Bahs: false } }, 'toolSwitches has "Bahs", but no tool has that name. Did you mean Bash?'],
  [{ tools: named('A') }, 'tools must be a list, but was an object named "A".'],
  [{ tools: [{ name: 'A', execute() {} }] }, 'an object named "A" among tools is no tool. Make it with defineTool.'],
  [
    { tools: [named('WebSearch')] },
    'There is a built-in tool named "WebSearch", so yours would not be called. Rename it.',
  ],
  [
    { hooks: { PreTool: [] } },
    'There is no moment "PreTool" for hooks, so they would never be called. Did you mean PreToolUse?',
  ],
  [
    { hooks: { Stop: () => {} } },
    'hooks.Stop must be a list, but was a function. Write hooks: { Stop: [{ hooks: [function] }] }.',
  ],
  [{ hooks: { Stop: [() => {}] } }, 'A group in hooks.Stop has no list of functions as its hooks.'],
])('an engine made of %j says what is wrong', (options, sentence) => {
  expect(() => createEngine(options as EngineOptions)).toThrow(sentence);
});

test('options that are undefined count as left out', () => {
  const options = {
    permissionMode: undefined,
    hooks: undefined,
    tools: undefined,
    canUseTool: undefined,
    other: undefined,
  };
  expect(() => createEngine(options as unknown as EngineOptions)).not.toThrow();
});

test.each([null, 5, { role: 'user', content: 'x' }, ['x']])('a prompt that is %j rejects', async (prompt) => {
  const { result } = createAgent({ model }).run(prompt as unknown as string);
  await expect(result).rejects.toThrow('A prompt is a text, or a list of blocks of text and images, but this is');
});

test('an answer of something that can not be asked for rejects', async () => {
  const agent = createAgent({ model });
  const told = async (output: unknown) => await agent.run('x', { output: output as z.ZodType }).result;
  await expect(told(true)).rejects.toThrow('output must be a schema of zod, or a JSON Schema, but was true.');
  await expect(told(z.object({ a: z.date() }))).rejects.toThrow('Date cannot be represented in JSON Schema');
  await expect(told(z.union([z.object({}), z.object({ a: z.string() })]))).rejects.toThrow(
    'several of which it is one',
  );
});

test('a project for tests takes tools, and not their names', async () => {
  await using project = await temporaryProject();
  const running = project.run('Read' as unknown as Tool, {});
  await expect(running).rejects.toThrow('"Read" is no tool. Make one with defineTool, or take one of builtInTools().');
});

test('a mode that does not exist is not taken', () => {
  const engine = createEngine();
  const setTo = (mode: string) => Object.assign(engine, { mode });
  expect(() => setTo('yolo')).toThrow('There is no permission mode "yolo".');
  expect(engine.mode).toBe('default');
});

test('a session that is not named can not be taken up', async () => {
  await expect(resumeAgent({ model } as Parameters<typeof resumeAgent>[0])).rejects.toThrow(
    'resumeAgent needs a session',
  );
});
