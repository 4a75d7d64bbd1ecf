import { chmod, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { globFilter, globProblem } from '../text/glob-matcher.js';
import { type FileQuery, SearchFailure, type SearchOptions, type TextQuery } from './query.js';
import { listFiles, searchText } from './search.js';

const files: Readonly<Record<string, string | Uint8Array>> = {
  'a.ts': 'import x from "y";\nexport const needle = 1;\n// Needle two\n',
  'b.js': 'needle needle\nnothing\nnothing\nnothing\nneedle',
  'crlf.txt': 'one needle\r\ntwo\r\nneedle\r\n',
  'wide.txt': 'größe 12\nßneedle\n日本語 needle\nx👍y\n٣٤\n',
  'bom.txt': '\uFEFFneedle first\n',
  'utf16.txt': Buffer.from('\uFEFFneedle in wide text\nline\n', 'utf16le'),
  'long.js': `needle${'x'.repeat(700)}needle\nshort needle\n${'y'.repeat(700)}\n`,
  'empty.txt': '',
  'program.bin': Buffer.from('needle\n\0\0binary\nneedle\n'),
  'late.bin': Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(100, 'x\n'), Buffer.from('\0needle\n')]),
  'multi.txt': 'begin\n  middle\nend\nbegin end\nlast begin\n',
  'brackets/[id].ts': 'needle\n',
  'interface.go': 'type x interface{}\nfunc (f *F) Do(a, b int) {}\naa bb aa\nabab\n',
  '.hidden/.deep/file.ts': 'needle\n',
  '-dash/--pre=x.ts': 'needle\n',
  'src/app.ts': 'needle\n',
  'src/app.test.ts': 'needle\n',
  'src/deep/down/util.tsx': 'needle\n',
  'src/deep/keep.log': 'needle\n',
  'src/.gitignore': '/deep/*.tmp\n!keep.log\ngenerated\n',
  'src/deep/x.tmp': 'needle\n',
  'src/generated/out.ts': 'needle\n',
  'build/out.ts': 'needle\n',
  'node_modules/m/index.js': 'needle\n',
  'x.log': 'needle\n',
  'docs/readme.md': '# needle\n',
  'docs/sub/other.mdx': 'needle\n',
  'docs/.ignore': 'sub\n',
  'with space/a b.ts': 'needle\n',
  '.gitignore': '# comment\nbuild/\nnode_modules\n*.log\n/only-top.ts\n\\#hash\n',
  'only-top.ts': 'needle\n',
  'src/only-top.ts': 'needle\n',
  '#hash': 'needle\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': 'needle\n',
  '.git/info/exclude': 'excluded.txt\n',
  'excluded.txt': 'needle\n',
  'sub/.git': 'gitdir: needle\n',
  'sub/inner.ts': 'needle\n',
};

let folder = '';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-search-test-')));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await symlink(join(folder, 'src'), join(folder, 'linked'));
  await symlink('/etc/passwd', join(folder, 'outside.txt'));
  await symlink('.', join(folder, 'src/circle'));
});

const options = (changes: Partial<SearchOptions> = {}): SearchOptions => ({
  env: process.env,
  signal: new AbortController().signal,
  ...changes,
});

const fileQuery = (changes: Partial<FileQuery>): FileQuery => ({
  folder,
  globs: [],
  includeIgnored: false,
  ...changes,
});

const textQuery = (changes: Partial<TextQuery>): TextQuery => ({
  ...fileQuery({}),
  pattern: 'needle',
  mode: 'content',
  ignoreCase: false,
  multiline: false,
  onlyMatching: false,
  before: 0,
  after: 0,
  maxColumns: 500,
  ...changes,
});

const listed = async (query: Partial<FileQuery>): Promise<string[]> =>
  [...(await listFiles(fileQuery(query), options())).files].sort();

