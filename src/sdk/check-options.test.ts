import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { AgentOptions, EngineOptions } from '../contract/options.js';
import type { RunOptions } from '../contract/run.js';
import { defineTool, type Tool } from '../contract/tool.js';
import { scriptedModel } from '../models/scripted.js';
import { createAgent, resumeAgent } from './agent.js';
import { createEngine } from './engine.js';
import { connectMcpServers, serveMcpOverHttp } from './mcp.js';
import { chooseModel } from './models.js';
import { listSessions } from './sessions.js';
import { loadSettings } from './settings.js';
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
  [{ model, systemPrompt: 5 }, 'systemPrompt must be a string, but was 5.'],
  [{ model, appendSystemPrompt: ['x'] }, 'appendSystemPrompt must be a string, but was a list.'],
  [{ model, keepSession: 'yes' }, 'keepSession must be true or false, but was "yes".'],
  [{ model, childModel: 'haiku' }, 'childModel must be a function, but was "haiku".'],
  [{ model, retries: true }, 'retries must be false or an object, but was true.'],
  [{ model, retries: { maxRetries: -1 } }, 'retries.maxRetries must be a whole number of at least 0, but was -1.'],
  [{ model, retries: { maxRetrys: 1 } }, 'retries has no option "maxRetrys". Did you mean maxRetries?'],
  [{ model, context: { windowTokens: '200k' } }, 'context.windowTokens must be a whole number of at least 0'],
  [
    { model, context: { compactAtPercent: 120 } },
    'context.compactAtPercent must be a number from 0 to 100, but was 120.',
  ],
  [{ model, permissions: { allow: ['Bsh(x)'] } }, '"Bsh(x)" names a tool that does not exist. Did you mean "Bash(x)"?'],
  [{ model, cwd: '/' }, 'createAgent has no option "cwd". Did you mean root?'],
  [{ model, permisions: { deny: ['Bash'] } }, 'createAgent has no option "permisions". Did you mean permissions?'],
])('an agent with the options %j is refused', (options, sentence) => {
  expect(() => createAgent(options as AgentOptions)).toThrow(sentence);
});

