import { expect, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import type { Message, ToolResultBlock } from '../../src/contract/message.js';
import { type FakeAnswer, startFakeModelServer, temporaryProject } from '../../src/testing/index.js';
import { otherAddresses, wires } from './wire-formats.js';

const files = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.ts': 'export const größe = 1;\r\nexport const b = 2;\r\n' };
const names = ['a.txt', 'src/b.ts', 'src/c.ts'];

const servers = [...wires, ...otherAddresses];

const call = (name: string, input: object) => ({ name, input });
const edit = (file_path: string, old_string: string, new_string: string) =>
  call('Edit', { file_path, old_string, new_string });

/** Ten turns of a task: reads, edits, calls that fail in several ways, and calls side by side. */
const task: readonly FakeAnswer[] = [
  {
    thinking: { text: 'First I look around. 🧠', signature: 'c2lnbmF0dXJl/+==' },
    text: 'Ich sehe nach.',
    calls: [call('Glob', { pattern: '**/*.ts' }), call('Read', { file_path: 'a.txt' })],
  },
  { calls: [call('Read', { file_path: 'src/b.ts' }), call('Grep', { pattern: 'two|größe', output_mode: 'content' })] },
  { text: 'Now the edit.', calls: [edit('a.txt', 'two', 'zwei "2" \\ 😀')] },
  { text: 'One that fails.', calls: [edit('a.txt', 'two', 'deux')] },
  {
    thinking: { text: 'Both at once.', signature: 'c2ln' },
    calls: [
      edit('src/b.ts', 'größe = 1', 'größe = 10'),
      edit('a.txt', 'three', 'drei'),
      call('Read', { file_path: 'a.txt' }),
    ],
  },
  { calls: [call('ReadFile', { path: 'a.txt' }), call('Read', { file_path: 7 }), call('Read', { file_path: 'none' })] },
  { calls: [call('Write', { file_path: 'src/c.ts', content: 'export const c = "✓";\n' })] },
  { calls: [call('Bash', { command: 'cat a.txt src/*.ts | tr -d "\\r"; exit 3' })] },
  { text: 'Cut JSON:', calls: [{ name: 'Read', json: '{"file_path": "a.t' }, call('LS', { path: 'src' })] },
  { text: 'Alles fertig: 你好.' },
];

interface Played {
  results: ToolResultBlock[][];
  files: string[];
  text: string;
  outcome: string;
  refused: unknown[];
}

async function play({ modelAt }: (typeof wires)[number]): Promise<Played> {
  const server = await startFakeModelServer(task);
  const project = await temporaryProject(files);
  const agent = createAgent({
    model: await modelAt(server.url),
    root: project.root,
    dataFolder: project.path('../data'),
    permissionMode: 'bypassPermissions',
  });
  try {
    const last = (await Array.fromAsync(agent.run('Go.'))).at(-1);
    if (last?.type !== 'result') throw new Error('The last event is no result.');
    return {
      results: resultsIn(agent.session.transcript.messages, project.root),
      files: await Promise.all(names.map((name) => project.text(name))),
      text: last.text,
      outcome: last.outcome,
      refused: server.refused,
    };
  } finally {
    await agent.end();
    await server.close();
    await project.remove();
  }
}

/** The results of each turn, without what names this project and this format. */
function resultsIn(messages: readonly Message[], root: string): ToolResultBlock[][] {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content.filter((block) => block.type === 'tool_result'))
    .filter((results) => results.length > 0)
    .map((results) =>
      JSON.parse(
        JSON.stringify(results.map((result) => ({ ...result, tool_use_id: '' }))).replaceAll(root, '/project'),
      ),
    );
}

test.each(servers)('the loop drives a task of ten turns over $name', async (wire) => {
  const { results, files, text, outcome, refused } = await play(wire);
  expect(refused).toEqual([]);
  expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'Alles fertig: 你好.' });
  expect(files).toEqual([
    'one\nzwei "2" \\ 😀\ndrei\n',
    'export const größe = 10;\r\nexport const b = 2;\r\n',
    'export const c = "✓";\n',
  ]);
  expect(results.map((turn) => turn.map(({ is_error = false }) => is_error))).toEqual([
    [false, false],
    [false, false],
    [false],
    [true],
    [false, false, false],
    [true, true, true],
    [false],
    [true],
    [true, false],
  ]);
});

test('the loop drives the same task identically over all wire formats and clouds', async () => {
  const [first, ...others] = await Promise.all(servers.map(play));
  for (const other of others) expect(other).toEqual(first);
});
