import { expect, test } from 'vitest';
import { anthropicSse } from '../../src/testing/index.js';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal('an answer that breaks off in a call waits with a countdown, and is shown once with one note', async () => {
  const events = anthropicSse({
    text: 'I write the file now.',
    calls: [{ name: 'Write', input: { file_path: 'a.txt', content: 'long' } }],
    streamError: { type: 'overloaded_error', message: 'Overloaded' },
  }).split('\n\n');
  const raw = events
    .toSpliced(
      events.findLastIndex((event) => event.includes('content_block_stop')),
      1,
    )
    .join('\n\n');
  const { terminal, say, server } = await converse([{ raw }, { raw }, { raw }, { raw }, { text: 'It is done.' }], {
    env: { HELVE_RETRY_BASE_MS: '300' },
  });
  await say('begin');
  await terminal.shows(/Retrying (now|in \d s) \(3 of 10\)/);
  const screen = await terminal.shows(/Answered after 4 retries/);
  expect(screen).toContain('It is done.');
  expect(screen).not.toMatch(/I write the file|Write|cut off/);
  expect(new Set(server.requests.map(({ text }) => text)).size).toBe(1);
});
