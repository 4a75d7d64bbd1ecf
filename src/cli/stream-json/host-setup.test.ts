import { expect, test } from 'vitest';
import { readAgents, readSetup } from './host-setup.js';

const initialize = (fields: object) => readSetup({ subtype: 'initialize', ...fields }).setup;
const clerk = { description: 'Keeps records', prompt: 'You keep records.' };

test('policies for tools of a host become rules that ask and deny', () => {
  const tools = [
    { name: 'send', permission_policy: 'always_ask' },
    { name: 'wipe', permission_policy: 'always_deny' },
    { name: 'look', permission_policy: 'always_allow' },
    { name: 'later', permission_policy: 'a policy of later versions' },
    { name: 'capped', permission_policy: 'always_allow', org_max_permission: 'ask' },
  ];
  const { servers, policies } = initialize({ sdkMcpServers: ['mine'], sdkMcpServerConfigs: { mine: { tools } } });
  expect(servers).toEqual({ mine: { type: 'sdk', alwaysLoad: true } });
  expect(policies).toEqual({
    ask: ['mcp__mine__send', 'mcp__mine__later', 'mcp__mine__capped'],
    deny: ['mcp__mine__wipe'],
  });
});

test('policies that no rule can express are refused', () => {
  const withTools = (tools: unknown) => () =>
    initialize({ sdkMcpServers: ['mine'], sdkMcpServerConfigs: { mine: { tools } } });
  expect(withTools('send')).toThrow('must be a list');
  expect(withTools([{ permission_policy: 'always_deny' }])).toThrow('must have a "name"');
  expect(withTools([{ name: 'a b', permission_policy: 'always_deny' }])).toThrow("can't be kept");
  expect(withTools([{ name: 'x'.repeat(80), permission_policy: 'always_ask' }])).toThrow("can't be kept");
  expect(() => initialize({ sdkMcpServerConfigs: 'mine' })).toThrow('must be an object');
});

test('an agent has the limits that its fields give it', () => {
  const limits = { tools: ['Read'], disallowedTools: ['Bash'], model: 'haiku', maxTurns: 3, permissionMode: 'plan' };
  expect(readAgents({ clerk: { ...clerk, ...limits, omitClaudeMd: true } })).toEqual([
    {
      name: 'clerk',
      ...clerk,
      tools: ['Read'],
      disallowedTools: ['Bash'],
      model: 'haiku',
      maxTurns: 3,
      mode: 'plan',
      withoutInstructions: true,
    },
  ]);
  expect(readAgents({ clerk: { ...clerk, model: 'inherit', maxTurns: null, tools: undefined } })).toEqual([
    { name: 'clerk', ...clerk },
  ]);
});

test.each([
  [{ model: 3 }, '"model" must be the name of a model'],
  [{ maxTurns: '3' }, '"maxTurns" must be a whole number, 1 or more, but was "3"'],
  [{ maxTurns: 0 }, '"maxTurns" must be'],
  [{ permissionMode: 'root' }, '"permissionMode" must be one of'],
  [{ tools: 'Read' }, '"tools" must be a list'],
  [{ omitClaudeMd: 'yes' }, '"omitClaudeMd" must be true or false'],
  [{ mcpServers: ['x'], skills: ['y'] }, 'does not use "mcpServers", "skills"'],
  [{ readonly: true }, 'does not use "readonly"'],
])('an agent with %j is refused', (fields, reason) => {
  expect(() => readAgents({ clerk: { ...clerk, ...fields } })).toThrow(reason);
});

test('texts, the schema and the aliases of tools are read, and fields without effect are named', () => {
  const { setup, notices } = readSetup({
    subtype: 'initialize',
    systemPrompt: ['One.', 'Two.'],
    appendSystemPrompt: 'Three.',
    jsonSchema: { type: 'object' },
    toolAliases: { Grep: 'mcp__x__grep' },
    promptSuggestions: true,
    futureField: 1,
    title: null,
  });
  expect(setup).toMatchObject({ systemPrompt: 'One.\n\nTwo.', appendSystemPrompt: 'Three.', replacedTools: ['Grep'] });
  expect(notices).toEqual([
    'The field promptSuggestions of initialize has no effect: Helve suggests no prompts.',
    'The field futureField of initialize has no effect: Helve does not know it.',
    'The built-in tools Grep are switched off, because toolAliases replaces them by other tools.',
  ]);
  expect(() => initialize({ systemPrompt: 3 })).toThrow('must be a text or a list of texts');
});
