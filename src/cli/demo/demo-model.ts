import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../contract/model.js';
import { playTurn } from '../../models/scripted.js';
import { type DemoWords, nextTurn } from './script.js';

const PACE_MS = 15; // between the pieces of an answer, so that a person can follow
const THINK_MS = 500; // before each answer

/** The scripted model of the demo, at the pace of a person's reading or at once. */
export function demoModel(words: DemoWords, { isPaced }: { isPaced: boolean }): Model {
  let played = 0;
  return {
    provider: 'scripted',
    name: 'demo',
    maxOutputTokens: 32_000,
    async *stream({ messages, aside }, signal) {
      signal.throwIfAborted();
      const turn = aside ? { text: 'The demo of Helve.' } : nextTurn(messages, words);
      if (isPaced) await delay(THINK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      yield* playTurn(turn, { number: ++played, model: 'demo', pace: isPaced ? PACE_MS : 0, signal });
    },
  };
}
