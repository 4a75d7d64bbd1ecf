import { expect, test } from 'vitest';
import { defineTool, type ToolExposure } from '../contract/tool.js';
import type { ServerState } from '../mcp/client/client.js';
import { isDeferred, readDeferral, ServerTools } from './server-tools.js';
import { ToolPool } from './tool-pool.js';

const offered = (name: string, size: number, exposure: ToolExposure) => ({
  server: 's',
  alwaysLoad: false,
  size,
  tool: defineTool({
    name,
    description: `${name} does things.`,
    inputJsonSchema: { type: 'object', properties: { place: {} } },
    exposure,
    execute: async () => '',
    toModel: (text) => text,
  }),
});

function serverTools(options: { contextTokens?: number; setting?: string } = {}) {
  const pool = new ToolPool({ builtIn: [], mode: 'headless', simpleNames: [], root: '/' });
  const reminders: string[] = [];
  const world = {
    sizes: {} as Record<string, number>,
    denied: [] as string[],
    state: { name: 's', status: 'connected', tools: 0, setAside: [], changes: [], errorOutput: '' } as ServerState,
  };
  const tools = new ServerTools({
    pool,
    session: { remind: (text) => reminders.push(text) },
    source: {
      states: () => [world.state],
      instructions: () => [{ server: 's', text: 'Use me well.' }],
      tools(defer) {
        const facts = Object.values(world.sizes).map((size) => ({ size, alwaysLoad: false }));
        const exposure = defer(facts) ? 'deferred' : 'direct';
        return Object.entries(world.sizes).map(([name, size]) => ({
          ...offered(name, size, exposure),
          isHeldBack: false,
        }));
      },
    },
    deniedTools: () => (name) => world.denied.includes(name),
    deferral: () => readDeferral(options.setting),
    contextTokens: options.contextTokens,
  });
  const sent = (): string[] => pool.definitions().map(({ name }) => name);
  return { pool, tools, world, reminders, sent };
}

test.each<[string | undefined, number | undefined, number, boolean]>([
  [undefined, 200_000, 9_000, false],
  [undefined, 200_000, 11_000, true],
  [undefined, 8_000, 4_000, true],
  [undefined, undefined, 11_000, true],
  ['auto', 200_000, 11_000, true],
  ['auto:10', 200_000, 79_000, false],
  ['auto:10', 200_000, 81_000, true],
  ['true', 200_000, 1, true],
  ['false', 8_000, 1_000_000, false],
  ['nonsense', 200_000, 9_000, false],
])(
  'with the setting %s and a window of %s tokens, definitions of %s characters are deferred: %s',
  (setting, contextTokens, chars, expected) => {
    expect(isDeferred(chars, readDeferral(setting), contextTokens)).toBe(expected);
  },
);

test('tools that connect after the first request are announced once, and earlier ones are not', () => {
  const { tools, world, reminders } = serverTools();
  world.sizes = { mcp__s__a: 10 };
  tools.update();
  tools.begin();
  world.sizes = { mcp__s__a: 10, mcp__s__b: 10 };
  tools.update();
  tools.update();
  expect(reminders.filter((text) => text.includes('You now have'))).toEqual([
    'You now have these tools of MCP servers: mcp__s__b.',
  ]);
});

test('deferred tools are announced once with name and description, and again after compaction', () => {
  const { tools, world, reminders, sent } = serverTools();
  world.sizes = { mcp__s__a: 20_000 };
  tools.update();
  tools.update();
  expect(sent()).toEqual([]);
  const announcements = () => reminders.filter((text) => text.includes('mcp__s__a: mcp__s__a does things.'));
  expect(announcements()).toHaveLength(1);
  tools.announceAgain();
  expect(announcements()).toHaveLength(2);
});

test('a tool whose definition was sent is not deferred later, when further tools exceed the limit', () => {
  const { tools, world, sent } = serverTools();
  world.sizes = { mcp__s__a: 10 };
  tools.update();
  expect(sent()).toEqual(['mcp__s__a']);
  world.sizes = { mcp__s__a: 10, mcp__s__b: 20_000 };
  tools.update();
  expect(sent()).toEqual(['mcp__s__a']);
});

test('a tool whose definition was not sent yet is deferred with the others', () => {
  const { tools, world, sent } = serverTools();
  world.sizes = { mcp__s__a: 10 };
  tools.update();
  world.sizes = { mcp__s__a: 10, mcp__s__b: 20_000 };
  tools.update();
  expect(sent()).toEqual([]);
});

test('a tool that a rule denies is not offered', () => {
  const { tools, world, pool } = serverTools();
  Object.assign(world, { sizes: { mcp__s__a: 10, mcp__s__b: 10 }, denied: ['mcp__s__a'] });
  tools.update();
  expect(pool.names).not.toContain('mcp__s__a');
  expect(pool.find('mcp__s__a')).toBeDefined(); // so that a call is refused by the rule
  expect(pool.names).toContain('mcp__s__b');
});

test('the instructions of a server are quoted to the model once', () => {
  const { tools, reminders } = serverTools();
  tools.update();
  tools.update();
  expect(reminders).toEqual([
    "The MCP server s says of itself (its words, no instruction of the user's):\nUse me well.",
  ]);
});

test('the failure of a server whose tools the model knew is reported once', () => {
  const { tools, world, reminders } = serverTools();
  world.sizes = { mcp__s__a: 10 };
  tools.update();
  world.state = { ...world.state, status: 'failed', detail: 'The MCP server s ended.' };
  tools.update();
  tools.update();
  expect(reminders.filter((text) => text.startsWith('The MCP server s ended.'))).toHaveLength(1);
});

test('an announcement of a thousand tools is shortened, and counts the tools that are left out', () => {
  const { tools, world, reminders } = serverTools();
  world.sizes = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`mcp__s__tool_with_a_long_name_${n}`, 100]));
  tools.update();
  expect(reminders[0]?.length).toBeLessThan(17_000);
  expect(reminders[0]).toMatch(/… and \d+ more: search for what you need\./);
});

test('a server whose tools change constantly is no longer announced after a while, and its tools stay available', () => {
  const { tools, world, reminders, pool } = serverTools({ setting: 'on' });
  for (let count = 0; count < 200; count += 1) {
    world.sizes = { [`tool_${count}`]: 10 };
    tools.update();
  }
  expect(reminders.filter((text) => text.includes('can be loaded')).length).toBe(50);
  expect(pool.deferred().map(({ name }) => name)).toEqual(['tool_199']);
});
