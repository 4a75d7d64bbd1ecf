import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const todos = {
  calls: [
    {
      name: 'TodoWrite',
      input: {
        todos: [
          { content: 'Read the code', status: 'completed', activeForm: 'Reading the code' },
          { content: 'Update the changelog', status: 'in_progress', activeForm: 'Updating the changelog' },
        ],
      },
    },
  ],
};

inTerminal('todos are shown once while they are worked on, and not at the next prompt', async () => {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const { terminal, say } = await converse([
    todos,
    { text: 'The first answer.', holdAfter: { events: 2, until: first.promise } },
    { text: 'The second answer.', holdAfter: { events: 2, until: second.promise } },
  ]);
  await say('begin');
  const seen = await terminal.shows('▶ Updating the changelog');
  expect(seen).not.toContain('TodoWrite');
  first.resolve();
  await terminal.shows('The first answer.');
  await terminal.hides('▶ Updating the changelog');
  await say('something else');
  const later = await terminal.shows('esc to stop');
  expect(later).not.toContain('changelog');
  second.resolve();
  await terminal.shows('The second answer.');
  expect(await terminal.scrollback()).not.toContain('changelog');
});

inTerminal('retries are one line with a countdown, of which nothing remains', async () => {
  const overloaded = {
    status: 529,
    error: { type: 'overloaded_error', message: 'Overloaded' },
    headers: { 'retry-after': '2' },
  };
  const { terminal, say } = await converse([overloaded, overloaded, { text: 'At last.' }]);
  await say('hi');
  await terminal.shows(/Retrying in \d s \(1 of \d+\)/);
  const seen = await terminal.shows(/Retrying in \d s \(2 of \d+\)/);
  expect(seen.match(/Retrying/g)).toHaveLength(1);
  await terminal.shows('At last.');
  expect(await terminal.scrollback()).not.toMatch(/Retrying|verloaded/);
});

inTerminal('a request that fails in the end leaves one message', async () => {
  const { terminal, say } = await converse(() => ({ status: 500, error: { type: 'api_error', message: 'Internal' } }), {
    env: { HELVE_MAX_RETRIES: '2' },
  });
  await say('hi');
  await terminal.shows('✗');
  expect(await terminal.scrollback()).not.toContain('Retrying');
});
