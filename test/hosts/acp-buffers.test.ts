// Files that the editor holds with unsaved changes.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AcpTestClient, type Reply, selected, startSession } from './acp-client.js';

const capabilities = { fs: { readTextFile: true, writeTextFile: true } };
const args = ['--permission-mode', 'acceptEdits'];

/** Answers reads of files from these texts, and everything else with allow. */
const editorWith =
  (texts: Readonly<Record<string, string>>): AcpTestClient['reply'] =>
  ({ method, params }): Reply => {
    if (method !== 'fs/read_text_file') return selected('allow');
    const content = texts[String(params['path'])];
    return content === undefined
      ? { error: { code: -32_002, message: 'Resource not found' } }
      : { result: { content } };
  };

const results = ({ server }: AcpTestClient): string => JSON.stringify(server.requests.at(-1)?.body.messages);

test('a read shows the text of the editor, and an edit of it is refused until it is saved', async () => {
  const { client, sessionId } = await startSession(
    (_, number) => {
      const file_path = join(client.cwd, 'a.txt');
      if (number === 0) return { calls: [{ name: 'Read', id: 'r', input: { file_path } }] };
      const input = { file_path, old_string: 'saved', new_string: 'edited' };
      return number === 1 ? { calls: [{ name: 'Edit', id: 'e', input }] } : { text: 'Please save it.' };
    },
    { capabilities, args },
  );
  const path = join(client.cwd, 'a.txt');
  await writeFile(path, 'saved\n');
  client.reply = editorWith({ [path]: 'saved\nnot yet\n' });
  await client.prompt(sessionId, 'edit a.txt');
  expect(results(client)).toContain('2\\tnot yet');
  expect(results(client)).toContain("a.txt has unsaved changes in the user's editor");
  expect(client.updates().findLast(({ toolCallId }) => toolCallId === 'e')).toMatchObject({ status: 'failed' });
  expect(await readFile(path, 'utf8')).toBe('saved\n');
  expect(client.asked('fs/write_text_file')).toEqual([]);
  await client.end();
});

test('a file that the editor does not have is written to disk', async () => {
  const { client, sessionId } = await startSession(
    (_, number) => {
      const write = (name: string) => ({ name: 'Write', input: { file_path: join(client.cwd, name), content: 'x\n' } });
      return number === 0 ? { calls: [{ id: 'w', ...write('new.txt') }] } : { text: 'Done.' };
    },
    { capabilities, args },
  );
  client.reply = editorWith({});
  await client.prompt(sessionId, 'write');
  expect(await readFile(join(client.cwd, 'new.txt'), 'utf8')).toBe('x\n');
  expect(client.asked('fs/read_text_file').length).toBeGreaterThan(0);
  await client.end();
});

test('an editor that does not answer holds nothing up: the file is read from disk, with one notice', async () => {
  const { client, sessionId } = await startSession(
    (_, number) => {
      const read = { name: 'Read', input: { file_path: join(client.cwd, 'a.txt') } };
      return number < 2 ? { calls: [{ id: `r${number}`, ...read }] } : { text: 'Done.' };
    },
    { capabilities },
  );
  await writeFile(join(client.cwd, 'a.txt'), 'on disk\n');
  client.reply = () => 'none';
  await client.prompt(sessionId, 'read a.txt twice');
  expect(results(client)).toContain('1\\ton disk');
  expect(client.asked('fs/read_text_file')).toHaveLength(1);
  expect(client.text('agent_thought_chunk')).toMatch(/did not answer fs\/read_text_file .* as they are on disk/);
  await client.end();
});

test('a client without the capability is not asked', async () => {
  const { client, sessionId } = await startSession((_, number) =>
    number === 0
      ? { calls: [{ name: 'Read', id: 'r', input: { file_path: join(client.cwd, 'sub/a.txt') } }] }
      : { text: 'Done.' },
  );
  await mkdir(join(client.cwd, 'sub'));
  await writeFile(join(client.cwd, 'sub/a.txt'), 'on disk\n');
  await client.prompt(sessionId, 'read');
  expect(client.asked('fs/read_text_file')).toEqual([]);
  await client.end();
});
