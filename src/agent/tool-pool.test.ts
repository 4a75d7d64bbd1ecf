import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool, type Tool, type ToolExposure } from '../contract/tool.js';
import type { ToolSetMode } from '../contract/tool-context.js';
import { builtInTools, simpleToolNames } from '../tools/index.js';
import { ToolPool, type ToolPoolOptions } from './tool-pool.js';

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
      'Think',
      'ToolSearch',
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
      'Think',
      'ToolSearch',
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
      'Think',
      'ToolSearch',
      'Write',
    ],
  ],
])('the mode %s has these built-in tools', (mode, expected) => {
  expect(sent(pool({ builtIn: builtInTools(), simpleNames: simpleToolNames, mode }))).toEqual(expected);
});

test('a model that is trained on patches has apply_patch too', () => {
  const tools = pool({ builtIn: builtInTools(), editStyle: 'patch' });
  expect(sent(tools)).toContain('apply_patch');
  expect(pool({ builtIn: builtInTools() }).find('apply_patch')).toBeUndefined();
});

test('a child has what its type grants, and nothing more', () => {
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

test('a tool that is denied outright or says no itself is not there', () => {
  const off = tool('Off', 'direct', { isEnabled: () => false });
  const tools = pool({ builtIn: [tool('Denied'), off, tool('On')], denied: ['Denied'] });
  expect(sent(tools)).toEqual(['On']);
  expect(tools.find('Denied')).toBeUndefined();
  expect(tools.all.map(({ tool: { name }, enabled }) => [name, enabled])).toEqual([
    ['Denied', false],
    ['Off', false],
    ['On', true],
  ]);
});

test('a deferred tool is sent by name only until it is activated', () => {
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

test('sends the very same definitions turn after turn, so that the prompt cache holds', () => {
  const tools = pool({ builtIn: [tool('A'), tool('B', 'deferred')] });
  const first = tools.definitions();
  expect(tools.definitions()).toBe(first);
  tools.activate(['Missing']);
  expect(tools.definitions()).toBe(first);
  tools.activate(['B']);
  expect(tools.definitions()[0]).toEqual(first[0]);
});

test('refuses two added tools of one name', () => {
  expect(() => pool({ added: [tool('Twin'), tool('Twin')] })).toThrow('Two tools are named "Twin"');
});
