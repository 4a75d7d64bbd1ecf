import { expect, test } from 'vitest';
import { isDisplay, recordedDisplay } from './recorded-display.js';

test('keeps a small display as it is, without colours that are too long', () => {
  const display = { title: 'ls', facts: ['exit code 1'], body: { type: 'output', text: 'a\n' } } as const;
  expect(recordedDisplay(display)).toEqual(display);
  expect(recordedDisplay({ ...display, body: { ...display.body, styled: 'x'.repeat(5000) } })).toEqual(display);
});

test('keeps the beginning and the end of a long output', () => {
  const text = Array.from({ length: 2000 }, (_, index) => `line ${index + 1}`).join('\n');
  const { body } = recordedDisplay({ title: 'seq', body: { type: 'output', text } });
  const kept = body?.type === 'output' ? body.text : '';
  expect(kept.length).toBeLessThan(4200);
  expect(kept).toMatch(/^line 1\n[\s\S]*\n… \d+ lines not kept for display\nline \d+\n[\s\S]*\nline 2000$/);
});

test('keeps the counts of a patch that is too long, and drops any other body that is', () => {
  const patch = `@@ -1 +1,900 @@\n-old\n${'+a new line\n'.repeat(900)}`;
  expect(recordedDisplay({ title: 'a', body: { type: 'diff', path: 'a', patch } })).toEqual({
    title: 'a',
    facts: ['+900 -1'],
  });
  expect(recordedDisplay({ title: 'a', body: { type: 'list', items: Array(900).fill('a'.repeat(20)) } })).toEqual({
    title: 'a',
  });
});

test.each([
  [{ title: 'a' }, true],
  [{ title: 'a', facts: ['1 line'], looks: 'read', body: { type: 'diff', path: 'a', patch: '' } }, true],
  [{ title: 'a', body: { type: 'diff', path: 'a' } }, false],
  [{ title: 'a', body: { type: 'later' } }, false],
  [{ title: 'a', looks: 'smell' }, false],
  [{ facts: [] }, false],
  [null, false],
])('a value read from a file is a display or not: %j', (value, expected) => {
  expect(isDisplay(value)).toBe(expected);
});
