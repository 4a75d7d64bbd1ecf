import { visibleWidth } from '@earendil-works/pi-tui';
import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import type { WorkItem } from '../session/background-work.js';
import { WorkPanel } from './work-panel.js';

const item = (id: string, given: Partial<WorkItem> = {}): WorkItem => ({
  id,
  kind: 'command',
  title: `npm run ${id}`,
  isAsking: false,
  milliseconds: 61_000,
  latest: undefined,
  ...given,
});

function panelOf(items: readonly WorkItem[]) {
  const done: string[] = [];
  const panel = new WorkPanel(new Theme({ name: 'none', depth: 'basic' }), {
    items: () => items,
    isShown: () => true,
    hasWorkAbove: () => false,
    look: ({ id }) => void done.push(`look ${id}`),
    stop: ({ id }) => void done.push(`stop ${id}`),
    leave: (data = '') => void done.push(`leave ${data}`),
  });
  return { panel, done };
}

test('shows a line for each command and agent, and how to reach it', () => {
  const { panel } = panelOf([
    item('dev', { latest: 'ready on 3000' }),
    item('a1', { kind: 'agent', title: 'Explore: find it', tokens: 12_300, latest: 'Grep price' }),
  ]);
  expect(panel.render(80)).toEqual([
    '1 background command, 1 agent · ↓ to look or stop',
    '  ● npm run dev       1m 1s · ready on 3000',
    '  ● Explore: find it  1m 1s · 12k tokens · Grep price',
  ]);
});

test('shows nothing once nothing runs', () => {
  expect(panelOf([]).panel.render(80)).toEqual([]);
});

test('shows at most six, counts the rest, and follows the choice', () => {
  const { panel } = panelOf(Array.from({ length: 9 }, (_, index) => item(`t${index}`)));
  expect(panel.render(80)).toHaveLength(8);
  expect(panel.render(80).at(-1)).toBe('  … 3 more');
  panel.focused = true;
  for (let press = 0; press < 8; press += 1) panel.handleInput('\u001b[B');
  expect(panel.render(80).join('\n')).toContain('❯ ● npm run t8');
});

test('looks, stops and leaves by its keys, and passes others on', () => {
  const { panel, done } = panelOf([item('one'), item('two')]);
  panel.focused = true;
  for (const key of ['\u001b[B', '\r', 'x', 'h', '\u001b[A', '\u001b[A', '\u001b']) panel.handleInput(key);
  expect(done).toEqual(['look two', 'stop two', 'leave h', 'leave ', 'leave ']);
});

test('fits a narrow window', () => {
  const { panel } = panelOf([item('one', { title: 'x'.repeat(200), latest: 'y'.repeat(200) })]);
  for (const line of panel.render(40)) expect(visibleWidth(line)).toBeLessThanOrEqual(40);
});

test('while nothing else is known, the titles have the width', () => {
  const title = 'general-purpose: review the public API';
  const [, line] = panelOf([item('a', { kind: 'agent', title, milliseconds: 2_000 })]).panel.render(70);
  expect(line).toBe(`  ● ${title}  2s`);
});
