import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, jsonLines } from '../cli/run-helve.js';

// A data folder that can't be written in one of many ways. All runs in a mount namespace of its own, so that a data folder
// that was used before can be made read-only.
const inNamespace = `
helve() { (cd "$PROJECT" && "$NODE" "$HELVE" "$@"); }
cd "$OUT"
eval "$1"
helve -p go --model "scripted/$2" --permission-mode bypassPermissions --output-format stream-json > run.out 2> run.err
echo $? > run.code
helve undo --list > waiting.out 2>&1
eval "$3"
helve undo --calls 4 --yes > undo.out 2>&1; echo $? > undo.code
ls "$TMPDIR" > left.out
exit 0`;

const used = `
helve -p go --model "scripted/$OUT/earlier.json" --permission-mode bypassPermissions > /dev/null 2>&1
rm "$PROJECT/earlier.txt"`;
const ways = [
  {
    way: 'was used and is read-only now',
    breakIt: `${used}; mount --bind "$HELVE_HOME" "$HELVE_HOME" && mount -o remount,bind,ro "$HELVE_HOME" || exit 77`,
    repair: 'umount "$HELVE_HOME"',
  },
  {
    way: 'has a file in the place of its journal',
    breakIt: 'echo x > "$HELVE_HOME/journal"',
    repair: 'rm "$HELVE_HOME/journal"',
  },
  {
    way: 'has a dangling link in the place of its journal',
    breakIt: 'ln -s /nonexistent/place "$HELVE_HOME/journal"',
    repair: 'rm "$HELVE_HOME/journal"',
  },
  {
    way: 'has a link in a circle in the place of its journal',
    breakIt: 'ln -s journal "$HELVE_HOME/journal"',
    repair: 'rm "$HELVE_HOME/journal"',
  },
  {
    way: 'has a file in the place of a folder of its journal',
    breakIt: 'mkdir "$HELVE_HOME/journal"; echo x > "$HELVE_HOME/journal/packs"; echo x > "$HELVE_HOME/journal/locks"',
    repair: 'rm "$HELVE_HOME/journal/packs" "$HELVE_HOME/journal/locks"',
  },
  {
    way: 'is a dangling link',
    breakIt: 'rmdir "$HELVE_HOME"; ln -s /nonexistent/place "$HELVE_HOME"',
    repair: 'rm "$HELVE_HOME"',
  },
  { way: 'is a file', breakIt: 'rmdir "$HELVE_HOME"; echo x > "$HELVE_HOME"', repair: 'rm "$HELVE_HOME"' },
  { way: 'is below /proc', breakIt: 'export HELVE_HOME=/proc/helve', repair: ':' },
];

const call = (name: string, input: object) => ({ calls: [{ name, input }] });

test.for(ways)('edits, commands and undo continue while the data folder $way', async ({ breakIt, repair }, context) => {
  const [top, home] = [await emptyFolder(), await emptyFolder()];
  const [project, out] = [join(top, 'project'), join(top, 'out')];
  await mkdir(project);
  await mkdir(join(out, 'tmp'), { recursive: true });
  await writeFile(join(project, 'notes.txt'), 'one\n');
  await writeFile(join(project, 'list.txt'), 'a\nb\n');
  const turns = [
    call('Read', { file_path: 'notes.txt' }),
    call('Edit', { file_path: 'notes.txt', old_string: 'one', new_string: 'two' }),
    call('Write', { file_path: 'new/folder/file.txt', content: 'new\n' }),
    call('Bash', { command: 'echo made > made.txt' }),
    call('Bash', { command: 'sh -c "echo c >> list.txt; rm made.txt"' }),
    { text: 'Done.' },
  ];
  const earlier = [call('Write', { file_path: 'earlier.txt', content: 'earlier\n' }), { text: 'Done.' }];
  await writeFile(join(out, 'script.json'), JSON.stringify({ turns }));
  await writeFile(join(out, 'earlier.json'), JSON.stringify({ turns: earlier }));
  const env = {
    HELVE_HOME: home,
    HELVE: resolve('bin/helve.cjs'),
    NODE: process.execPath,
    PROJECT: project,
    OUT: out,
  };
  const args = ['--mount', 'bash', '-c', inNamespace, 'bash', breakIt, join(out, 'script.json'), repair];
  const { status, stderr } = spawnSync('unshare', args, {
    env: { ...process.env, ...env, TMPDIR: join(out, 'tmp'), IS_SANDBOX: '1' },
    encoding: 'utf8',
  });
  if (status !== 0) return context.skip('a file system can not be mounted here');
  const read = (name: string): Promise<string> => readFile(join(out, name), 'utf8');
  const results = JSON.stringify(jsonLines(await read('run.out')));
  const warnings = await read('run.err');
  expect({ code: await read('run.code'), warnings, stderr }).toMatchObject({ code: '0\n', stderr: '' });
  expect(results).not.toContain('"is_error":true');
  expect(results).not.toContain("helve undo can't take this command back");
  // As an event or on stderr, but once.
  expect(`${results}${warnings}`.match(/The data folder can't be written\. .*?are kept in/g)).toHaveLength(1);
  expect(warnings).not.toContain('until the end of the session');
  expect(await read('waiting.out')).toContain('Calls of session');
  expect({ code: await read('undo.code'), said: await read('undo.out') }).toMatchObject({ code: '0\n' });
  expect(await readFile(join(project, 'notes.txt'), 'utf8')).toBe('one\n');
  expect(await readFile(join(project, 'list.txt'), 'utf8')).toBe('a\nb\n');
  expect((await readdir(project)).toSorted()).toEqual(['list.txt', 'notes.txt']);
  if (repair !== ':') expect(await read('left.out')).not.toContain('helve-data-');
});