test.each<[unknown, string]>([
  [{ model }, 'createEngine has no option "model".'],
  [{ root: import.meta.filename }, 'which is not a folder'],
  [{ permissions: { deny: 'Bash' } }, 'permissions.deny must be a list, but was "Bash".'],
  [{ permissions: { denied: [] } }, 'permissions has no option "denied". Did you mean deny?'],
  [{ permissions: { deny: [/Bash/] } }, 'permissions.deny[0] must be a string'],
  [{ canUseTool: 'yes' }, 'canUseTool must be a function, but was "yes".'],
  [{ hiddenVariables: 'SECRET' }, 'hiddenVariables must be a list, but was "SECRET".'],
  [{ sandbox: true }, 'sandbox must be an object, but was true.'],
  [{ editStyle: 'diff' }, 'editStyle must be one of text, patch, but was "diff".'],
  [{ toolSet: 'minimal' }, 'toolSet must be one of simple, all, but was "minimal".'],
  [{ dataFolder: '' }, 'dataFolder must be the path of a folder, but is empty. Leave it out for the default.'],
  [{ mcpServers: { x: {} } }, 'mcpServers.x has no command. Write'],
  [{ mcpServers: { x: { type: 'carrier' } } }, 'mcpServers.x.type must be one of stdio, http, sse, but was "carrier".'],
  [{ mcpServers: { x: { command: 5 } } }, 'mcpServers.x.command must be a string, but was 5.'],
  [{ mcpServers: { x: { comand: 'x' } } }, 'mcpServers.x has no option "comand". Did you mean command?'],
  [{ mcpServers: { x: { command: 'x', arg: ['y'] } } }, 'mcpServers.x has no option "arg". Did you mean args?'],
  [{ mcpServers: { x: { url: 'http://localhost/' } } }, 'mcpServers.x has a url but no type.'],
  [{ mcpServers: { x: { type: 'http' } } }, 'mcpServers.x has no url.'],
  [
    { mcpServers: { x: { type: 'http', url: 'https://x/', oauth: 'id' } } },
    'mcpServers.x.oauth must be an object, but was "id".',
  ],
  [{ root: 5 }, 'root must be a string, but was 5.'],
  [{ additionalDirectories: [5] }, 'additionalDirectories[0] must be a string, but was 5.'],
  [{ audit: 'no' }, 'audit must be true or false, but was "no".'],
  [{ permissionMode: 'yolo' }, 'permissionMode must be one of default, '],
  [{ env: { PORT: 80 } }, 'env.PORT must be a string or undefined, but was 80.'],
  [{ toolSwitches: { Bash: 'off' } }, 'toolSwitches.Bash must be true or false, but was "off".'],
  [{ sandbox: { network: 'none' } }, 'sandbox.network must be "off", "on" or an object, but was "none".'],
  [{ sandbox: { network: 'off' } }, 'sandbox.allowWrite must be a list, but was undefined.'],
  [{ web: { localHosts: 'localhost' } }, 'web.localHosts must be a list, but was "localhost".'],
  [{ settings: { permissions: {} } }, 'The option settings must be a result of loadSettings.'],
  [{ mcpServers: { git: 'npx git' } }, 'mcpServers.git must be an object, but was "npx git".'],
  [{ permissions: { allow: ['Bsh(x)'] } }, 'permissions.allow: "Bsh(x)" names a tool that does not exist.'],
  [{ permissions: { ask: ['Frobnicate'] } }, 'permissions.ask: "Frobnicate" names a tool that does not exist.'],
  [{ permissions: { allow: ['Bash(npm'] } }, 'permissions.allow: "Bash(npm" has no closing parenthesis.'],
  [{ hooks: { Stop: [{ hooks: [], timeout: '5' }] } }, 'hooks.Stop[0].timeout must be a number above 0, but was "5".'],
  [{ hooks: { Stop: [{ hooks: [], onFailure: 'deny' }] } }, 'hooks.Stop[0].onFailure must be one of continue, block'],
  [{ hooks: { Stop: [{ hooks: [], match: 'x' }] } }, 'hooks.Stop[0] has no option "match". Did you mean matcher?'],
  [{ toolSwitches: { Bahs: false } }, 'toolSwitches has "Bahs", but no tool has that name. Did you mean Bash?'],
  [{ tools: named('A') }, 'tools must be a list, but was an object named "A".'],
  [
    { tools: [{ name: 'A', execute() {} }] },
    'an object named "A" among tools is not a tool. Create it with defineTool.',
  ],
  [
    { tools: [named('WebSearch')] },
    'There is a built-in tool named "WebSearch", so yours would not be called. Rename it.',
  ],
  [
    { hooks: { PreTool: [] } },
    'There is no hook event "PreTool", so its hooks would never be called. Did you mean PreToolUse?',
  ],
  [
    { hooks: { Stop: () => {} } },
    'hooks.Stop must be a list, but was a function. Write hooks: { Stop: [{ hooks: [function] }] }.',
  ],
  [{ hooks: { Stop: [() => {}] } }, 'A group in hooks.Stop has no list of functions as its hooks.'],
])('an engine with the options %j is refused', (options, sentence) => {
  expect(() => createEngine(options as EngineOptions)).toThrow(sentence);
});

const guards = { PreToolUse: [{ hooks: [() => undefined] }] };
class Guards {
  get PreToolUse() {
    return guards.PreToolUse;
  }
}
class OwnGuards {
  PreToolUse = guards.PreToolUse;
}

