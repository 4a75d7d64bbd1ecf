// The tools without a model: an engine runs the calls of a message, and a function answers the permission questions.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from 'helve';

const folder = await mkdtemp(join(tmpdir(), 'helve-example-'));
const root = join(folder, 'project');
await mkdir(root);
await writeFile(join(root, 'notes.txt'), 'one handle\n');

const engine = createEngine({
  root,
  dataFolder: join(folder, 'data'),
  async askPermission({ tool, effects }) {
    const runsCommand = effects.some(({ kind }) => kind === 'command');
    console.log(`${tool}: ${runsCommand ? 'refused' : 'allowed'}`);
    return runsCommand ? { behavior: 'deny', reason: 'No commands here.' } : { behavior: 'allow' };
  },
});

// Three calls of one message: the edit waits for the read of the same file, the command waits for both.
const results = await engine.runCalls([
  { id: 'call_1', name: 'Read', input: { file_path: 'notes.txt' } },
  { id: 'call_2', name: 'Edit', input: { file_path: 'notes.txt', old_string: 'one', new_string: 'two' } },
  { id: 'call_3', name: 'Bash', input: { command: 'rm notes.txt' } },
]);
for (const { tool_use_id, is_error = false } of results) console.log(tool_use_id, is_error ? 'failed' : 'done');
console.log((await readFile(join(root, 'notes.txt'), 'utf8')).trim());

await engine.end();
await rm(folder, { recursive: true });
