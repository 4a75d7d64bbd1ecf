import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../contract/permission.js';
import { GrowingText } from '../platform/text/growing-text.js';
import { FeedWriter } from './feed-writer.js';
import { OpenQuestions } from './open-questions.js';
import { HostPromptQueue, PromptRefused } from './prompt-queue.js';
import { entryLine } from './sent-entry.js';
import type { SessionFacts } from './session-facts.js';
import { type FeedChange, SessionFeed } from './session-feed.js';

const end = { error: new Error('ended') };
const facts: SessionFacts = {
  ...{ mode: 'default', model: 'a/b', todos: [], costUsd: 0, contextTokens: 0, contextWindow: 0 },
};
const words = (text: string) => [{ type: 'text' as const, text }];

async function take(feed: AsyncIterable<FeedChange>, count: number): Promise<FeedChange[]> {
  const changes: FeedChange[] = [];
  for await (const change of feed) if (changes.push(change) === count) break;
  return changes;
}

test('a slow reader gets each entry once, as it is now, and its queue does not grow with the words', async () => {
  const feed = new SessionFeed();
  const slow = feed.subscribe({ fromStart: false });
  const growing = new GrowingText();
  for (let index = 1; index <= 10_000; index += 1) {
    growing.add('x');
    feed.put({ kind: 'text', id: 'text-1', text: growing });
  }
  feed.put({ kind: 'notice', id: 'notice-2', text: 'after' });
  expect(slow.waiting).toBe(2);
  const [text, notice] = await take(slow, 2);
  expect(text && entryLine(text)).toMatchObject({ isNew: true, from: 0, entry: { text: 'x'.repeat(10_000) } });
  expect(notice?.entry).toMatchObject({ text: 'after' });
});

test('a reader that keeps up gets each step, and how much of a text it has had', async () => {
  const feed = new SessionFeed();
  const changes = feed.subscribe({ fromStart: false })[Symbol.asyncIterator]();
  const text = new GrowingText('one');
  feed.put({ kind: 'text', id: 'text-1', text });
  expect((await changes.next()).value).toMatchObject({ isNew: true, from: 0 });
  text.add(' two');
  feed.put({ kind: 'text', id: 'text-1', text });
  expect((await changes.next()).value).toMatchObject({ isNew: false, from: 3 });
});

test('the number that a reader goes on from counts no change that it has not read', async () => {
  const feed = new SessionFeed();
  const first = feed.subscribe({ fromStart: true });
  for (const text of ['one', 'two', 'three']) feed.put({ kind: 'notice', id: text, text });
  const changes = first[Symbol.asyncIterator]();
  await changes.next();
  expect(first.seq).toBe(0); // with 3, a reader whose connection breaks now would miss two
  const again = feed.subscribe({ after: first.seq });
  expect((await take(again, 3)).map(({ entry }) => entry.id)).toEqual(['one', 'two', 'three']);
  await changes.next();
  await changes.next();
  expect(first.seq).toBe(3);
});

test('a client that joins late gets the entries so far, or only what comes, and open questions in both cases', async () => {
  const feed = new SessionFeed();
  const question = { kind: 'choices', id: 'question-1', questions: [] } as const;
  feed.put({ kind: 'text', id: 'text-1', text: new GrowingText('before') });
  feed.put({ kind: 'question', id: 'question-1', question, isOpen: true });
  const kinds = (changes: readonly FeedChange[]) => changes.map(({ entry }) => entry.kind);
  expect(kinds(await take(feed.subscribe({ fromStart: true }), 2))).toEqual(['text', 'question']);
  expect(kinds(await take(feed.subscribe({ fromStart: false }), 1))).toEqual(['question']);
  expect(feed.subscriberCount).toBe(0);
});

