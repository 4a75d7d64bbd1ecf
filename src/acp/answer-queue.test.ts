import { expect, test } from 'vitest';
import { AnswerQueue } from './answer-queue.js';
import type { RpcRequest } from './json-rpc.js';

test('an answer is made when the one before was read, or has failed', async () => {
  const queue = new AnswerQueue();
  const began: string[] = [];
  const read: Array<() => void> = [];
  const ask = async (name: string, method = async (): Promise<unknown> => name): Promise<unknown> => {
    const request: RpcRequest = {
      id: name,
      method: 'x',
      params: {},
      signal: new AbortController().signal,
      afterAnswer: (then) => void read.push(then),
    };
    const work = queue.inOrder(async () => {
      began.push(name);
      return await method();
    });
    return await work({}, request);
  };
  const all = [ask('a'), ask('b', () => Promise.reject(new Error('failed'))), ask('c')];
  expect(await all[0]).toBe('a');
  expect(began).toEqual(['a']);
  read[0]?.();
  await expect(all[1]).rejects.toThrow('failed');
  expect(await all[2]).toBe('c');
});
