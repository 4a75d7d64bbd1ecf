import { expect, test } from 'vitest';
import type { Effect } from '../../../contract/effect.js';
import { createCommandAnalyzer } from '../command-effects.js';
import { programs } from './index.js';

const analyzer = createCommandAnalyzer();

// Reading outside the project is for the policy to judge; here only what the command itself does counts.
const isHarmless = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => {
    if (effect.kind === 'command') return effect.harmless;
    if (effect.kind === 'file') return effect.access === 'read';
    return effect.kind === 'session';
  });

async function wronglyJudged(commands: readonly string[], wanted: boolean): Promise<string[]> {
  const judged = await Promise.all(
    commands.map(async (command) => ({
      command,
      effects: await analyzer.effects(command, { cwd: '/project', home: '/home/me' }),
    })),
  );
  return judged.filter(({ effects }) => isHarmless(effects) !== wanted).map(({ command }) => command);
}

test('the examples of every program that must be harmless are', async () => {
  const examples = programs.flatMap((program) => program.examples.harmless);
  expect(examples.length).toBeGreaterThan(200);
  expect(await wronglyJudged(examples, true)).toEqual([]);
});

test('the examples of every program that must not be harmless are not', async () => {
  const examples = programs.flatMap((program) => program.examples.not);
  expect(examples.length).toBeGreaterThan(250);
  expect(await wronglyJudged(examples, false)).toEqual([]);
});

test('every program has examples, and no name is listed twice', () => {
  const without = programs.filter(({ examples }) => examples.harmless.length + examples.not.length === 0);
  expect(without.map(({ names }) => names)).toEqual([]);
  const names = programs.flatMap((program) => program.names);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