test.each<[string, unknown, string]>([
  ['a promise', Promise.resolve(guards), 'must be an object, but was a Promise. Was an await forgotten?'],
  ['a map', new Map(Object.entries(guards)), 'must be an object, but was a Map.'],
  ['a set', new Set(), 'must be an object, but was a Set.'],
  ['a date', new Date(), 'must be an object, but was a Date.'],
  ['an error', new Error('no'), 'must be an object, but was an Error.'],
])('no object option may be %s', (_, value, sentence) => {
  const names = ['hooks', 'permissions', 'mcpServers', 'env', 'sandbox', 'web', 'toolSwitches'] as const;
  for (const name of names) expect(() => createEngine({ [name]: value })).toThrow(`${name} ${sentence}`);
  for (const name of ['retries', 'context']) {
    expect(() => createAgent({ model, [name]: value })).toThrow(`${name} ${sentence}`);
  }
  expect(() => createEngine({ hooks: { PreToolUse: [value] } } as EngineOptions)).toThrow('hooks');
});

test('options that would be partly ignored are refused', () => {
  const inherited = 'hooks must be a plain object, but its property "PreToolUse" is inherited and would be ignored.';
  expect(() => createEngine({ hooks: new Guards() })).toThrow(inherited);
  expect(() => createEngine({ hooks: Object.create(guards) })).toThrow(inherited);
  const hidden = Object.defineProperty({}, 'deny', { value: ['Bash'] });
  expect(() => createEngine({ permissions: hidden })).toThrow(
    'permissions must be a plain object, but its property "deny" is not enumerable and would be ignored.',
  );
  expect(() => createEngine(Object.create({ hooks: guards }))).toThrow('its property "hooks" is inherited');
  expect(() => createEngine(Promise.resolve({}) as EngineOptions)).toThrow('a Promise. Was an await forgotten?');
});

test('objects of other classes are accepted if all properties are their own', async () => {
  const copied = Object.assign(Object.create(null), guards);
  for (const hooks of [new OwnGuards(), copied]) {
    await using _engine = createEngine({ hooks, env: process.env });
  }
});

test('rules may name tools of the program, of servers, and of other agents', () => {
  const allow = ['Count', 'mcp__git__log', 'mcp__git', 'LSP', 'Agent(explore)', 'View'];
  expect(() => createEngine({ tools: [named('Count')], permissions: { allow } })).not.toThrow();
});

test.each<[unknown, unknown, string]>([
  [5, undefined, 'calls must be a list, but was 5.'],
  [['x'], undefined, 'calls[0] must be an object, but was "x".'],
  [[{ id: 5, name: 'Read', input: {} }], undefined, 'calls[0].id must be a string, but was 5.'],
  [[{ id: 'a', tool: 'Read', input: {} }], undefined, 'calls[0].name must be a string, but was undefined.'],
  [[], { signal: 5 }, 'signal must be an AbortSignal, but was 5.'],
  [[], { onEvent: 'log' }, 'onEvent must be a function, but was "log".'],
  [[], { onevent: () => {} }, 'runCalls has no option "onevent". Did you mean onEvent?'],
])('runCalls with %j and %j rejects', async (calls, options, sentence) => {
  await using engine = createEngine();
  await expect(Reflect.apply(engine.runCalls, engine, [calls, options])).rejects.toThrow(sentence);
});

test.each<[unknown, string]>([
  [{ signal: 5 }, 'signal must be an AbortSignal, but was 5.'],
  [{ steering: 'x' }, 'steering must be a function, but was "x".'],
  [{ maxTurns: 1 }, 'run has no option "maxTurns".'],
  [
    { output: z.object({}), maxOutputRetries: -1 },
    'maxOutputRetries must be a whole number of at least 0, but was -1.',
  ],
  [{ output: { a: z.string() } }, 'output is a plain object of zod schemas. Wrap it: z.object({ … }).'],
])('a run with the options %j rejects', async (options, sentence) => {
  const agent = createAgent({ model });
  await expect(agent.run('x', options as RunOptions).result).rejects.toThrow(sentence);
});