test('the first answer to a question counts, and the second is told that it came too late', async () => {
  const seen: string[] = [];
  const questions = new OpenQuestions(({ id }, isOpen) => void seen.push(`${id} ${isOpen ? 'open' : 'closed'}`));
  const question = {} as PermissionQuestion; // not looked at
  const asked = questions.ask<'permission'>({ kind: 'permission', question }, new AbortController().signal);
  const [{ id = '' } = {}] = questions.list();
  expect(questions.answer(id, 'trust', true)).toBe(false); // an answer of another kind
  expect(questions.answer(id, 'permission', { behavior: 'allow' })).toBe(true);
  expect(questions.answer(id, 'permission', { behavior: 'deny' })).toBe(false);
  expect(await asked).toEqual({ behavior: 'allow' });
  expect(seen).toEqual(['question-1 open', 'question-1 closed']);
});

test('a question is withdrawn when its signal aborts', async () => {
  const questions = new OpenQuestions(() => {});
  const stop = new AbortController();
  const asked = questions.ask<'choices'>({ kind: 'choices', questions: [] }, stop.signal);
  expect(questions.size).toBe(1);
  stop.abort(new Error('Interrupted.'));
  await expect(asked).rejects.toThrow('Interrupted.');
  expect(questions.size).toBe(0);
});

test('prompts run one after the other, and one whose id is known does not run again', async () => {
  const ran: string[] = [];
  const queue = new HostPromptQueue(async ({ id }) => {
    ran.push(id);
    return end;
  });
  const tickets = ['a', 'b', 'a'].map((id) => queue.add({ id, content: words(id) }));
  expect(tickets.map(({ isNew }) => isNew)).toEqual([true, true, false]);
  expect(await Promise.all(tickets.map(({ ended }) => ended))).toEqual([end, end, end]);
  expect(queue.add({ id: 'b', content: words('b') }).isNew).toBe(false);
  expect(() => queue.add({ id: 'b', content: words('other') })).toThrow('was given to another prompt');
  expect(ran).toEqual(['a', 'b']);
});

test('cancelling ends the running prompt and those that wait, each with its own end', async () => {
  const queue = new HostPromptQueue(async ({ id, controller: { signal } }) => {
    if (!signal.aborted) await new Promise((stopped) => signal.addEventListener('abort', stopped, { once: true }));
    return { error: new Error(`${id} stopped`) };
  });
  const [first, second] = ['a', 'b'].map((id) => queue.add({ id, content: words(id) }));
  expect(queue.cancel()).toBe(true);
  expect(await first?.ended).toMatchObject({ error: { message: 'a stopped' } });
  expect(await second?.ended).toMatchObject({ error: { message: 'b stopped' } });
  await queue.close();
  expect(() => queue.add({ id: 'c', content: words('c') })).toThrow(PromptRefused);
});

test('a prompt that throws ends with its error, and the next one runs', async () => {
  const queue = new HostPromptQueue(async ({ id }) => {
    if (id === 'bad') throw new Error('broken');
    return end;
  });
  const [bad, good] = ['bad', 'good'].map((id) => queue.add({ id, content: words(id) }));
  expect(await bad?.ended).toMatchObject({ error: { message: 'broken' } });
  expect(await good?.ended).toBe(end);
});

test('of the calls of a long run, the displays of all but the last 50 are shortened while it runs', () => {
  const feed = new SessionFeed();
  const writer = new FeedWriter(feed, () => facts);
  const at = 0;
  for (let index = 0; index < 60; index += 1) {
    const call = { callId: `call-${index}`, tool: 'Read', at };
    const display = { title: 'a', body: { type: 'output' as const, text: 'x'.repeat(20_000) } };
    writer.take({ type: 'tool_call', ...call, input: {}, display: { title: 'a' } });
    const result = { type: 'tool_result' as const, tool_use_id: call.callId, content: '' };
    writer.take({ type: 'tool_result', ...call, result, display });
  }
  const isWhole = (id: string): boolean => JSON.stringify(feed.get(id, 'call')).length > 20_000;
  const whole = (): number => [...feed.entries].filter(({ id }) => isWhole(id)).length;
  expect([whole(), isWhole('call-9'), isWhole('call-10')]).toEqual([50, false, true]);
  writer.endRun();
  expect(whole()).toBe(0);
});
