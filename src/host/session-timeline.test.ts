import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callName } from '../display/shown-tool.js';
import { SessionFeed } from './session-feed.js';
import { timelinePage } from './session-timeline.js';

test('a call has the name that the conversation shows', () => {
  const feed = new SessionFeed();
  const call = { kind: 'call', input: {}, status: 'running', queuedAt: 1 } as const;
  feed.put({ ...call, id: 'a', tool: 'TodoWrite', display: { action: 'Todos', title: '3 todos' } });
  feed.put({ ...call, id: 'b', tool: 'mcp__github__list', display: { title: '' } });
  const dataFolder = mkdtempSync(join(tmpdir(), 'helve-timeline-'));
  const { calls } = timelinePage(dataFolder, 'a-session', { from: 0, limit: 10, feed });
  expect(calls.map(callName)).toEqual(['Todos', 'github: list']);
});
