import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool, type Tool, type ToolExposure } from '../contract/tool.js';
import type { ToolSetMode } from '../contract/tool-context.js';
import { builtInTools, simpleToolNames, smallProfile } from '../tools/index.js';
import type { ToolPoolOptions } from './permitted-tools.js';
import { ToolPool } from './tool-pool.js';

const tool = (name: string, exposure: ToolExposure = 'direct', more: object = {}): Tool =>
  defineTool({
    name,
    description: `${name} does things.`,
    input: z.strictObject({}),
    exposure,
    execute: async () => name,
    toModel: (text) => text,
    ...more,
  });

const pool = (options: Partial<ToolPoolOptions> = {}): ToolPool =>
  new ToolPool({ builtIn: [], mode: 'headless', simpleNames: [], root: '/work', ...options });

const sent = (tools: ToolPool): string[] => tools.definitions().map(({ name }) => name);

test.each<[ToolSetMode, string[]]>([
  ['simple', ['Bash', 'Edit', 'Read']],
  [
    'repl',
    [
      'Bash',
      'BashOutput',
      'Edit',
      'Glob',
      'Grep',
      'KillShell',
      'LS',
      'MultiEdit',
      'Read',
      'Task',
      'Think',
      'TodoWrite',
      'ToolSearch',
      'WebFetch',
      'Write',
    ],
  ],
  [
    'headless',
    [
      'Bash',
      'BashOutput',
      'Edit',
      'Glob',
      'Grep',
      'KillShell',
      'LS',
      'MultiEdit',
      'Read',
      'Task',
      'Think',
      'TodoWrite',
      'ToolSearch',
      'WebFetch',
      'Write',
    ],
  ],
  [
    'child',
    [
      'Bash',
      'BashOutput',
      'Edit',
      'Glob',
      'Grep',
      'KillShell',
      'LS',
      'MultiEdit',
      'Read',
      'Task',
      'Think',
      'TodoWrite',
      'ToolSearch',
      'WebFetch',
      'Write',
    ],
  ],
])('the mode %s has these built-in tools', (mode, expected) => {
  expect(sent(pool({ builtIn: builtInTools(), simpleNames: simpleToolNames, mode }))).toEqual(expected);
});

test('the tool definitions of a first request have less than 10 kB', () => {
  const tools = pool({ builtIn: builtInTools(), simpleNames: simpleToolNames });
  expect(JSON.stringify(tools.definitions()).length).toBeLessThan(10_000);
});

test('a model that is trained on patches also gets apply_patch', () => {
  const tools = pool({ builtIn: builtInTools(), editStyle: 'patch' });
  expect(sent(tools)).toContain('apply_patch');
  expect(pool({ builtIn: builtInTools() }).find('apply_patch')).toBeUndefined();
});

test('an opt-in tool is offered once it is switched on, and a tool that is switched off is not', () => {
  const builtIn = [tool('Usual'), tool('Rare', 'direct', { optIn: true })];
  expect(sent(pool({ builtIn }))).toEqual(['Usual']);
  const turned = pool({ builtIn, switchOf: (name) => name === 'Rare' });
  expect(sent(turned)).toEqual(['Rare']);
  expect(turned.all.map(({ tool: { name }, enabled }) => [name, enabled])).toEqual([
    ['Rare', true],
    ['Usual', false],
  ]);
});

test('switching a tool on does not add it to the simple set or to a child', () => {
  const builtIn = [tool('Usual'), tool('Rare', 'direct', { optIn: true })];
  const switchOf = (): boolean => true;
  expect(sent(pool({ builtIn, switchOf, mode: 'simple', simpleNames: ['Usual'] }))).toEqual(['Usual']);
  expect(sent(pool({ builtIn, switchOf, mode: 'child', granted: ['Usual'] }))).toEqual(['Usual']);
});

test('the simple set includes tools that the embedding program added', () => {
  const tools = pool({ builtIn: [tool('Usual')], added: [tool('Own')], mode: 'simple', simpleNames: [] });
  expect(sent(tools)).toEqual(['Own']);
});

test('a tool that asks a person is offered only if questions can be answered', () => {
  const builtIn = [tool('Asks', 'direct', { needsPerson: true }), tool('Works')];
  expect(sent(pool({ builtIn }))).toEqual(['Works']);
  expect(sent(pool({ builtIn, isAnswered: (name) => name === 'Asks' }))).toEqual(['Asks', 'Works']);
});

