// Undoes changes that real commands and edits of a session make to a project, from the call to the disk.
import { lstat, readdir, readFile, readlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { listChanges } from '../../platform/journal/journal.js';
import { type TestProject, temporaryProject } from '../../testing/temporary-project.js';
import { isWritten, until } from '../../testing/watch-processes.js';
import { bashTool } from '../../tools/bash/bash.js';
import { killShellTool } from '../../tools/bash/kill-shell.js';
import { readTool } from '../../tools/read.js';
import { writeTool } from '../../tools/write.js';
import { applyUndo, type UndoOutcome } from './apply-undo.js';
import { planUndo } from './undo.js';
import { listUndoable, type UndoableCall, type UndoSelection } from './undo-calls.js';

interface UndoProject extends TestProject {
  /** Runs a command, and fails if the tool fails. */
  bash(command: string, options?: { run_in_background?: boolean }): Promise<string>;
  edit(name: string, text: string): Promise<void>;
  undo(selection?: UndoSelection, options?: { force?: boolean }): Promise<UndoOutcome>;
  calls(): Promise<UndoableCall[]>;
  tree(): Promise<Record<string, string>>;
}

async function testProject(files: Readonly<Record<string, string>> = {}): Promise<UndoProject> {
  const project = await temporaryProject(files);
  onTestFinished(() => project.remove());
  const { id, dataFolder } = project.engine.session;
  return {
    ...project,
    async bash(command, options = {}) {
      const { content } = await project.run(bashTool, { command, ...options });
      return String(content);
    },
    async edit(name, text) {
      await project.run(readTool, { file_path: project.path(name) });
      await project.run(writeTool, { file_path: project.path(name), content: text });
    },
    undo: async (selection = { calls: 1 }, options = {}) =>
      await applyUndo(await planUndo(dataFolder, id, selection), options),
    calls: () => listUndoable(dataFolder, id),
    tree: () => treeOf(project.root),
  };
}

/** Everything below the folder except `.git`, with modes, contents and link targets. */
async function treeOf(root: string, at = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(join(root, at))) {
    const path = join(at, name);
    if (path === '.git') continue;
    const stats = await lstat(join(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[path] = `link ${await readlink(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(found, { [path]: `folder ${mode}` }, await treeOf(root, path));
    else found[path] = `file ${mode} ${(await readFile(join(root, path))).toString('latin1')}`;
  }
  return found;
}

test('undoes the changes of a command, then an edit before it', async () => {
  const { bash, edit, undo, tree } = await testProject({ a: 'one\n', 'sub/b': 'two\n' });
  const start = await tree();
  await edit('a', 'edited\n');
  const edited = await tree();
  await bash("sed -i s/edited/changed/ a; rm -r sub; mkdir 'new folder'; echo x > 'new folder/x'");
  await undo();
  expect(await tree()).toEqual(edited);
  await undo();
  expect(await tree()).toEqual(start);
});

test('takes no snapshot for a harmless command', async () => {
  const { bash, engine } = await testProject({ a: 'one\n' });
  await bash('cat a; ls -la; git status');
  await expect(readdir(join(engine.session.dataFolder, 'journal'))).rejects.toThrow('ENOENT');
});

test('undoes a file that a redirection created, without a snapshot of the workspace', async () => {
  const { bash, undo, tree, engine } = await testProject({ a: 'one\n' });
  const start = await tree();
  await bash('cat a 2>/dev/null > copy; echo more > other; echo again > other');
  expect(await readdir(join(engine.session.dataFolder, 'journal', 'images'))).toEqual([]);
  await undo();
  expect(await tree()).toEqual(start);
});

test('undoes a redirection to an existing file', async () => {
  const { bash, undo, tree } = await testProject({ a: 'one\n', b: 'two\n' });
  const start = await tree();
  await bash('cat a > b');
  await bash('echo more >> b');
  await undo({ calls: 2 });
  expect(await tree()).toEqual(start);
});

test('undoes a file that a redirection created in the background', async () => {
  const { bash, undo, tree, engine, path } = await testProject({ a: 'one\n' });
  const start = await tree();
  await bash('cat a > copy; sleep 1000', { run_in_background: true });
  await until(() => isWritten(path('copy')));
  await engine.end();
  await undo();
  expect(await tree()).toEqual(start);
});

test('a file that another call created first is not undone as a new file of a background command', async () => {
  const { bash, run, calls, engine, undo, path, text } = await testProject({ a: 'one\n' });
  await bash('until [ -e go ]; do sleep 0.01; done; cat a >> made; sleep 1000', { run_in_background: true });
  await run(writeTool, { file_path: path('made'), content: 'by an edit\n' });
  await run(writeTool, { file_path: path('go'), content: '' });
  await until(async () => (await text('made')).includes('one'));
  await engine.end();
  expect(await calls()).toMatchObject([
    { callId: 'call_2' },
    { callId: 'call_3' },
    { callId: 'call_1', files: [path('made')] },
  ]);
  await undo({ callIds: ['call_1'] });
  expect(await text('made')).toBe('by an edit\n');
});

test('records the changes of a command that failed', async () => {
  const { bash, undo, text } = await testProject({ a: 'one\n' });
  expect(await bash('echo two > a; exit 3')).toContain('3');
  expect(await text('a')).toBe('two\n');
  await undo();
  expect(await text('a')).toBe('one\n');
});

/** Waits until the changes of all commands are recorded. */
async function allCommandsEnd({ session }: TestProject['engine']): Promise<void> {
  while ((await readdir(join(session.dataFolder, 'journal/commands'))).length > 0) await new Promise(setImmediate);
}

test('records the changes of a command that was interrupted', async () => {
  const { run, undo, text, path } = await testProject({ a: 'one\n' });
  const stop = new AbortController();
  const running = run(bashTool, { command: 'echo two > a; touch begun; sleep 1000' }, { signal: stop.signal });
  while (!(await lstat(path('begun')).catch(() => undefined))) await new Promise(setImmediate);
  stop.abort();
  expect((await running).failure).toBe('interrupted');
  expect(await text('a')).toBe('two\n');
  await undo();
  expect(await text('a')).toBe('one\n');
});

test('changes by a background command belong to its call, with a note that others may have made them', async () => {
  const { bash, run, undo, calls, tree, path, engine } = await testProject({ a: 'one\n' });
  const start = await tree();
  const [id = ''] =
    /\bb[0-9a-f]{8}\b/.exec(await bash('echo two > a; touch begun; sleep 1000', { run_in_background: true })) ?? [];
  while (!(await lstat(path('begun')).catch(() => undefined))) await new Promise(setImmediate);
  await run(killShellTool, { shell_id: id });
  await allCommandsEnd(engine);
  expect(await calls()).toMatchObject([
    {
      callId: 'call_1',
      files: [path('a'), path('begun')],
      notes: ['it ran in the background, so that some of this may be the work of another program or person'],
    },
  ]);
  await undo();
  expect(await tree()).toEqual(start);
});

test('records the changes of a background command when the session ends', async () => {
  const { bash, engine, calls, path } = await testProject({ a: 'one\n' });
  await bash('echo two > a; touch begun; sleep 1000', { run_in_background: true });
  while (!(await lstat(path('begun')).catch(() => undefined))) await new Promise(setImmediate);
  await engine.end();
  expect(await calls()).toMatchObject([{ callId: 'call_1', files: [path('a'), path('begun')] }]);
});

test('separates the changes of a background command from those of calls before, during and after it', async () => {
  const { bash, edit, run, undo, calls, text, path, engine } = await testProject({
    a: '1\n',
    b: '1\n',
    c: '1\n',
    d: '1\n',
  });
  const command = 'echo 2 > a; touch begun; while [ ! -e go ]; do sleep 0.01; done; echo 3 > a; touch done; sleep 1000';
  const [id = ''] = /\bb[0-9a-f]{8}\b/.exec(await bash(command, { run_in_background: true })) ?? []; // call_1
  while (!(await lstat(path('begun')).catch(() => undefined))) await new Promise(setImmediate);
  await edit('b', '2\n'); // call_2 reads, call_3 writes
  await bash('echo 2 > c'); // call_4
  expect(await calls()).toMatchObject([
    { callId: 'call_3', files: [path('b')] },
    { callId: 'call_1', files: [path('a'), path('begun')] },
    {
      callId: 'call_4',
      files: [path('c')],
      notes: ['call_1 ran beside it, so that some of this may be the work of that'],
    },
  ]);
  await writeFile(path('go'), '');
  while (!(await lstat(path('done')).catch(() => undefined))) await new Promise(setImmediate);
  await run(killShellTool, { shell_id: id });
  await allCommandsEnd(engine);
  expect((await calls()).find(({ callId }) => callId === 'call_1')?.files).toHaveLength(4);
  await undo({ callIds: ['call_1'] });
  expect([await text('a'), await text('b'), await text('c')]).toEqual(['1\n', '2\n', '2\n']);
});

test('undoes an edit of a file that a background command wrote, then the command', async () => {
  const { bash, edit, engine, undo, text, tree, path } = await testProject({ a: '1\n' });
  const start = await tree();
  await bash('echo 2 > a; touch begun; sleep 1000', { run_in_background: true });
  while (!(await lstat(path('begun')).catch(() => undefined))) await new Promise(setImmediate);
  await edit('a', '3\n');
  await engine.session.end();
  await undo({ callIds: ['call_3'] });
  expect(await text('a')).toBe('2\n');
  await undo({ callIds: ['call_1'] });
  expect(await tree()).toEqual(start);
});

test('refuses to undo a command if a person has changed the file since', async () => {
  const { bash, undo, text, path } = await testProject({ a: 'one\n' });
  await bash('echo two > a');
  await writeFile(path('a'), 'by hand\n');
  await expect(undo()).rejects.toThrow('it was changed since');
  expect(await text('a')).toBe('by hand\n');
});

test('reports that a file that was too large to copy cannot be restored', async () => {
  const { bash, path, write } = await testProject();
  await write('large', Buffer.alloc(10_000_001));
  await write('change.sh', 'echo x > large');
  expect(await bash('sh change.sh')).toContain(
    `1 changed file can't be put back by helve undo, because there was no copy of what was there before: ${path('large')}.`,
  );
});

test.each([
  'mv sub moved; ln -s moved sub',
  'mv sub moved; ln -s moved sub; echo changed > sub/b',
  'mv sub moved; ln -s moved/deep sub; echo sub >> .gitignore',
])('restores a folder that was moved and replaced by a link to it: %s', async (command) => {
  const { bash, undo, tree } = await testProject({ 'sub/b': 'two\n', 'sub/deep/c': 'three\n' });
  const start = await tree();
  await bash(command);
  const changed = await tree();
  const { undoId } = await undo();
  expect(await tree()).toEqual(start);
  await undo({ callIds: [undoId] });
  expect(await tree()).toEqual(changed);
});

test('a pipe in place of a file is reported, and the file is restored once the pipe is removed', async () => {
  const { bash, undo, calls, text, path } = await testProject({ a: 'one\n' });
  await bash('rm a; mkfifo a');
  expect(await calls()).toMatchObject([{ files: [path('a')] }]);
  await expect(undo()).rejects.toThrow('it is neither a file, a folder nor a link by now');
  await unlink(path('a'));
  await undo({ calls: 1 });
  expect(await text('a')).toBe('one\n');
});

test('restores a file that is too large for a diff', async () => {
  const { bash, undo, tree, engine } = await testProject({ a: 'one\n' });
  const start = await tree();
  await bash('truncate -s 30M sparse; rm a');
  const { items } = await planUndo(engine.session.dataFolder, engine.session.id, { calls: 1 });
  expect(items.find(({ real }) => real.endsWith('sparse'))?.diff).toBe(
    '(too large to be compared: 31,457,280 bytes now, nothing then)',
  );
  await undo();
  expect(await tree()).toEqual(start);
});

test('does not follow links out of the workspace, nor wait for a pipe', async () => {
  const { bash, undo, calls, engine } = await testProject({ a: 'one\n' });
  const outside = join(engine.session.dataFolder, '..', 'outside');
  await bash(`mkdir ${outside}; echo secret > ${outside}/s; ln -s ${outside} link; mkfifo pipe`);
  await bash(`echo changed > link/s; rm link; ln -s ${outside}/s link`);
  expect((await calls()).map(({ files }) => files.map((file) => file.split('/').at(-1)))).toEqual([['link'], ['link']]);
  await undo();
  expect(await readlink(join(engine.session.root, 'link'))).toBe(outside);
  expect(await readFile(join(outside, 's'), 'utf8')).toBe('changed\n');
});

// Undoing any sequence of edits and commands, in any portions, restores the state before each of them.

const names = [
  'a',
  'b',
  'sub',
  'sub/a',
  'sub/b c',
  'sub/deep',
  "sub/deep/it's",
  'ünï cødé',
  'two\nlines',
  '-dash',
  '日本/語',
  'tracked',
  'sub/tracked',
];
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const name = fc.constantFrom(...names).map((one) => quoted(`./${one}`));
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((one) => quoted(one.replaceAll('\0', '')));
const mode = fc.constantFrom('644', '755', '600', '444', '+x', 'u-w');

const shellChange: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(name, text).map(([at, what]) => `printf %s ${what} > ${at}`),
  fc.tuple(name, text).map(([at, what]) => `printf '%s\\n' ${what} >> ${at}`),
  fc
    .tuple(name, fc.integer({ min: 0, max: 255 }))
    .map(([at, byte]) => `printf '\\${byte.toString(8)}\\0\\377' > ${at}`),
  name.map((at) => `rm -rf ${at}`),
  fc.tuple(name, name).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `cp -r ${from} ${to}`),
  fc.tuple(name, text).map(([at]) => `sed -i 's/[a-e]/X/; 1i added' ${at}`),
  fc.tuple(mode, name).map(([to, at]) => `chmod ${to} ${at}`),
  fc.tuple(name, name).map(([to, at]) => `ln -sfn ${to} ${at}`),
  name.map((at) => `mkdir -p ${at}`),
  name.map((at) => `rmdir ${at}`),
  name.map((at) => `touch ${at}`),
  name.map((at) => `truncate -s 3 ${at}`),
  fc.constantFrom('main', 'other').map((branch) => `git checkout -q -f ${branch}`),
  fc.constantFrom('git reset -q --hard', 'git clean -fdq', 'git stash -q -u', 'git stash pop -q'),
  name.map((at) => `mkdir -p ${at} && for i in 1 2 3 4 5 6 7 8 9; do echo $i > ${at}/file$i; done`),
  fc.constantFrom('find . -name "file[1-5]" -delete', 'find . -empty -not -path "./.git/*" -delete'),
);

