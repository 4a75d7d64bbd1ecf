// The same calls on a machine that can confine commands and on one that can't: what differs is named here, with the reason.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createExplainer } from '../../src/compose/explain-call.js';
import type { Walls } from '../../src/contract/permission.js';
import { type Case, casesOf, setUp } from './permission-corpus.js';
import { emptyFolder } from './run-helve.js';

/** By the id of the case: why it runs without a question only where commands are confined. */
const needsWalls: Readonly<Record<string, string>> = {
  'readonly-140': 'awk is a language of its own',
};

const explain = createExplainer({ settings: { env: {} } });

async function decisionsOf(cases: readonly Case[], walls: Walls): Promise<string[]> {
  const decisions: string[] = [];
  for (const { cwd, home, settings, mode, tool, input } of cases) {
    const place = { ...(cwd !== undefined && { cwd }), ...(home !== undefined && { home }) };
    const { decision } = await explain({ ...place, settings: { permissions: settings }, mode, tool, input, walls });
    decisions.push(decision);
  }
  return decisions;
}

async function expectNamed(cases: readonly Case[]): Promise<void> {
  const [confined, unconfined] = [await decisionsOf(cases, 'full'), await decisionsOf(cases, 'none')];
  const differing = cases.flatMap(({ id, input }, index) =>
    confined[index] === unconfined[index]
      ? []
      : [{ id, change: `${confined[index]} to ${unconfined[index]}`, input: JSON.stringify(input) }],
  );
  const unnamed = differing.filter(({ id }) => !Object.hasOwn(needsWalls, id));
  const named = cases.map(({ id }) => id).filter((id) => Object.hasOwn(needsWalls, id));
  const same = named.filter((id) => !differing.some((other) => other.id === id));
  const list = unnamed.map(({ id, change, input }) => `  '${id}': '', // ${change} without walls: ${input}`).join('\n');
  expect(unnamed, `Add to needsWalls, each with its reason:\n${list}\n`).toEqual([]);
  expect(same, 'Remove from needsWalls, since the decision is the same without walls').toEqual([]);
  // Walls may free a call from a question, and nothing else depends on them.
  expect(differing.filter(({ change }) => change !== 'allow to ask' && change !== 'allow to deny')).toEqual([]);
}

test('decisions on commands are the same with and without confinement, except for the listed ones', async () => {
  const root = await emptyFolder();
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  await setUp([{ file: join(cwd, 'src/a.ts'), content: 'a\n' }, { file: join(cwd, 'a.txt') }, { dir: home }]);
  const cases = casesOf('bash-permissions.jsonl', () => root).map((one) => ({ ...one, cwd, home }));
  expect(cases.length).toBeGreaterThan(200);
  await expectNamed(cases);
});

test('decisions on paths are the same with and without confinement, except for the listed ones', async () => {
  const root = await emptyFolder();
  const cases = casesOf('path-permissions.jsonl', (index) => join(root, String(index)));
  for (const { setup = [] } of cases) await setUp(setup);
  expect(cases.length).toBeGreaterThan(40);
  await expectNamed(cases);
});
