import { utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { grepTool } from './grep.js';

const withoutTotals = (content: unknown): string => String(content).replace(/\n\(Found [^\n]*\)$/, '');

const files = {
  'a.ts': 'one\nneedle two\nthree\n',
  'src/b.ts': 'needle needle\n',
  'c.md': 'Needle\n',
  'd.txt': 'hay\n',
};

test('lists the matching files, newest first', async () => {
  const project = await temporaryProject(files);
  await utimes(project.path('a.ts'), 2_000, 2_000);
  await utimes(project.path('src/b.ts'), 1_000, 1_000);
  expect((await project.run(grepTool, { pattern: 'needle' })).content).toBe('Found 2 files\na.ts\nsrc/b.ts');
});

test.each([
  ['lines with numbers', {}, 'a.ts:2:needle two\nsrc/b.ts:1:needle needle'],
  ['lines without numbers', { '-n': false }, 'a.ts:needle two\nsrc/b.ts:needle needle'],
  ['context', { '-C': 1 }, 'a.ts-1-one\na.ts:2:needle two\na.ts-3-three\n--\nsrc/b.ts:1:needle needle'],
  ['context by a plain name', { after_context: 1, path: 'a.ts' }, 'a.ts:2:needle two\na.ts-3-three'],
  ['any case', { '-i': true, glob: '*.md' }, 'c.md:1:Needle'],
  ['a type', { type: 'md', '-i': true }, 'c.md:1:Needle'],
  ['two globs at once', { include: '*.{md,rs}, src/*.ts', '-i': true }, 'c.md:1:Needle\nsrc/b.ts:1:needle needle'],
])('shows content: %s', async (_, options, expected) => {
  const project = await temporaryProject(files);
  const { content } = await project.run(grepTool, { pattern: 'needle', output_mode: 'content', ...options });
  expect(withoutTotals(content)).toBe(expected);
});

test('counts matches per file and in total', async () => {
  const project = await temporaryProject(files);
  expect((await project.run(grepTool, { pattern: 'needle', output_mode: 'count' })).content).toBe(
    'a.ts:1\nsrc/b.ts:2\nFound 3 matches in 2 files.',
  );
});

test('matches across lines on request, and $ matches before \\r\\n', async () => {
  const project = await temporaryProject({ 'a.txt': 'begin\nend\n', 'b.txt': 'x end\r\n' });
  const run = async (input: object) =>
    withoutTotals((await project.run(grepTool, { output_mode: 'content', ...input })).content);
  expect(await run({ pattern: 'begin.end', multiline: true })).toBe('a.txt:1:begin\na.txt:2:end');
  expect(await run({ pattern: 'x end$' })).toBe('b.txt:1:x end');
});

test('shows a page and says how to continue', async () => {
  const project = await temporaryProject({ 'a.txt': 'x\n'.repeat(300) });
  const run = async (input: object) =>
    String((await project.run(grepTool, { pattern: 'x', output_mode: 'content', ...input })).content).split('\n');
  expect((await run({})).slice(-2)).toEqual([
    '(Found 300 matching lines in 1 file.)',
    '(Showing lines 1–250 of 300. To continue, use offset 250.)',
  ]);
  expect(await run({ offset: 250 })).toHaveLength(52);
  expect(await run({ head_limit: 0 })).toHaveLength(301);
  expect(await run({ offset: 900 })).toEqual(['There are 300 lines, so there is nothing at offset 900.']);
});

test('truncates long lines and says so', async () => {
  const project = await temporaryProject({ 'a.js': `needle${'x'.repeat(5_000)}\n` });
  const { content } = await project.run(grepTool, { pattern: 'needle', output_mode: 'content' });
  expect(content).toBe(
    `a.js:1:needle${'x'.repeat(494)} [... omitted end of long line]\n(Found 1 matching line in 1 file.)\n` +
      '(1 line cut at 500 columns. A match may lie behind the cut; -o shows the matches alone.)',
  );
});

test('searches hidden files and skips files that .gitignore names, even if the glob matches them', async () => {
  const project = await temporaryProject({
    '.gitignore': 'build\n',
    '.hidden': 'needle',
    'build/a.ts': 'needle',
    '.git/config': 'needle',
  });
  for (const glob of [undefined, '**']) {
    expect((await project.run(grepTool, { pattern: 'needle', ...(glob && { glob }) })).content).toBe(
      'Found 1 file\n.hidden',
    );
  }
});

test('treats a pattern that looks like an option as a pattern', async () => {
  const project = await temporaryProject({ 'a.txt': 'rm --pre=evil\n' });
  expect((await project.run(grepTool, { pattern: '--pre=evil', output_mode: 'content' })).content).toBe(
    'a.txt:1:rm --pre=evil\n(Found 1 matching line in 1 file.)',
  );
});

test("passes on ripgrep's message about an invalid expression, type or path", async () => {
  const project = await temporaryProject(files);
  const words = async (input: object) => (await project.run(grepTool, { pattern: 'x', ...input })).content;
  expect(await words({ pattern: '(open' })).toMatch(/unclosed group/);
  expect(await words({ type: 'klingon' })).toMatch(/unrecognized file type: klingon/);
  expect(await words({ path: 'none' })).toMatch(/^none does not exist/);
  expect(await words({ pattern: 'a\0b' })).toMatch(/NUL/);
});

test('says that nothing matches', async () => {
  const project = await temporaryProject(files);
  expect(await project.run(grepTool, { pattern: 'nowhere' })).toMatchObject({
    content:
      'No match for "nowhere" in the working directory. Check the directory and the glob, or try a wider pattern. ' +
      'Files that .gitignore names were not searched; include_ignored searches them.',
    isError: false,
  });
});

test('ends when the call is aborted', async () => {
  const project = await temporaryProject(files);
  const accepted = grepTool.accept({ pattern: 'x' });
  if (!accepted.ok) throw new Error('the input is fine');
  const controller = new AbortController();
  const running = accepted.call.run(project.engine.contextFor('call', controller.signal)).next();
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});

test('declares that it reads the tree below its path', async () => {
  const project = await temporaryProject(files);
  expect(await project.effects(grepTool, { pattern: 'x', path: 'src' })).toContainEqual(
    expect.objectContaining({ kind: 'file', access: 'read', path: project.path('src'), tree: true }),
  );
});

test('answers in full', async () => {
  const project = await temporaryProject(files);
  const run = async (input: object) => (await project.run(grepTool, { pattern: 'needle', ...input })).content;
  expect(await run({ output_mode: 'content', ignore_case: true, context: 1 })).toBe(
    'a.ts-1-one\na.ts:2:needle two\na.ts-3-three\n--\nc.md:1:Needle\n--\nsrc/b.ts:1:needle needle\n' +
      '(Found 3 matching lines in 3 files.)',
  );
  expect(await run({ output_mode: 'content', context: 1, line_numbers: false, path: 'a.ts' })).toBe(
    'a.ts-one\na.ts:needle two\na.ts-three\n(Found 1 matching line in 1 file.)',
  );
  expect(await run({ output_mode: 'content', only_matching: true })).toBe(
    'a.ts:2:needle\nsrc/b.ts:1:needle\nsrc/b.ts:1:needle\n(Found 3 matches in 2 files.)',
  );
  expect(await run({ output_mode: 'count', head_limit: 1 })).toBe(
    'a.ts:1\nFound 3 matches in 2 files.\n(Showing files 1–1 of 2. To continue, use offset 1.)',
  );
  expect(await run({ pattern: '(open' })).toMatch(/^The search failed\. .*Fix the expression/s);
  expect(await run({ pattern: 'a\\nb' })).toMatch(/Set multiline to match across lines/);
});

test('a missing ripgrep is reported with what to do', async () => {
  const project = await temporaryProject(files, { env: { USE_BUILTIN_RIPGREP: '0', PATH: '' } });
  expect((await project.run(grepTool, { pattern: 'needle' })).content).toMatch(
    /^The search failed\. ripgrep, which searches need, was not found: .*put "rg" on PATH.*\.$/,
  );
});

test('supports look-around and back-references', async () => {
  const project = await temporaryProject({ 'a.txt': 'foo bar\nfoo baz\nxyxy\n' });
  const run = async (pattern: string) =>
    withoutTotals((await project.run(grepTool, { pattern, output_mode: 'content' })).content);
  expect(await run('foo(?! bar)')).toBe('a.txt:2:foo baz');
  expect(await run('(xy)\\1')).toBe('a.txt:3:xyxy');
});

test('omits files that may not be read from results, context and totals', async () => {
  const project = await temporaryProject({ 'secret/key.txt': 'before\nneedle\n', 'a.txt': 'needle\n' });
  for (const [output_mode, expected] of [
    ['content', 'a.txt:1:needle\n(Found 1 matching line in 1 file.)'],
    ['files_with_matches', 'Found 1 file\na.txt'],
    ['count', 'a.txt:1\nFound 1 match in 1 file.'],
  ]) {
    const accepted = grepTool.accept({ pattern: 'needle', output_mode, '-B': 1 });
    if (!accepted.ok) throw new Error('the input is fine');
    const context = {
      ...project.engine.contextFor('call', new AbortController().signal),
      mayRead: (real: string) => !real.startsWith(project.path('secret')),
    };
    expect((await accepted.call.run(context).next()).value).toMatchObject({ content: expected });
  }
});

test.each([
  ['from the working directory', { path: 'src', glob: 'src/*.ts' }],
  ['from the path', { path: 'src', glob: '/b.ts' }],
  ['in braces with a comma', { glob: '{src/b.ts,none}' }],
  ['several, by commas and spaces', { glob: '*.rs, src/*.{ts,tsx} *.none' }],
  ['of a directory', { glob: 'src/' }],
  ['without some', { glob: '*.ts,!a.ts' }],
])('accepts a glob %s', async (_, input) => {
  const project = await temporaryProject(files);
  expect((await project.run(grepTool, { pattern: 'needle', ...input })).content).toBe('Found 1 file\nsrc/b.ts');
});

test('accepts an absolute glob', async () => {
  const project = await temporaryProject(files);
  const glob = `${project.root}/src/*.ts`;
  expect((await project.run(grepTool, { pattern: 'needle', glob })).content).toBe('Found 1 file\nsrc/b.ts');
});

test('treats text that looks like an option as a glob, a path or a type', async () => {
  const project = await temporaryProject({ '--pre=evil': 'needle\n', 'a.txt': 'needle\n' });
  const run = async (input: object) => (await project.run(grepTool, { pattern: 'needle', ...input })).content;
  expect(await run({ glob: '--pre=evil' })).toBe('Found 1 file\n--pre=evil');
  expect(await run({ path: '--pre=evil' })).toBe('Found 1 file\n--pre=evil');
  expect(await run({ type: '--pre=evil' })).toMatch(/unrecognized file type: --pre=evil/);
});

test('searches ignored files on request, and an ignored file that path names', async () => {
  const project = await temporaryProject({ '.gitignore': '*.log\n', 'x.log': 'needle\n' });
  const run = async (input: object) => (await project.run(grepTool, { pattern: 'needle', ...input })).content;
  expect(await run({})).toMatch(/^No match/);
  expect(await run({ include_ignored: true })).toBe('Found 1 file\nx.log');
  expect(await run({ path: 'x.log' })).toBe('Found 1 file\nx.log');
});

test('reports a matching binary file without its lines', async () => {
  const project = await temporaryProject({ 'a.bin': 'needle\n\0\nneedle\n' });
  const { content } = await project.run(grepTool, { pattern: 'needle', path: 'a.bin', output_mode: 'content' });
  expect(content).toContain('(a.bin is a binary file: it matches, but its lines are not shown.)');
});

test("ignores the user's ripgrep configuration", async () => {
  const project = await temporaryProject({ 'a.txt': 'needle\n', rc: '--replace=changed\n' });
  const set = { ...process.env, RIPGREP_CONFIG_PATH: project.path('rc') };
  const other = await temporaryProject({ 'a.txt': 'needle\n' }, { env: set });
  const { content } = await other.run(grepTool, { pattern: 'needle', output_mode: 'content' });
  expect(content).toMatch(/^a.txt:1:needle\n/);
});

test('reads nothing if the path resolves to another place than the approved one', async () => {
  const project = await temporaryProject(files);
  const accepted = grepTool.accept({ pattern: 'needle' });
  if (!accepted.ok) throw new Error('the input is fine');
  const elsewhere = { kind: 'file', access: 'read', path: project.root, real: '/elsewhere', tree: true } as const;
  const context = project.engine.contextFor('call', new AbortController().signal, { effects: [elsewhere] });
  await expect(accepted.call.run(context).next()).rejects.toThrow(/leads elsewhere than when the call was approved/);
});

test('writes a name with a line break on one line, so that it cannot imitate another match', async () => {
  const project = await temporaryProject({ 'a\nb.ts:1:x': 'needle\n' });
  const { content } = await project.run(grepTool, { pattern: 'needle', output_mode: 'content' });
  expect(withoutTotals(content)).toBe('"a\\nb.ts:1:x":1:needle');
});

test('says how to match the other line ending if a pattern across lines finds nothing', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\r\ntwo\r\n' });
  const run = async (pattern: string) => (await project.run(grepTool, { pattern, multiline: true })).content;
  expect(await run('one\\ntwo')).toContain('Where lines may end in \\r\\n, write \\r?\\n.');
  expect(await run('one\\r?\\ntwo')).toBe('Found 1 file\na.txt');
});

test.each(['/proc/kmsg', '/proc/self', '/proc', '/sys/kernel'])(
  'refuses to search %s, which Read refuses too',
  async (path) => {
    const project = await temporaryProject();
    const { content } = await project.run(grepTool, { pattern: 'x', path });
    expect(content).toMatch(/ lies in \/(proc|sys), whose files are made up by the system as they are read/);
  },
);

test.runIf(process.platform === 'linux')('does not descend into /proc and /sys from above, and says so', async () => {
  const project = await temporaryProject();
  const only = '!/[!p]*'; // of the folders in /, only /proc and those with the same first letter
  const { content } = await project.run(grepTool, { path: '/', pattern: '^Linux version', glob: only });
  expect(content).toContain('No match for');
  expect(content).toMatch(
    /\/proc, \/sys.* were not searched: the system makes up the files there as they are read\.\)/,
  );
});

test('shows no notice about skipped folders if there are none', async () => {
  const project = await temporaryProject({ 'proc/a.txt': 'needle' });
  expect((await project.run(grepTool, { pattern: 'needle' })).content).toBe('Found 1 file\nproc/a.txt');
});
