import { expect, test } from 'vitest';
import { noUsage } from '../agent/usage.js';
import { compactionNotice } from './compaction-notice.js';

const event = { type: 'compaction', trigger: 'manual', clearedResults: 0, usage: noUsage } as const;

test('says what was replaced, and how many tokens that saved', () => {
  expect(compactionNotice({ ...event, tokensBefore: 9000, tokensAfter: 1200, summarisedMessages: 8 })).toBe(
    'The context was compacted: 8 messages were replaced by a summary (9,000 → 1,200 tokens).',
  );
});

test('says if the context did not become smaller', () => {
  expect(compactionNotice({ ...event, tokensBefore: 900, tokensAfter: 1200, summarisedMessages: 1 })).toBe(
    'Compacting freed nothing (900 → 1,200 tokens).',
  );
});
