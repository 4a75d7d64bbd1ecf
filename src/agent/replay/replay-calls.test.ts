import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryProject } from '../../testing/temporary-project.js';
import { sessionFolder } from '../store/session-folder.js';
import { noUsage } from '../usage.js';
import { recordedCalls } from './replay-calls.js';

const header = {
  type: 'session',
  v: 1,
  id: 's1',
  root: '/home/me/shop',
  created: '2026-11-15T11:34:07.000Z',
  model: 'm',
  title: 'Fix the bug',
};
const turn = { type: 'turn', stopReason: 'tool_use', usage: noUsage, total: { turns: 1, usage: noUsage, costUsd: 0 } };
const asked = (...ids: string[]) => ({
  type: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: id } })),
});
const answered = (...ids: string[]) => ({
  type: 'user',
  content: ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id })),
});
const result = (id: string, facts: object = {}) => ({ type: 'result', id, content: `what ${id} gave`, ...facts });

async function read(...records: Array<object | string>) {
  const { path } = await temporaryProject();
  const folder = sessionFolder(path('../data'), 's1');
  await mkdir(dirname(folder.file), { recursive: true });
  const lines = records.map((record, at) => (typeof record === 'string' ? record : JSON.stringify({ at, ...record })));
  await writeFile(folder.file, lines.map((line) => `${line}\n`).join(''));
  return recordedCalls(folder);
}

test('returns the calls of each answer with their results and the mode of the turn', async () => {
  const session = await read(
    header,
    { type: 'user', content: [{ type: 'text', text: 'go' }] },
    ...[result('a'), result('b', { is_error: true, failure: 'check_refused' })],
    ...[asked('a', 'b'), answered('a', 'b'), { type: 'mode', mode: 'plan' }, turn],
    ...[result('c'), asked('c'), answered('c'), { type: 'mode', mode: 'acceptEdits' }, turn],
  );
  expect(session).toMatchObject({ id: 's1', title: 'Fix the bug', root: '/home/me/shop', notes: [] });
  expect(session.turns).toEqual([
    {
      mode: 'plan',
      calls: [
        { id: 'a', tool: 'Read', input: { file_path: 'a' }, result: { content: 'what a gave' }, began: true },
        {
          id: 'b',
          tool: 'Read',
          input: { file_path: 'b' },
          result: { content: 'what b gave', is_error: true },
          began: false,
          failure: 'check_refused',
        },
      ],
    },
    {
      mode: 'acceptEdits',
      calls: [{ id: 'c', tool: 'Read', input: { file_path: 'c' }, result: { content: 'what c gave' }, began: true }],
    },
  ]);
});

test('returns the full results of tools, not the shortened ones for the model', async () => {
  const cut = { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'cut' }] };
  const { turns } = await read(header, result('a'), asked('a'), cut, turn);
  expect(turns[0]?.calls[0]?.result).toEqual({ content: 'what a gave' });
});

test('returns calls that a compaction removed from the conversation', async () => {
  const compaction = { type: 'compaction', summary: [{ type: 'text', text: 'much happened' }], kept: 0 };
  const { turns } = await read(header, result('a'), asked('a'), answered('a'), turn, compaction);
  expect(turns.flatMap(({ calls }) => calls.map(({ id }) => id))).toEqual(['a']);
});

test('a call that was running when the program ended counts as interrupted', async () => {
  const { turns } = await read(header, { type: 'call', id: 'a', tool: 'Bash', input: { command: 'make' } });
  expect(turns).toMatchObject([{ calls: [{ id: 'a', tool: 'Bash', failure: 'interrupted' }] }]);
});

test('reports damaged lines', async () => {
  const { notes, turns } = await read(header, result('a'), asked('a'), answered('a'), turn, '{"type":"resu');
  expect(notes).toEqual(["1 line of the session's file can't be read, so calls may be missing."]);
  expect(turns).toHaveLength(1);
});

const began = async (...records: Array<object | string>): Promise<Array<[string, boolean]>> => {
  const { turns } = await read(header, ...records, turn);
  return turns.flatMap(({ calls }) => calls.map((call): [string, boolean] => [call.id, call.began]));
};

test.each([
  ['succeeded', [result('a')], true],
  ['had begun and failed', [{ type: 'call', id: 'a', tool: 'Bash', input: {} }, result('a', { is_error: true })], true],
  ['was denied', [result('a', { is_error: true, failure: 'permission_denied' })], false],
  ['was refused before a question was asked', [result('a', { is_error: true, failure: 'check_refused' })], false],
  ['failed before it began', [result('a', { is_error: true, failure: 'exception' })], false],
  ['has a result that is damaged', ['{"type":"result","id":"a","failure":"permis'], false],
  ['has no result', [], false],
])('detects whether a call began that %s', async (_what, records, expected) => {
  expect(await began(...records, asked('a'), answered('a'))).toEqual([['a', expected]]);
});

test('of two calls with the same id, facts about the first do not apply to the second', async () => {
  const calls = [...[result('a'), asked('a'), answered('a'), turn], ...[asked('a'), answered('a')]];
  expect(await began(...calls)).toMatchObject([
    ['a', true],
    [expect.not.stringMatching(/^a$/), false],
  ]);
});

test('an invalid id of the forked session is ignored', async () => {
  expect(await read({ ...header, fork: { id: '../../elsewhere' } })).not.toHaveProperty('forkOf');
});

test.each(['.', '', '/home/me\0/shop'])(
  'a root that is not an absolute path (%j) is ignored, and reported',
  async (root) => {
    expect(await read({ ...header, root })).toMatchObject({
      root: undefined,
      notes: [expect.stringContaining('1 line')],
    });
  },
);
