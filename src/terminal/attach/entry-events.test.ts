import { expect, test } from 'vitest';
import { noUsage } from '../../agent/usage.js';
import type { AgentHappening } from '../../contract/event.js';
import { FeedWriter } from '../../host/feed-writer.js';
import { entryLine } from '../../host/sent-entry.js';
import type { SessionFacts } from '../../host/session-facts.js';
import { SessionFeed } from '../../host/session-feed.js';
import { EntryEvents } from './entry-events.js';

const retry = (attempt: number): AgentHappening => ({
  type: 'model_retry',
  attempt,
  maxRetries: 10,
  waitMs: 500,
  reason: 'It is overloaded.',
  provider: 'test',
  model: 'm',
});
const said: AgentHappening = { type: 'text_delta', text: 'I write.' };

/** A feed, and clients of it. */
function feedOf() {
  const feed = new SessionFeed();
  const writer = new FeedWriter(feed, () => ({}) as SessionFacts); // the writer passes them on unread
  /** The events of a client that attaches now; each call of the returned function gives the new ones. */
  const attach = (fromStart = false) => {
    const changes = feed.subscribe({ fromStart });
    const iterator = changes[Symbol.asyncIterator]();
    const shown: AgentHappening[] = [];
    const events = new EntryEvents((event) => shown.push(event));
    return async (): Promise<AgentHappening[]> => {
      while (changes.waiting > 0) {
        const { value } = await iterator.next();
        if (value) events.take(entryLine(value));
      }
      return shown.splice(0);
    };
  };
  const take = (...all: AgentHappening[]): void => {
    for (const one of all) writer.take({ ...one, at: 0 });
  };
  return { feed, attach, take };
}

test('an attached session withdraws the text of an answer that starts again, and has one notice of its retries', async () => {
  const { feed, attach, take } = feedOf();
  const news = attach();
  take(said);
  expect(await news()).toEqual([said]);
  take(retry(1));
  expect(await news()).toEqual([retry(1)]);
  take({ type: 'answer_restart' }, said);
  expect(await news()).toEqual([{ type: 'answer_restart' }, said]);
  take(retry(2), { type: 'answer_restart' }, said);
  expect((await news()).map(({ type }) => type)).toEqual(['model_retry', 'answer_restart', 'text_delta']);
  take({ type: 'turn_end', turn: 1, stopReason: 'end_turn', usage: noUsage });
  expect(await news()).toEqual([]);

  const texts = [...feed.entries].flatMap((entry) =>
    'text' in entry && entry.text.length > 0 ? [String(entry.text)] : [],
  );
  expect(texts.toSorted()).toEqual(['I write.', 'It is overloaded. The request was sent again 2 times.']);
  expect(await attach(true)()).toEqual([
    { type: 'notice', text: 'It is overloaded. The request was sent again 2 times.' },
    said,
  ]);
});

test('what a call has made final is not withdrawn', async () => {
  const { attach, take } = feedOf();
  const news = attach();
  take(said, { type: 'tool_call', callId: 'a', tool: 'Look', input: {}, display: { title: 'a' } });
  await news();
  take(retry(1), said, retry(2), { type: 'answer_restart' }, { type: 'text_delta', text: 'Now.' });
  expect((await news()).map(({ type }) => type)).not.toContain('answer_restart'); // it was never sent
  take({ type: 'answer_restart' });
  expect((await news()).map(({ type }) => type)).toEqual(['answer_restart']);
});