test('a child gets exactly the tools that its type grants', () => {
  expect(sent(pool({ builtIn: builtInTools(), mode: 'child', granted: ['Read', 'Grep', 'Missing'] }))).toEqual([
    'Grep',
    'Read',
  ]);
});

test('sorts built-ins by name as one block, then the added ones; a built-in wins a clash', () => {
  const builtIn = [tool('Zeta'), tool('Alpha')];
  const added = [tool('beta'), tool('Alpha', 'direct', { description: 'an impostor' }), tool('Abc')];
  const tools = pool({ builtIn, added });
  expect(sent(tools)).toEqual(['Alpha', 'Zeta', 'Abc', 'beta']);
  expect(tools.definitions()[0]?.description).toBe('Alpha does things.');
});

test('a tool that is denied by a rule or disables itself is not offered', () => {
  const off = tool('Off', 'direct', { isEnabled: () => false });
  const tools = pool({ builtIn: [tool('Denied'), off, tool('On')] });
  tools.hideDenied((name) => name === 'Denied');
  expect(sent(tools)).toEqual(['On']);
  expect(tools.names).toEqual(['On']);
  expect(tools.find('Denied')?.name).toBe('Denied'); // so that a call is refused with the name of the rule
  expect(tools.all.map(({ tool: { name }, enabled }) => [name, enabled])).toEqual([
    ['Denied', false],
    ['Off', false],
    ['On', true],
  ]);
});

test('denied tools are removed and return with changes of the rules, and otherwise the definitions stay the same', () => {
  const search = tool('Search', 'direct', {
    description: (context: { deferredTools: string[] }) => context.deferredTools.join(),
  });
  const tools = pool({ builtIn: [tool('Later', 'deferred'), tool('Other', 'deferred'), search] });
  const before = tools.definitions();
  expect(before[0]?.description).toBe('Later,Other');
  tools.hideDenied(() => false);
  expect(tools.definitions()).toBe(before);
  tools.hideDenied((name) => name === 'Later');
  expect(tools.definitions()[0]?.description).toBe('Other');
  expect(tools.deferred().map(({ name }) => name)).toEqual(['Other']);
  tools.hideDenied(() => false);
  expect(tools.definitions()).toEqual(before);
});

test('waits for tools that decide asynchronously whether they are enabled and how they are described', async () => {
  const added = [
    tool('Off', 'direct', { isEnabled: async () => false }),
    tool('On', 'direct', { isEnabled: async () => true, description: async () => 'On does more.' }),
    tool('Broken', 'direct', { description: () => Promise.reject(new Error('no network')) }),
  ];
  const tools = pool({ added });
  expect(sent(tools)).not.toContain('Off');
  expect(await tools.ready()).toEqual([expect.stringMatching(/^The tool Broken is off: .* no network$/)]);
  expect(tools.definitions().map(({ name, description }) => [name, description])).toEqual([['On', 'On does more.']]);
});

test('only the name of a deferred tool is sent until it is activated', () => {
  const tools = pool({ builtIn: [tool('Direct'), tool('Later', 'deferred'), tool('Never', 'hidden')] });
  expect(sent(tools)).toEqual(['Direct']);
  expect(tools.deferred()).toEqual([{ name: 'Later', description: 'Later does things.', parameters: [] }]);
  tools.activate(['Later', 'Never', 'Missing']);
  expect(sent(tools)).toEqual(['Direct', 'Later']);
});

test('a call to a deferred tool activates it', () => {
  const tools = pool({ builtIn: [tool('Later', 'deferred')] });
  expect(tools.find('Later')?.name).toBe('Later');
  expect(sent(tools)).toEqual(['Later']);
});

test('sends identical definitions in each turn, so that the prompt cache stays valid', () => {
  const tools = pool({ builtIn: [tool('A'), tool('B', 'deferred')] });
  const first = tools.definitions();
  expect(tools.definitions()).toBe(first);
  tools.activate(['Missing']);
  expect(tools.definitions()).toBe(first);
  tools.activate(['B']);
  expect(tools.definitions()[0]).toEqual(first[0]);
});

test('rejects two added tools with the same name', () => {
  expect(() => pool({ added: [tool('Twin'), tool('Twin')] })).toThrow('Two tools are named "Twin"');
});

