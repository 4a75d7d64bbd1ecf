import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PromptHistory } from './prompt-history.js';

const place = (root = '/project') => ({ dataFolder: mkdtempSync(join(tmpdir(), 'helve-history-')), root });

const fileOf = ({ dataFolder }: { dataFolder: string }): string => {
  const folder = join(dataFolder, 'history');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '');
};

test('keeps prompts for the next session of the same project, the latest first, each once', async () => {
  const here = place();
  const history = PromptHistory.open(here);
  for (const prompt of ['one', 'two', 'one', 'one', '  ']) history.add(prompt);
  await history.flushed();
  expect(PromptHistory.open(here).prompts).toEqual(['one', 'two']);
  expect(PromptHistory.open({ ...here, root: '/other' }).prompts).toEqual([]);
});

test('only the user can read them', async () => {
  const here = place();
  const history = PromptHistory.open(here);
  history.add('secret plan');
  await history.flushed();
  expect(statSync(fileOf(here)).mode & 0o777).toBe(0o600);
  expect(fileOf(here)).not.toContain('project');
});

test('keeps prompts that another terminal has added meanwhile', async () => {
  const here = place();
  const [one, other] = [PromptHistory.open(here), PromptHistory.open(here)];
  one.add('from one');
  other.add('from the other');
  await Promise.all([one.flushed(), other.flushed()]);
  expect(PromptHistory.open(here).prompts.toSorted()).toEqual(['from one', 'from the other']);
});

test('skips truncated lines and lines that are not prompts', async () => {
  const here = place();
  const history = PromptHistory.open(here);
  history.add('good');
  await history.flushed();
  writeFileSync(fileOf(here), `${readFileSync(fileOf(here), 'utf8')}{"prompt":7}\n[]\n{"prom`);
  expect(PromptHistory.open(here).prompts).toEqual(['good']);
});

test('stays within its limits', async () => {
  const here = place();
  const history = PromptHistory.open(here);
  for (let index = 0; index < 300; index += 1) history.add(`${index} ${'x'.repeat(15_000)}`);
  history.add('y'.repeat(50_000));
  await history.flushed();
  expect(statSync(fileOf(here)).size).toBeLessThan(3 * 1024 * 1024);
  const again = PromptHistory.open(here).prompts;
  expect(again[0]).toMatch(/^299 /);
  expect(history.prompts[0]).toBe('y'.repeat(50_000));
});

test('reads nothing through a symlink, says so, and still keeps new prompts in memory', async () => {
  const here = place();
  const history = PromptHistory.open(here);
  history.add('x');
  await history.flushed();
  const file = fileOf(here);
  const elsewhere = join(here.dataFolder, 'elsewhere');
  writeFileSync(elsewhere, '');
  const linked = place();
  const other = PromptHistory.open(linked);
  other.add('x');
  await other.flushed();
  const { rmSync } = await import('node:fs');
  rmSync(fileOf(linked), { force: true });
  symlinkSync(elsewhere, join(linked.dataFolder, 'history', file.split('/').at(-1) ?? ''));
  const refused = PromptHistory.open(linked);
  refused.add('typed now');
  await refused.flushed();
  expect(refused.problem).toContain('it is a link');
  expect(refused.prompts).toEqual(['typed now']);
  expect(readFileSync(elsewhere, 'utf8')).toBe('');
});

test('finds prompts that contain every word, in any letter case', () => {
  const history = PromptHistory.open(place());
  for (const prompt of ['Fix the tests', 'fix the docs', 'run tests']) history.add(prompt);
  expect(history.search('TESTS fix')).toEqual(['Fix the tests']);
});