type Step = { command: string } | { edit: string; text: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(shellChange, { minLength: 1, maxLength: 3 }).map((parts) => ({ command: parts.join('; ') })),
  },
  { weight: 1, arbitrary: fc.record({ edit: fc.constantFrom(...names), text: fc.string({ maxLength: 20 }) }) },
);

const soak = process.env['HELVE_SOAK'] !== undefined;
const git = 'git -c user.name=x -c user.email=x@example.invalid';
const makeRepository = `git init -q -b main && echo one > tracked && mkdir sub && echo two > sub/tracked && git add . && ${git} commit -qm one && git checkout -q -b other && echo three > tracked && rm sub/tracked && ${git} commit -qam two && git checkout -q main && git config user.name x && git config user.email x@example.invalid`;

test(
  '200 edits and commands in a row are undone byte for byte, and the undos are undone',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 200, maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
        async (steps, portions) => {
          const { bash, edit, undo, tree, engine, remove } = await testProject();
          await bash(makeRepository);
          const { id, dataFolder } = engine.session;
          const states: Array<Record<string, string>> = [];
          let recorded = (await listChanges(dataFolder, id)).length;
          states.push(await tree());
          for (const next of steps) {
            if ('command' in next) await bash(next.command);
            else await edit(next.edit, next.text);
            const now = (await listChanges(dataFolder, id)).length;
            if (now > recorded) states.push(await tree());
            else expect(await tree()).toEqual(states.at(-1));
            recorded = now;
          }
          const changed = await tree();
          const undoIds: string[] = [];
          for (const portion of [...portions, steps.length]) {
            const left = states.length - 1;
            if (left === 0) break;
            undoIds.push((await undo({ calls: Math.min(portion, left) })).undoId);
            states.splice(Math.max(1, states.length - portion));
            expect(await tree()).toEqual(states.at(-1));
          }
          for (const undoId of undoIds.toReversed()) await undo({ callIds: [undoId] });
          expect(await tree()).toEqual(changed);
          await remove();
        },
      ),
      { numRuns: soak ? 25 : 1, endOnFailure: true },
    );
  },
  soak ? 3_600_000 : 120_000,
);