test('a tool with a listing is offered once the listing is not empty, and describes it', () => {
  const tools = pool({ builtIn: [tool('Lister', 'direct', { lists: 'skills' }), tool('Other')] });
  expect(sent(tools)).toEqual(['Other']);
  expect(tools.find('Lister')).toBeUndefined();
  tools.setListings({ skills: ['- report: Reports'], commands: [] });
  expect(tools.names).toEqual(['Lister', 'Other']);
  expect(tools.definitions()[0]?.description).toBe('Lister does things.\n- report: Reports');
});

test('a disabled tool has a reason, which a call of it reports', () => {
  const tools = pool({
    builtIn: [
      tool('Off'),
      tool('Unset'),
      tool('Wanted', 'direct', { optIn: true }),
      tool('Asking', 'direct', { needsPerson: true }),
      tool('Search', 'direct', { needsSetting: 'webSearch' }),
      tool('Denied'),
      tool('Skills', 'direct', { lists: 'skills' }),
      tool('On'),
    ],
    switchOf: (name) => (['Off', 'Unset'].includes(name) ? false : undefined),
    isOffBySetting: (name) => name === 'Off',
  });
  tools.hideDenied((name) => name === 'Denied');
  expect(tools.all.map(({ tool: { name }, off }) => [name, off])).toEqual([
    ['Asking', 'no person can answer here'],
    ['Denied', 'a rule denies it'],
    ['Off', 'switched off by the setting tools.Off'],
    ['On', undefined],
    ['Search', 'needs the setting webSearch'],
    ['Skills', 'no skills are used here'],
    ['Unset', 'switched off'],
    ['Wanted', 'needs the setting tools.Wanted'],
  ]);
  expect(tools.whyAbsent('Off')).toBe(
    'The tool Off is off here: switched off by the setting tools.Off. Go on without it.',
  );
  expect(tools.whyAbsent('Nothing')).toBeUndefined();
});

test('a tool whose listing arrives later is enabled then', () => {
  const tools = pool({ builtIn: [tool('Skills', 'direct', { lists: 'skills' })] });
  tools.setListings({ skills: ['- one'] });
  expect(tools.all).toEqual([{ tool: expect.objectContaining({ name: 'Skills' }), source: 'builtin', enabled: true }]);
});

test('the result of a call to a server that is still connecting says so', () => {
  const tools = pool();
  tools.setServers({
    tools: [],
    states: [
      { name: 'my notes', status: 'pending' },
      { name: 'gone', status: 'failed', detail: 'It is gone.' },
    ],
  });
  expect(tools.whyAbsent('mcp__my_notes__add')).toBe(
    'The MCP server my notes is still connecting, so mcp__my_notes__add is not there yet. Go on with something else; you are told when its tools are there.',
  );
  expect(tools.whyAbsent('mcp__gone__add')).toBe('There is no tool mcp__gone__add now. It is gone.');
  expect(tools.whyAbsent('mcp__other__add')).toBeUndefined();
});

test('a profile defers the built-in tools that it does not have, and a search loads them', () => {
  const tools = pool({ builtIn: builtInTools(), added: [tool('Mine')], profile: smallProfile });
  expect(sent(tools)).toEqual(['Bash', 'Edit', 'Grep', 'Read', 'ToolSearch', 'Write', 'Mine']);
  const search = tools.definitions().find(({ name }) => name === smallProfile.search);
  expect(search?.description).toContain('MultiEdit');
  expect(search?.description).not.toContain('apply_patch'); // off for this model
  tools.activate(['Glob']);
  expect(sent(tools)).toContain('Glob');
  expect(tools.find('LS')).toBeDefined();
  expect(sent(tools)).toContain('LS');
});

test('a profile defers nothing where the search for tools is denied or was not granted', () => {
  const granted = pool({ builtIn: builtInTools(), mode: 'child', granted: ['Read', 'LS'], profile: smallProfile });
  expect(sent(granted)).toEqual(['LS', 'Read']);
  const denied = pool({ builtIn: builtInTools(), profile: smallProfile });
  denied.hideDenied((name) => name === smallProfile.search);
  expect(sent(denied)).toContain('Glob');
});

test('each parameter of a profile is one of the tool, and each that the tool requires is shown', () => {
  for (const [name, { parameters }] of smallProfile.tools) {
    const schema = builtInTools().find((each) => each.name === name)?.inputSchema;
    expect(Object.keys(schema?.['properties'] ?? {})).toEqual(expect.arrayContaining([...parameters]));
    expect(parameters).toEqual(expect.arrayContaining([...((schema?.['required'] as string[]) ?? [])]));
  }
});
