import { expect, test } from 'vitest';
import * as z from 'zod';
import type { PermissionAnswer, PermissionQuestion } from '../contract/permission.js';
import { defineTool } from '../contract/tool.js';
import { temporaryProject } from '../testing/temporary-project.js';

const writing = (checkAsks?: string) =>
  defineTool({
    name: 'Put',
    description: 'Puts.',
    input: z.strictObject({ path: z.string() }),
    effects: ({ path }) => [{ kind: 'file', access: 'write', path, real: path }],
    validate: async ({ path }) => (checkAsks && path === '/new' ? { ask: checkAsks } : undefined),
    execute: async ({ path }) => `wrote ${path}`,
    toModel: (text) => text,
  });

async function project(answers: PermissionAnswer[], permissions: { deny?: string[] } = {}) {
  const asked: PermissionQuestion[] = [];
  const made = await temporaryProject(
    {},
    {
      permissionMode: 'default',
      permissions,
      async askPermission(question) {
        asked.push(question);
        return answers.shift() ?? { behavior: 'deny', reason: 'asked once too often' };
      },
    },
  );
  return { asked, run: made.run };
}

const instead: PermissionAnswer = { behavior: 'allow', updatedInput: { path: '/new' } };

test('runs the input that the person made of it, and asks about it no more', async () => {
  const { asked, run } = await project([instead]);
  expect((await run(writing(), { path: '/old' })).content).toBe('wrote /new');
  expect(asked.map(({ input }) => input)).toEqual([{ path: '/old' }]);
});

test("puts the question of the tool's own check about the new input all the same", async () => {
  const { asked, run } = await project([instead, { behavior: 'allow' }]);
  expect((await run(writing('it is full'), { path: '/old' })).content).toBe('wrote /new');
  expect(asked.map(({ reason }) => reason)).toEqual([
    'it writes /old, which is outside the project',
    expect.stringContaining('it is full'),
  ]);
});

test('refuses the new input where a rule denies it, and one that does not fit', async () => {
  const denied = await project([instead], { deny: ['Edit(//new)'] });
  expect((await denied.run(writing(), { path: '/old' })).content).toContain('Edit(//new)');
  const odd = await project([{ behavior: 'allow', updatedInput: { path: 5 } }]);
  expect((await odd.run(writing(), { path: '/old' })).content).toContain(
    'The user changed the input of this call to one that does not fit',
  );
});
