// Files and resources that a host reads are given as they are, and only what calls may read.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Fields, load, messagesOf, type Place, Prompts, place, sdkTest, zod } from './agent-sdk.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function open(at: Place, options: Fields) {
  const { query } = await load();
  const prompts = new Prompts();
  const q = query({ prompt: prompts, options: { ...at.options, ...options } });
  const reading = messagesOf(q);
  const end = async () => {
    prompts.end();
    await reading;
  };
  return { q, prompts, end };
}

sdkTest('readFile gives the text of a file, its bytes as base64, and says what is missing', {}, async () => {
  const at = await place([]);
  await writeFile(join(at.cwd, 'a.txt'), 'one\ntwo\n');
  await writeFile(join(at.cwd, 'img.png'), png);
  await writeFile(join(at.cwd, 'empty'), '');
  const { q, end } = await open(at, {});
  const absPath = join(at.cwd, 'a.txt');
  expect(await q['readFile']('a.txt')).toEqual({ contents: 'one\ntwo\n', absPath, lossy: false });
  expect(await q['readFile']('a.txt', { maxBytes: 3 })).toEqual({
    contents: 'one',
    absPath,
    lossy: false,
    truncated: true,
  });
  const image = await q['readFile']('img.png', { encoding: 'base64' });
  expect(image).toEqual({ contents: png.toString('base64'), absPath: join(at.cwd, 'img.png'), encoding: 'base64' });
  expect(await q['readFile']('img.png')).toMatchObject({ lossy: true });
  expect(await q['readFile']('empty')).toMatchObject({ contents: '' });
  await end();
});

sdkTest('readFile obeys rules, asks, and runs the hooks of reads', {}, async () => {
  const at = await place([]);
  for (const name of ['denied', 'asked', 'refused', 'hooked']) await writeFile(join(at.cwd, name), `text of ${name}`);
  const asked: unknown[] = [];
  const { q, end } = await open(at, {
    disallowedTools: ['Read(denied)'],
    settings: { permissions: { ask: ['Read(asked)', 'Read(refused)'] } },
    canUseTool: async (_: string, input: Fields) => {
      asked.push(input['file_path']);
      return String(input['file_path']).endsWith('asked')
        ? { behavior: 'allow', updatedInput: input }
        : { behavior: 'deny', message: 'No.' };
    },
    hooks: {
      PreToolUse: [
        {
          matcher: 'Read',
          hooks: [
            async ({ tool_input }: { tool_input: Fields }) =>
              String(tool_input['file_path']).endsWith('hooked') ? { decision: 'block', reason: 'Hooked.' } : {},
          ],
        },
      ],
    },
  });
  expect(await q['readFile']('asked')).toMatchObject({ contents: 'text of asked' });
  for (const name of ['denied', 'refused', 'hooked', 'missing', '.']) {
    expect(await q['readFile'](name).catch(() => null), name).toBeNull();
  }
  expect(asked).toEqual([join(at.cwd, 'asked'), join(at.cwd, 'refused')]);
  await end();
});

sdkTest('what a host reads does not count as seen by the model, which has no tool for it', {}, async () => {
  const at = await place([{ calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }, { text: 'Done.' }]);
  await writeFile(join(at.cwd, 'a.txt'), 'one\ntwo\n');
  const { q, prompts, end } = await open(at, {});
  await q['readFile']('a.txt');
  prompts.send('go');
  await end();
  expect(JSON.stringify(at.server.requests.at(-1)?.body.messages)).toContain('1\\tone');
  expect(at.server.requests[0]?.body.tools?.map(({ name }) => name)).not.toContain('FileContent');
});

sdkTest('readMcpResource gives the contents as the server sent them', {}, async () => {
  const [{ createSdkMcpServer, tool }, z] = [await load(), await zod()];
  const hello = tool('hello', 'Greets', { who: z.string() }, async () => ({ content: [] }));
  const at = await place([]);
  const mine = createSdkMcpServer({ name: 'mine', version: '1.0.0', tools: [hello] }) as {
    // made by the SDK
    instance: { resource(...given: unknown[]): void };
  };
  const contents = [
    { uri: 'ui://1', mimeType: 'text/html', text: '<p>RES</p>' },
    { uri: 'ui://2', mimeType: 'image/png', blob: png.toString('base64'), _meta: { ui: { csp: 'x' } } },
  ];
  mine.instance.resource('page', 'ui://1', async () => ({ contents }));
  const { q, end } = await open(at, { mcpServers: { mine }, allowedTools: ['ReadMcpResource'] });
  expect(await q['readMcpResource']('mine', 'ui://1')).toEqual({ contents });
  await end();
});