test.each<[string, () => unknown, string]>([
  ['loadSettings', async () => await loadSettings({ trusted: true } as object), 'Did you mean trust?'],
  ['loadSettings', async () => await loadSettings({ root: 5 } as object), 'root must be a string, but was 5.'],
  ['listSessions', async () => await listSessions({ root: 5 } as object), 'root must be a string, but was 5.'],
  [
    'resumeAgent',
    async () => await resumeAgent({ model, session: 'last', fork: 'x' } as never),
    'fork must be true or false',
  ],
  [
    'connectMcpServers',
    async () => await connectMcpServers({}, { withinMs: '5' } as object),
    'withinMs must be a number',
  ],
  ['serveMcpOverHttp', async () => await serveMcpOverHttp({ port: '80' } as object), 'port must be a whole number'],
  ['serveMcpOverHttp', async () => await serveMcpOverHttp({ model } as object), 'has no option "model"'],
])('%s names the invalid option', async (_, act, sentence) => {
  await expect(act()).rejects.toThrow(sentence);
});

test('undefined options count as omitted', () => {
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

test('an output schema that cannot be requested rejects', async () => {
  const agent = createAgent({ model });
  const told = async (output: unknown) => await agent.run('x', { output: output as z.ZodType }).result;
  await expect(told(true)).rejects.toThrow('output must be a schema of zod, or a JSON Schema, but was true.');
  await expect(told(z.object({ a: z.date() }))).rejects.toThrow('Date cannot be represented in JSON Schema');
  await expect(told(z.union([z.object({}), z.object({ a: z.string() })]))).rejects.toThrow('describes a union');
});

test('a test project runs tools, not names of tools', async () => {
  await using project = await temporaryProject();
  const running = project.run('Read' as unknown as Tool, {});
  await expect(running).rejects.toThrow(
    '"Read" is not a tool. Create one with defineTool, or use one of builtInTools().',
  );
});

test('an unknown mode is refused', () => {
  const engine = createEngine();
  const setTo = (mode: string) => Object.assign(engine, { mode });
  expect(() => setTo('yolo')).toThrow('There is no permission mode "yolo".');
  expect(engine.mode).toBe('default');
});

test('resuming without a session rejects', async () => {
  await expect(resumeAgent({ model } as Parameters<typeof resumeAgent>[0])).rejects.toThrow(
    'resumeAgent needs a session',
  );
});

test.each<[unknown, string]>([
  [[{ text: 'x' }], 'scriptedModel takes an object, but was given a list. Did you mean { turns: [ … ] }?'],
  [{}, 'The script has no list of turns.'],
  [{ turns: [{ txt: 'x' }] }, 'turns[0] has no field "txt". Did you mean text?'],
  [{ turns: [{ calls: [{ nam: 'Read', input: {} }] }] }, 'turns[0].calls[0] has no field "nam". Did you mean name?'],
  [{ turns: ['x'] }, 'turns[0] of the script is not an object.'],
])('an invalid script, %j, is refused at once', (script, sentence) => {
  expect(() => scriptedModel(script as Parameters<typeof scriptedModel>[0])).toThrow(sentence);
});

test('two calls with the same id are refused, and neither runs', async () => {
  const project = await temporaryProject({ 'a.txt': 'a' });
  const engine = createEngine({ root: project.root, dataFolder: project.path('../data') });
  onTestFinished(async () => {
    await engine.end();
    await project.remove();
  });
  const calls = ['d', 'd'].map((id) => ({ id, name: 'Read', input: { file_path: 'a.txt' } }));
  await expect(engine.runCalls(calls)).rejects.toThrow('calls[1].id is "d", which calls[0] has too.');
});

test('errors of the SDK do not mention the command line', async () => {
  const project = await temporaryProject({});
  onTestFinished(() => project.remove());
  const missing = resumeAgent({ model, root: project.root, dataFolder: project.path('../data'), session: 'nope' });
  await expect(missing).rejects.toThrow('There is no session "nope". listSessions() returns those there are.');
  await expect(chooseModel('sonet', {})).rejects.toThrow(/^(?!.*--model)/s);
});
