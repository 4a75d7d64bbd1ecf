import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool, type Tool } from '../contract/tool.js';
import type { DescribeContext, SessionPort } from '../contract/tool-context.js';
import { factsOf, lazyTool } from './lazy-tool.js';
import { toolList } from './tool-list.js';

const modes = ['repl', 'headless', 'child', 'simple'] as const;
const contexts: DescribeContext[] = modes.flatMap((mode) =>
  (['text', 'patch'] as const).flatMap((editStyle) =>
    [[], ['One'], ['One', 'Two', 'Three']].map((deferredTools) => ({
      root: '/project',
      mode,
      editStyle,
      deferredTools,
    })),
  ),
);

const echo = (more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({
    name: 'Echo',
    description: 'Says it again.',
    input: z.strictObject({ text: z.string() }),
    effects: () => [],
    execute: async ({ text }) => text,
    toModel: (text) => text,
    displayCall: ({ text = '' }) => ({ title: text }),
    ...(more as object), // what a test is about
  });

/** The tool from its facts, once they have been through a file. */
function lazily(tool: Tool, load: () => Promise<Tool> = async () => tool): Tool {
  return lazyTool(JSON.parse(JSON.stringify(factsOf(tool))), load);
}

test.each(Object.entries(toolList))(
  'the facts of %s are the same before and after it is loaded',
  async (name, load) => {
    const tool = await load();
    const lazy = lazily(tool);
    expect(tool.name).toBe(name);
    const told = (one: Tool) => ({
      name: one.name,
      about: one.about,
      exposure: one.exposure,
      maxResultChars: one.maxResultChars,
      inputSchema: one.inputSchema,
      bringsOwnSchema: one.bringsOwnSchema,
      preloads: one.preload !== undefined,
      inContexts: contexts.map((context) => [one.describe(context), one.isEnabled(context)]),
    });
    expect(told(lazy)).toEqual(told(tool));
  },
);

test.each([
  ['the folder', ({ root }: DescribeContext) => `Works in ${root}.`],
  ['how many tools wait', ({ deferredTools }: DescribeContext) => `${deferredTools.length} more.`],
  ['the name of one that waits', ({ deferredTools }: DescribeContext) => `Not ${deferredTools[0]}.`],
])('a description that depends on %s is refused', (_, description) => {
  expect(() => factsOf(echo({ description }))).toThrow('The description of the built-in tool Echo may depend on');
});

test('is loaded once, and then works as the tool itself does', async () => {
  let loads = 0;
  const tool = lazily(echo(), async () => {
    loads += 1;
    return echo();
  });
  expect(tool.displayCall({ text: 'a' })).toEqual({ title: '' });
  await Promise.all([tool.load(), tool.load()]);
  expect(tool.displayCall({ text: 'a' })).toEqual({ title: 'a' });
  expect(tool.accept({ text: 'a' })).toMatchObject({ ok: true, call: { input: { text: 'a' } } });
  expect(tool.accept({})).toMatchObject({ ok: false, issues: [{ path: 'text' }] });
  expect(loads).toBe(1);
});

test('refuses a call before it is loaded', () => {
  expect(() => lazily(echo()).accept({ text: 'a' })).toThrow('The tool Echo was called before it was loaded.');
});

test('tries again after a failed load', async () => {
  let loads = 0;
  const tool = lazily(echo(), async () => {
    loads += 1;
    if (loads === 1) throw new Error('no such file');
    return echo();
  });
  await expect(tool.load()).rejects.toThrow('no such file');
  await tool.load();
  expect(tool.accept({ text: 'a' }).ok).toBe(true);
});

test('loads itself to get ready what it needs', async () => {
  const got: unknown[] = [];
  const tool = lazily(echo({ preload: async (session: SessionPort) => got.push(session) }));
  const session = {} as SessionPort; // passed on, never looked at
  await tool.preload?.(session);
  expect(got).toEqual([session]);
});
