import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import type { Message, ToolResultBlock } from '../../src/contract/message.js';
import { type FakeAnswer, startFakeModelServer, temporaryProject } from '../../src/testing/index.js';
import { bodyTypes, missingClient, type TypedBody, typeProblems } from './body-types.js';
import { otherAddresses, wires } from './wire-formats.js';

const files = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.ts': 'export const größe = 1;\r\nexport const b = 2;\r\n' };
const names = ['a.txt', 'src/b.ts', 'src/c.ts'];

const servers = [...wires, ...otherAddresses];

const call = (name: string, input: object) => ({ name, input });
const edit = (file_path: string, old_string: string, new_string: string) =>
  call('Edit', { file_path, old_string, new_string });

// One red pixel.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** Ten turns of a task: reads, an image, edits, calls that fail in several ways, calls side by side, and a cut stream. */
const task: readonly FakeAnswer[] = [
  {
    thinking: { text: 'First I look around. 🧠', signature: 'c2lnbmF0dXJl/+==' },
    text: 'Ich sehe nach.',
    calls: [
      call('Glob', { pattern: '**/*.ts' }),
      call('Read', { file_path: 'a.txt' }),
      call('Read', { file_path: 'pixel.png' }),
    ],
  },
  {
    text: 'This text is cut before it is complete, so the request is sent again.',
    calls: [edit('a.txt', 'one', 'never')],
    dropAfterEvents: 4,
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

interface Play {
  played: Played;
  bodies: TypedBody[];
}

type Wire = (typeof servers)[number];

async function play({ modelAt, name }: Wire): Promise<Play> {
  const server = await startFakeModelServer(task);
  const project = await temporaryProject(files);
  await writeFile(project.path('pixel.png'), Buffer.from(PIXEL, 'base64'));
  const agent = createAgent({
    model: await modelAt(server.url),
    root: project.root,
    dataFolder: project.path('../data'),
    permissionMode: 'bypassPermissions',
    retries: { baseMs: 0, wait: async () => {} },
  });
  try {
    const last = (await Array.fromAsync(agent.run('Go.'))).at(-1);
    if (last?.type !== 'result') throw new Error('The last event is no result.');
    const played = {
      results: resultsIn(agent.session.transcript.messages, project.root),
      files: await Promise.all(names.map((file) => project.text(file))),
      text: last.text,
      outcome: last.outcome,
      refused: server.refused,
    };
    return { played, bodies: server.requests.map(({ text }) => ({ wire: name, body: JSON.parse(text) })) };
  } finally {
    await agent.end();
    await server.close();
    await project.remove();
  }
}

const plays = new Map<string, Promise<Play>>();

/** Played once for all tests of this file. */
function playOf(wire: Wire): Promise<Play> {
  const known = plays.get(wire.name) ?? play(wire);
  plays.set(wire.name, known);
  return known;
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
  const { played, bodies } = await playOf(wire);
  const { results, files, text, outcome, refused } = played;
  expect(refused).toEqual([]);
  expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'Alles fertig: 你好.' });
  expect(files).toEqual([
    'one\nzwei "2" \\ 😀\ndrei\n',
    'export const größe = 10;\r\nexport const b = 2;\r\n',
    'export const c = "✓";\n',
  ]);
  expect(bodies).toHaveLength(task.length); // the cut answer is among them
  expect(results[0]?.[2]?.content).toEqual(
    expect.arrayContaining([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }]),
  );
  expect(results.map((turn) => turn.map(({ is_error = false }) => is_error))).toEqual([
    [false, false, false],
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
  const [first, ...others] = await Promise.all(servers.map(playOf));
  for (const { played } of others) expect(played).toEqual(first?.played);
});

test("each request of the task fits the types of its vendor's client", { timeout: 120_000 }, async ({ skip }) => {
  const missing = missingClient();
  if (missing !== undefined) skip(missing);
  const all = await Promise.all(servers.map(playOf));
  const bodies = all.flatMap((one) => one.bodies);
  expect(Object.keys(bodyTypes).toSorted()).toEqual(servers.map(({ name }) => name).toSorted());
  expect(await typeProblems(bodies)).toBe('');
});
