import { expect, test } from 'vitest';
import * as z from 'zod';
import { builtInTools } from '../tools/index.js';
import { factsOf, lazyTool } from './lazy-tool.js';
import { defineTool, type Tool } from './tool.js';
import type { DescribeContext, SessionPort } from './tool-context.js';

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
  const facts = factsOf(tool);
  if (!facts) throw new Error(`${tool.name} can't wait`);
  return lazyTool(JSON.parse(JSON.stringify(facts)), load);
}

test.each(builtInTools().map((tool) => [tool.name, tool] as const))(
  'the model is told the same of %s before and after it is loaded',
  (_, tool) => {
    const lazy = lazily(tool);
    const told = (one: Tool) => ({
      name: one.name,
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
])('a tool whose words depend on %s can not wait', (_, description) => {
  expect(factsOf(echo({ description }))).toBeUndefined();
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

test('tries again where it could not be loaded', async () => {
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
