// How long one Edit of a large file takes, from the call to its result: the check, the replacement in memory, and the
// write to disk with the copy that undo needs. The same bytes written and synced by Node alone are the floor.
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from './bundle-source.mjs';

const MB = 1_000_000;
const SIZES = [1, 10];
const RUNS = 5;

const { createEngine } = await importSource('src/compose/create-engine.ts');
console.log(`### Edit of a large file (Node ${process.versions.node}, median of ${RUNS} runs)\n`);
console.log('| MB | line endings | Edit, ms | MultiEdit of 5, ms | no match, ms | write and sync alone, ms |');
console.log('|--:|---|--:|--:|--:|--:|');
for (const megabytes of SIZES) for (const ending of ['\n', '\r\n']) await row(megabytes, ending);

async function row(megabytes, ending) {
  const folder = await mkdtemp(join(tmpdir(), 'helve-bench-'));
  const root = join(folder, 'project');
  const file = join(root, 'a.txt');
  try {
    await mkdir(root);
    const text = textOf(megabytes * MB, ending);
    await writeFile(file, text);
    const engine = createEngine({ root, dataFolder: join(folder, 'helve'), permissionMode: 'bypassPermissions' });
    let calls = 0;
    const run = async (name, input) => {
      calls += 1;
      const [result] = await engine.runCalls([{ id: `call_${calls}`, name, input }]);
      return result;
    };
    await run('Read', { file_path: file }); // its first lines, among them those that are edited
    let version = 0;
    const editOf = (line) => ({ old_string: `line ${line} of`, new_string: `Line ${line} of` });
    const backOf = (line) => ({ old_string: `Line ${line} of`, new_string: `line ${line} of` });
    const change = (line) => (version % 2 === 0 ? editOf(line) : backOf(line));
    const succeed = async (name, input) => {
      const result = await run(name, input);
      if (result.is_error) throw new Error(String(result.content));
    };
    const edit = await median(async () => {
      await succeed('Edit', { file_path: file, ...change(100) });
      version += 1;
    });
    version = 0;
    const multi = await median(async () => {
      await succeed('MultiEdit', { file_path: file, edits: [200, 300, 400, 500, 600].map(change) });
      version += 1;
    });
    const missing = await median(async () => {
      await run('Edit', { file_path: file, old_string: `nothing of this kind ${Math.random()}`, new_string: 'x' });
    });
    const floor = await median(async () => {
      const handle = await open(join(folder, 'floor'), 'w');
      await handle.writeFile(text);
      await handle.sync();
      await handle.close();
    });
    await engine.end();
    const cells = [megabytes, JSON.stringify(ending), ...[edit, multi, missing, floor].map((ms) => ms.toFixed(0))];
    console.log(`| ${cells.join(' | ')} |`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function textOf(bytes, ending) {
  const lines = [];
  for (let length = 0, number = 1; length < bytes; number += 1) {
    const line = `line ${number} of a text that is long enough to take some time to go through${ending}`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('');
}

async function median(work) {
  const times = [];
  for (let count = 0; count < RUNS; count += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.sort((one, other) => one - other)[Math.floor(RUNS / 2)];
}
