import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, jsonLines } from '../cli/run-helve.js';

// Run in a mount namespace of its own: the data folder is a small file system that is broken in one way, and is repaired
// by a command in the middle of the session, or not at all.
const inNamespace = `
helve() { (cd "$PROJECT" && "$NODE" "$HELVE" "$@"); }
cd "$OUT"
mount -t tmpfs -o "$1" tmpfs "$HELVE_HOME" || exit 77
eval "$2"
helve -p go --model "scripted/$3" --permission-mode bypassPermissions --output-format stream-json > run.out 2> run.err
echo $? > run.code
cat "$PROJECT/notes.txt" > notes.out
ls -R "$TMPDIR" > kept.out
helve doctor > doctor.out 2>&1
find "$HELVE_HOME/cache" -type f > cache.out
eval "$4"
helve doctor > repaired.out 2>&1
helve sessions show last > show.out 2>&1
helve audit verify last > verify.out 2>&1; echo $? > verify.code
helve audit show last > audit.out 2>&1
helve undo --turn --yes --force > undo.out 2>&1; echo $? > undo.code
ls "$TMPDIR" > left.out
exit 0`;

const ways = [
  {
    way: 'full',
    reported: /^✗ Data folder: .*the disk is full/m,
    options: 'size=8m,mode=700',
    breakIt: 'head -c 20000000 /dev/zero > "$HELVE_HOME/filler" 2>/dev/null',
    repair: 'rm "$HELVE_HOME/filler"',
  },
  {
    way: 'read-only',
    reported: /^✗ Data folder: .*read-only/m,
    options: 'size=8m,mode=700',
    breakIt: 'mount -o remount,ro "$HELVE_HOME"',
    repair: 'mount -o remount,rw "$HELVE_HOME"',
  },
  {
    way: 'without free inodes',
    reported: /^✗ Data folder: .*no free inodes/m,
    options: 'size=8m,mode=700,nr_inodes=100',
    breakIt: 'mkdir "$HELVE_HOME/fill"; for i in $(seq 200); do echo > "$HELVE_HOME/fill/$i"; done 2>/dev/null',
    repair: 'rm -r "$HELVE_HOME/fill"',
  },
];

async function session(way: (typeof ways)[number], { isRepaired }: { isRepaired: boolean }) {
  const [top, home] = [await emptyFolder(), await emptyFolder()];
  const [project, out] = [join(top, 'project'), join(top, 'out')];
  await mkdir(project);
  await mkdir(join(out, 'tmp'), { recursive: true });
  await writeFile(join(project, 'notes.txt'), 'one\n');
  const edit = (old_string: string, new_string: string) => ({
    calls: [{ name: 'Edit', input: { file_path: 'notes.txt', old_string, new_string } }],
  });
  const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] });
  const turns = [
    { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
    bash('echo hi; df . > /dev/null'),
    edit('one', 'two'),
    ...(isRepaired ? [bash(`bash ${join(out, 'repair.sh')}`), edit('two', 'three'), bash('echo more')] : []),
    { text: 'Done.' },
  ];
  await writeFile(join(out, 'repair.sh'), way.repair);
  const script = join(out, 'script.json');
  await writeFile(script, JSON.stringify({ turns }));
  const env = { HELVE_HOME: home, HELVE: resolve('bin/helve.cjs'), NODE: process.execPath, PROJECT: project, OUT: out };
  const tmp = { TMPDIR: join(out, 'tmp') };
  const args = [
    '--mount',
    'bash',
    '-c',
    inNamespace,
    'bash',
    way.options,
    way.breakIt,
    script,
    isRepaired ? ':' : way.repair,
  ];
  const { status } = spawnSync('unshare', args, { env: { ...process.env, ...env, ...tmp, IS_SANDBOX: '1' } });
  if (status !== 0) return undefined;
  const read = (name: string): Promise<string> => readFile(join(out, name), 'utf8');
  const events = jsonLines(await read('run.out'));
  const shown = JSON.stringify(events);
  return { read, shown, project, code: await read('run.code'), warnings: await read('run.err') };
}

test.for(ways)(
  'work continues while the data folder is $way, and all data is written once it is repaired',
  async (way, context) => {
    const run = await session(way, { isRepaired: true });
    if (!run) return context.skip('a file system can not be mounted here');
    const { read, shown, warnings, code } = run;
    expect({ code, warnings }).toEqual({ code: '0\n', warnings: expect.stringMatching(/^helve: [^\n]*\n$/) });
    expect(shown).toContain('hi');
    expect(shown).not.toContain('"is_error":true');
    expect(await read('notes.out')).toBe('three\n');
    const conversation = await read('show.out');
    for (const part of ['> go', '1\tone', 'hi', 'more', 'Done.']) expect(conversation).toContain(part);
    expect(conversation.match(/Edited notes\.txt/g)).toHaveLength(2);
    expect({ verified: await read('verify.code'), said: await read('verify.out') }).toMatchObject({ verified: '0\n' });
    const log = await read('audit.out');
    expect(log.match(/\bEdit\b/g)?.length).toBeGreaterThanOrEqual(2);
    expect(log).toContain('echo hi');
    expect(await read('undo.code'), await read('undo.out')).toBe('0\n');
    expect(await readFile(join(run.project, 'notes.txt'), 'utf8')).toBe('one\n');
  },
);

test.for(ways)(
  'a session whose data folder stays $way is kept elsewhere, and moved to the data folder by the next start',
  async (way, context) => {
    const run = await session(way, { isRepaired: false });
    if (!run) return context.skip('a file system can not be mounted here');
    const { read, project } = run;
    expect(run.code).toBe('0\n');
    expect(run.warnings).toMatch(/^helve: The data folder can't be written\. [^\n]*are kept in [^\n]*\n$/);
    expect(run.shown).not.toContain('"is_error":true');
    expect(await read('notes.out')).toBe('two\n');
    expect(await read('kept.out')).toContain('tail-');
    expect(await read('doctor.out')).toMatch(way.reported);
    expect(await read('repaired.out')).toMatch(/^✓ Data folder/m);
    expect((await read('cache.out')).split('\n').filter((name) => /\.\d+$/.test(name))).toEqual([]);
    const conversation = await read('show.out');
    expect(await read('repaired.out')).toContain('is in the data folder now');
    for (const part of ['> go', '1\tone', 'hi', 'Edited notes.txt', 'Done.']) expect(conversation).toContain(part);
    expect({ verified: await read('verify.code'), said: await read('verify.out') }).toMatchObject({ verified: '0\n' });
    expect(await read('audit.out')).toContain('echo hi');
    expect(await read('undo.code'), await read('undo.out')).toBe('0\n');
    expect(await readFile(join(project, 'notes.txt'), 'utf8')).toBe('one\n');
    expect(await read('left.out')).not.toContain('helve-data-');
  },
);
