import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

const hostile = 'x\u009b31m\u202ey\u2066z';
const raw = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test('no JSON output of a command contains control characters', async () => {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const script = join(home, 'script.json');
  const read = { name: 'Read', input: { file_path: `${hostile}.txt` } };
  const write = { name: 'Write', input: { file_path: `${hostile}.txt`, content: 'text' } };
  await writeFile(script, JSON.stringify({ turns: [{ text: hostile, calls: [read, write] }, { text: hostile }] }));
  await writeFile(join(home, 'settings.json'), JSON.stringify({ permissions: { allow: [`Bash(echo ${hostile})`] } }));
  const options = { cwd, env: { HELVE_HOME: home } };
  await runHelve(['-p', hostile, '--model', `scripted/${script}`, '--permission-mode', 'bypassPermissions'], options);
  const outputs = [
    ['sessions', 'list', '--json'],
    ['sessions', 'show', 'last', '--json'],
    ['audit', 'show', 'last', '--json'],
    ['audit', 'verify', '--json'],
    ['config', 'list', '--json'],
    ['config', 'get', 'permissions.allow', '--json'],
    ['undo', '--list', '--json'],
    ['undo', '--dry-run', '--json'],
    ['permissions', 'explain', '--json', 'Read', JSON.stringify(read.input)],
  ];
  let found = 0;
  for (const args of outputs) {
    const { stdout, stderr } = await runHelve(args, options);
    expect(stdout, `${args.join(' ')}: ${stderr}`).toMatch(/^[[{]/);
    expect(stdout, args.join(' ')).not.toMatch(raw);
    if (stdout.includes('\\u202e')) found += 1;
  }
  expect(found).toBeGreaterThanOrEqual(5);
});

test('every command writes its JSON with the function that escapes', async () => {
  const files = (await readdir('src/cli', { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const lines = await Promise.all(
    files.map(async (name) =>
      (await readFile(join('src/cli', name), 'utf8')).split('\n').map((line) => ({ name, line })),
    ),
  );
  const written = /(?<!visible\()JSON\.stringify\(.*null, 2\)|writeLine\(.*JSON\.stringify|json \? .*JSON\.stringify/;
  expect(lines.flat().filter(({ line }) => written.test(line))).toEqual([]);
});
