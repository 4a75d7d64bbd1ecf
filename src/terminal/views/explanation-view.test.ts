import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { ExplanationView } from './explanation-view.js';

const text = [
  'Asks first: it overwrites commits on origin (force push).',
  '  !! publishes this package to the registry',
  '  !  deletes build',
  '',
  '  ✓ runs ls: harmless',
  '  ? runs git push --force',
  '',
  'Mode default (ask before each change). No rule matches.',
].join('\n');

test('an explanation has the signs and the colours of questions', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const { paint } = theme;
  const lines = new ExplanationView(theme, text).render(80);
  expect(lines[0]).toContain(paint.warning(paint.strong('Asks first')));
  expect(lines[1]).toBe(`  ${paint.failure('▲ publishes this package to the registry')}`);
  expect(lines[2]).toBe(`  ${paint.warning('△ deletes build')}`);
  expect(lines[4]).toBe(`  ${paint.success('✓')} runs ls: harmless`);
  expect(lines.at(-1)).toBe(paint.muted('Mode default (ask before each change). No rule matches.'));
});

test('long lines wrap below themselves', () => {
  const lines = new ExplanationView(new Theme({ name: 'none', depth: 'many' }), text).render(30);
  for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(30);
  expect(lines.map((line) => stripTerminalSequences(line))).toContain('    to the registry');
});