test.each([
  'rm -rf data',
  'rm data/*.csv',
  'sed -i s/one/two/ data/a.csv; echo new > data/new.csv',
  'mv data moved',
  'chmod 600 data/sub/b.csv; rm -r data/sub',
])('undoes changes to files that git ignores if the effects of the command name them: %s', async (command) => {
  const files = {
    '.gitignore': 'data\nmoved\n',
    'data/a.csv': 'one\n',
    'data/sub/b.csv': 'two\n',
    'data/c': 'three\n',
  };
  const { bash, undo, tree } = await testProject(files);
  const start = await tree();
  await bash(command);
  expect(await tree()).not.toEqual(start);
  await undo();
  expect(await tree()).toEqual(start);
});

test('reports before a command, and with its result, that the files it names are too many to copy', async () => {
  const { run, path, write } = await testProject({ '.gitignore': 'data\n', 'data/a.csv': 'one\n' });
  await write('data/large', '');
  await truncate(path('data/large'), 100_000_001);
  const { content, events } = await run(bashTool, { command: 'rm -rf data' });
  const said = `helve undo can't bring back all of ${path('data')}: more than 10000 files or 100 MB are there, and no copy was made.`;
  expect(content).toContain(said);
  expect(events.find(({ type }) => type === 'tool_progress')).toMatchObject({ text: said });
});