const names = Object.keys(files).sort();
const IN_REPOSITORY_DATA = /^\.git\/|^sub\/\.git$/;
const IGNORED =
  /^(?:build|node_modules|src\/generated|docs\/sub)\/|^(?:#hash|excluded\.txt|only-top\.ts|x\.log|src\/deep\/x\.tmp)$/;
const everything = names.filter((name) => !IN_REPOSITORY_DATA.test(name));
const visible = everything.filter((name) => !IGNORED.test(name));
const named = (pattern: RegExp, all = visible): string[] => all.filter((name) => pattern.test(name));

test.each<[string, Partial<FileQuery>, string[]]>([
  ['everything', {}, visible],
  ['everything, ignored files too', { includeIgnored: true }, everything],
  ['a name in any folder', { globs: ['*.ts'] }, named(/\.ts$/)],
  ['all', { globs: ['**'] }, visible],
  ['all, with a star', { globs: ['**/*'] }, visible],
  ['one folder', { globs: ['src/*.ts'] }, ['src/app.test.ts', 'src/app.ts', 'src/only-top.ts']],
  ['a tree', { globs: ['src/**'] }, named(/^src\//)],
  ['a tree and ignored files', { globs: ['**/*.ts'], includeIgnored: true }, named(/\.ts$/, everything)],
  ['a folder by its name', { globs: ['deep/'] }, ['src/deep/down/util.tsx', 'src/deep/keep.log']],
  ['braces', { globs: ['*.{ts,tsx}'] }, named(/\.tsx?$/)],
  [
    'nested braces',
    { globs: ['{src/{app,deep/down/util},docs/readme}.{ts{,x},md}'] },
    ['docs/readme.md', 'src/app.ts', 'src/deep/down/util.tsx'],
  ],
  ['what is left', { globs: ['!*.ts'] }, named(/(?<!\.ts)$/)],
  ['some, without others', { globs: ['*.ts', '!*.test.ts'] }, named(/(?<!\.test)\.ts$/)],
  ['without a folder', { globs: ['!src'] }, named(/^(?!src\/)/)],
  ['the last one decides', { globs: ['!*.ts', '*.ts'] }, named(/\.ts$/)],
  ['anchored', { globs: ['/a.ts'] }, ['a.ts']],
  ['ignored by name', { globs: ['*.log'] }, ['src/deep/keep.log']],
  ['a set', { globs: ['[ab].*'] }, ['a.ts', 'b.js']],
  ['a negated set', { globs: ['[!a-z.]*'] }, ['-dash/--pre=x.ts', 'brackets/[id].ts']],
  ['an escaped set', { globs: ['\\[id\\].ts'] }, ['brackets/[id].ts']],
  ['a leading dash', { globs: ['--pre=*'] }, ['-dash/--pre=x.ts']],
  ['a sign of comments', { globs: ['!#hash'], includeIgnored: true }, named(/^(?!#hash)/, everything)],
  ['a question mark', { globs: ['?.ts'] }, ['a.ts']],
  ['folders in the middle', { globs: ['src/**/util.tsx'] }, ['src/deep/down/util.tsx']],
  ['a type', { type: 'ts' }, named(/\.tsx?$/)],
  ['a type and a glob', { type: 'md', globs: ['!docs/sub/*'] }, ['docs/readme.md']],
  ['spaces', { globs: ['a b.ts'] }, ['with space/a b.ts']],
  ['one file', { file: 'x.log' }, ['x.log']],
])('lists %s', async (_, query, expected) => {
  expect(await listed(query)).toEqual(expected);
});

test('interprets any glob as ripgrep does', async () => {
  const text = fc
    .array(fc.constantFrom('a', 's', 'src', '/', '*', '**', '?', '{', '}', ',', '[', ']', '!', '.ts', '\\', '-', 'app'))
    .map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(text, async (glob) => {
      fc.pre(glob !== '' && !glob.endsWith('/') && globProblem(glob.replace(/^!/, '')) === undefined);
      expect(await listed({ globs: [glob] })).toEqual(visible.filter(globFilter([glob])));
    }),
    { numRuns: 60 },
  );
});

test('respects the ignore files of parent folders', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-above-')));
  for (const name of ['sub/deep/a.log', 'sub/deep/b.txt', 'sub/deep/tmp/c']) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), '');
  }
  await writeFile(join(root, '.gitignore'), '*.log\nsub/deep/tmp\n');
  expect(await listed({ folder: join(root, 'sub/deep') })).toEqual(['b.txt']);
});

test.skipIf(process.getuid?.() === 0)('reports a folder that cannot be read and continues', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-closed-')));
  for (const name of ['closed', 'open']) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, 'a'), '');
  }
  await chmod(join(root, 'closed'), 0);
  expect(await listFiles(fileQuery({ folder: root }), options())).toMatchObject({
    files: ['open/a'],
    unreadable: ['closed'],
  });
});

