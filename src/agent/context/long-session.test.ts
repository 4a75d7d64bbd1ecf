import { expect, test, vi } from 'vitest';
import { createAgent } from '../../compose/create-agent.js';
import type { Message } from '../../contract/message.js';
import type { Model } from '../../contract/model.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { noUsage } from '../usage.js';
import { textOf } from './cut-result.js';

const TURNS = process.env['HELVE_SOAK'] ? 3_000 : 200;
if (process.env['HELVE_SOAK']) vi.setConfig({ testTimeout: 1_800_000 });
const FILES = 12;

/** Pseudorandom numbers, the same for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const filler = (name: string, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${name} has some words in its line ${from + index}\n`).join('');
const valueLine = (name: string, value: number): string => `the value of ${name} is v${value}.`;
const content = (name: string, value: number): string =>
  `${filler(name, 1, 20)}${valueLine(name, value)}\n${filler(name, 21, 30)}`;

const results = (messages: readonly Message[]) =>
  messages.flatMap(({ content: blocks }) => blocks.filter((block) => block.type === 'tool_result'));

/**
 * Edits a file if its value is in a result of the request, and otherwise reads it with one of three tools.
 * Its window is small, so that old results are cleared repeatedly.
 */
function editingModel(seed: number) {
  const random = randomNumbers(seed);
  const values = new Map(Array.from({ length: FILES }, (_, index) => [`f${index}.txt`, 0]));
  const refused: string[] = [];
  const counts = { edits: 0, reads: 0 };
  let turns = 0;
  let edited: string | undefined;

  const settle = (messages: readonly Message[]): void => {
    const last = results(messages).at(-1);
    if (edited !== undefined && last?.is_error) refused.push(textOf(last));
    if (edited !== undefined && !last?.is_error) values.set(edited, (values.get(edited) ?? 0) + 1);
    edited = undefined;
  };
  const next = (messages: readonly Message[]): [name: string, input: object] => {
    const file = `f${random(FILES)}.txt`;
    const value = values.get(file) ?? 0;
    const isShown = results(messages).some((result) => textOf(result).includes(valueLine(file, value)));
    if (!isShown) {
      counts.reads += 1;
      if (random(3) === 0) return ['Bash', { command: `cat -n ${file}` }];
      if (random(3) === 0) return ['Grep', { pattern: 'the value', path: file, output_mode: 'content', '-C': 2 }];
      return ['Read', { file_path: file, ...(random(2) === 0 && { offset: 10, limit: 15 }) }];
    }
    counts.edits += 1;
    edited = file;
    // A short text, for which that line must have been seen, or a longer one that proves that the line is known.
    const [old_string, new_string] =
      random(2) === 0 ? [`v${value}.`, `v${value + 1}.`] : [valueLine(file, value), valueLine(file, value + 1)];
    return ['Edit', { file_path: file, old_string, new_string }];
  };

  const model: Model = {
    provider: 'test',
    name: 'test',
    maxOutputTokens: 1_000,
    facts: { contextTokens: 16_000 },
    async *stream({ messages }) {
      const id = `m${turns}`;
      yield { type: 'message_start', id, model: 'test' };
      const isForSummary = JSON.stringify(messages.at(-1)).includes('will be replaced by a summary');
      if (!isForSummary) settle(messages);
      turns += 1;
      if (isForSummary || turns > TURNS) {
        const text = isForSummary ? 'The values were raised.' : 'done';
        yield { type: 'text_delta', text };
        yield { type: 'block', block: { type: 'text', text } };
        yield { type: 'message_end', stopReason: 'end_turn', usage: noUsage };
        return;
      }
      const [name, input] = next(messages);
      yield { type: 'call_start', index: 0, id: `${id}_0`, name };
      yield { type: 'call_input', index: 0, json: JSON.stringify(input) };
      yield { type: 'call_end', index: 0 };
      yield { type: 'message_end', stopReason: 'tool_use', usage: noUsage };
    },
  };
  return { model, values, refused, counts };
}

test('an edit of a file whose text is in the request is never refused, however often old results were cleared', async () => {
  const seed = Date.now() % 1_000_000;
  const { model, values, refused, counts } = editingModel(seed);
  const project = await temporaryProject(
    Object.fromEntries([...values.keys()].map((name) => [name, content(name, 0)])),
  );
  const agent = createAgent({
    model,
    root: project.root,
    dataFolder: project.path('../helve'),
    retries: false,
    permissionMode: 'bypassPermissions',
  });
  let cleared = 0;
  for await (const event of agent.run('Raise the values.')) if (event.type === 'compaction') cleared += 1;
  await agent.end();
  expect([seed, refused]).toEqual([seed, []]);
  expect(cleared).toBeGreaterThan(2);
  expect(counts.edits).toBeGreaterThan(TURNS / 4);
  for (const [name, value] of values) expect(await project.text(name)).toBe(content(name, value));
  await project.remove();
});
