import { expect, test } from 'vitest';
import { inputKind, readInput } from './read-input.js';

test.each([
  ['hello', { type: 'prompt', text: 'hello' }],
  ['/help', { type: 'command', name: 'help', args: '' }],
  ['/model  sonnet ', { type: 'command', name: 'model', args: 'sonnet' }],
  ['/src/a.ts is wrong', { type: 'prompt', text: '/src/a.ts is wrong' }],
  ['!npm test', { type: 'shell', command: 'npm test' }],
  ['! ls', { type: 'shell', command: 'ls' }],
  ['!', { type: 'prompt', text: '!' }],
  ['# use tabs', { type: 'note', text: 'use tabs' }],
  ['#12 is done', { type: 'prompt', text: '#12 is done' }],
  ['## Title', { type: 'prompt', text: '## Title' }],
  ['# Title\ntext', { type: 'prompt', text: '# Title\ntext' }],
])('parses %j', (text, expected) => {
  expect(readInput(text)).toEqual(expected);
});

test.each([
  ['', 'prompt'],
  ['/he', 'command'],
  ['/usr/bin', 'prompt'],
  ['!', 'shell'],
  ['#', 'note'],
  ['#1', 'prompt'],
])('classifies %j while it is typed', (text, kind) => {
  expect(inputKind(text)).toBe(kind);
});