test.each<[string, Partial<TextQuery>, Record<string, string[]>]>([
  ['lines', { globs: ['*.js', '!long.js'] }, { 'b.js': ['1:needle needle', '5:needle'] }],
  ['only what matches', { onlyMatching: true, file: 'b.js' }, { 'b.js': ['1:needle', '1:needle', '5:needle'] }],
  ['context after', { after: 1, file: 'b.js' }, { 'b.js': ['1:needle needle', '2-nothing', '--', '5:needle'] }],
  [
    'context before',
    { before: 2, file: 'b.js' },
    { 'b.js': ['1:needle needle', '--', '3-nothing', '4-nothing', '5:needle'] },
  ],
  [
    'wide context',
    { before: 50, after: 50, file: 'b.js' },
    { 'b.js': ['1:needle needle', '2-nothing', '3-nothing', '4-nothing', '5:needle'] },
  ],
  [
    'context in several files',
    { before: 1, globs: ['/a.ts', '/b.js'] },
    {
      'a.ts': ['1-import x from "y";', '2:export const needle = 1;'],
      'b.js': ['1:needle needle', '--', '4-nothing', '5:needle'],
    },
  ],
  ['any case', { ignoreCase: true, file: 'a.ts' }, { 'a.ts': ['2:export const needle = 1;', '3:// Needle two'] }],
  ['lines that end with CRLF', { pattern: 'needle$', file: 'crlf.txt' }, { 'crlf.txt': ['1:one needle', '3:needle'] }],
  ['text after a byte order mark', { pattern: '^needle', file: 'bom.txt' }, { 'bom.txt': ['1:needle first'] }],
  ['UTF-16', { file: 'utf16.txt' }, { 'utf16.txt': ['1:needle in wide text'] }],
  ['a dot for a wide character', { pattern: 'x.y' }, { 'wide.txt': ['4:x👍y'] }],
  ['look-ahead', { pattern: 'begin(?= end)' }, { 'multi.txt': ['4:begin end'] }],
  ['look-behind', { pattern: '(?<!last )begin' }, { 'multi.txt': ['1:begin', '4:begin end'] }],
  ['a back-reference', { pattern: '(ab)\\1' }, { 'interface.go': ['4:abab'] }],
  ['a literal brace', { pattern: 'interface{}' }, { 'interface.go': ['1:type x interface{}'] }],
  ['an escaped brace', { pattern: 'interface\\{\\}' }, { 'interface.go': ['1:type x interface{}'] }],
  [
    'across lines',
    { pattern: 'begin.*?end', multiline: true },
    { 'multi.txt': ['1:begin', '2:  middle', '3:end', '4:begin end'] },
  ],
  [
    'across lines, only what matches',
    { pattern: 'begin.*?end', multiline: true, onlyMatching: true },
    { 'multi.txt': ['1:begin', '2:  middle', '3:end', '4:begin end'] },
  ],
  [
    'across lines with context',
    { pattern: 'middle\\nend', multiline: true, before: 1, after: 1 },
    { 'multi.txt': ['1-begin', '2:  middle', '3:end', '4-begin end'] },
  ],
  ['globs', { globs: ['/src/*.ts', '!*.test.ts'] }, { 'src/app.ts': ['1:needle'], 'src/only-top.ts': ['1:needle'] }],
  ['a type', { type: 'md' }, { 'docs/readme.md': ['1:# needle'] }],
  ['one ignored file', { file: 'x.log' }, { 'x.log': ['1:needle'] }],
  ['one binary file', { file: 'program.bin' }, { 'program.bin': [] }],
  [
    'few columns',
    { maxColumns: 10, file: 'b.js' },
    { 'b.js': ['1:needle nee [... omitted end of long line]', '5:needle'] },
  ],
  ['nothing', { pattern: 'nowhere at all' }, {}],
  ['a pattern like an option', { pattern: '--pre' }, {}],
])('finds %s', async (_, query, expected) => {
  const { files, stopped, unreadable } = await searchText(textQuery(query), options());
  const lines = Object.fromEntries([...files].map(([name, { lines }]) => [name, lines]));
  expect({ lines, stopped, unreadable }).toEqual({ lines: expected, stopped: undefined, unreadable: [] });
});

test.each<[string, Partial<TextQuery>, Record<string, number>]>([
  ['lines with context', { after: 1, file: 'b.js' }, { 'b.js': 2 }],
  ['occurrences, if only those are shown', { onlyMatching: true, file: 'b.js' }, { 'b.js': 3 }],
  ['occurrences in count mode', { mode: 'count', globs: ['/*.js'] }, { 'b.js': 3, 'long.js': 3 }],
  ['files', { mode: 'files_with_matches', globs: ['/*.js'] }, { 'b.js': 1, 'long.js': 1 }],
  ['occurrences across lines', { pattern: 'begin\\s+\\w+', multiline: true, mode: 'count' }, { 'multi.txt': 2 }],
  ['files across lines', { pattern: 'e\\nend', multiline: true, mode: 'files_with_matches' }, { 'multi.txt': 1 }],
  ['a binary file as one', { file: 'program.bin' }, { 'program.bin': 1 }],
  ['occurrences in a binary file', { file: 'program.bin', mode: 'count' }, { 'program.bin': 2 }],
  ['a binary file', { file: 'program.bin', mode: 'files_with_matches' }, { 'program.bin': 1 }],
])('counts %s', async (_, query, expected) => {
  const { files } = await searchText(textQuery(query), options());
  expect(Object.fromEntries([...files].map(([name, { matches }]) => [name, matches]))).toEqual(expected);
});

test('searches the files that it lists, and reports which of them are binary', async () => {
  const found = async (query: Partial<TextQuery>) => [...(await searchText(textQuery(query), options())).files.keys()];
  const mode = 'files_with_matches';
  expect((await found({ pattern: '^', mode })).sort()).toEqual(named(/^(?!empty\.txt$|program\.bin$|late\.bin$)/));
  expect((await found({ mode, includeIgnored: true })).sort()).toEqual(
    expect.arrayContaining(['#hash', 'build/out.ts', 'docs/sub/other.mdx', 'node_modules/m/index.js', 'x.log']),
  );
  const { files } = await searchText(textQuery({ file: 'program.bin' }), options());
  expect(files.get('program.bin')).toEqual({ lines: [], matches: 1, isBinary: true });
});

test.each<[string, Partial<TextQuery>]>([
  ['an open group', { pattern: '(open' }],
  ['an open class', { pattern: '[open' }],
  ['a line end by itself', { pattern: 'a\\nb' }],
  ['an unknown escape', { pattern: '\\y' }],
  ['an unknown type', { type: 'klingon' }],
  ['a glob with an open class', { globs: ['[a'] }],
])('refuses %s', async (_, query) => {
  await expect(searchText(textQuery(query), options())).rejects.toThrow(SearchFailure);
});

test('explains in one sentence that ripgrep is missing, cannot run, or fails at once', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'helve-bin-'));
  const program = async (content: string | Uint8Array) => {
    await writeFile(join(bin, 'rg'), content);
    await chmod(join(bin, 'rg'), 0o755);
  };
  const message = async (path: string): Promise<string> => {
    const outcome = await listFiles(fileQuery({}), options({ env: { USE_BUILTIN_RIPGREP: '0', PATH: path } })).catch(
      (error: unknown) => error,
    );
    if (!(outcome instanceof SearchFailure)) throw new Error('The search did not fail as it should.');
    return outcome.message;
  };
  expect(await message('')).toBe(
    'ripgrep, which searches need, was not found: unset USE_BUILTIN_RIPGREP, or put "rg" on PATH (for example with "apt install ripgrep" or "brew install ripgrep").',
  );
  const advice = `: reinstall ${join(bin, 'rg')}, or set USE_BUILTIN_RIPGREP=0 and put another "rg" on PATH.`;
  await program('#!/bin/sh\nexit 127\n');
  expect(await message(bin)).toBe(`ripgrep, which searches need, ended with code 127 (it said nothing)${advice}`);
  await program('#!/no/such/interpreter\n');
  expect(await message(bin)).toBe(`ripgrep, which searches need, can't be started (ENOENT)${advice}`);
  await program(Buffer.from('\x7fELF of another machine'));
  expect(await message(bin)).toMatch(/^ripgrep, which searches need, (?:can't be started|ended with code).*PATH\.$/);
});

test.skipIf(process.getuid?.() === 0)('does not blame ripgrep for a folder that cannot be entered', async () => {
  const closed = await realpath(await mkdtemp(join(tmpdir(), 'helve-closed-')));
  await chmod(closed, 0o600);
  await expect(listFiles(fileQuery({ folder: closed }), options())).rejects.toThrow("The folder can't be entered");
});
