import { chmod, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { globProblem } from '../text/glob-matcher.js';
import { listBuiltIn, searchBuiltIn } from './built-in.js';
import { type FileQuery, SearchFailure, type SearchOptions, type TextQuery } from './query.js';
import { listWithRipgrep, searchWithRipgrep } from './ripgrep-query.js';
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

/** The same question to both; what one refuses, the other refuses too. */
async function bothLists(query: FileQuery): Promise<[unknown, unknown]> {
  const plain = async (list: typeof listBuiltIn) => {
    const { files, ...rest } = await list(query, options());
    return { files: [...files].sort(), ...rest };
  };
  return await Promise.all([plain(listWithRipgrep), plain(listBuiltIn)]);
}

async function bothSearches(query: TextQuery): Promise<[unknown, unknown]> {
  const plain = async (search: typeof searchBuiltIn) => {
    try {
      const { files, ...rest } = await search(query, options());
      return { files: Object.fromEntries([...files].sort(([one], [other]) => (one < other ? -1 : 1))), ...rest };
    } catch (error) {
      if (error instanceof SearchFailure) return 'refused';
      throw error;
    }
  };
  return await Promise.all([plain(searchWithRipgrep), plain(searchBuiltIn)]);
}

test.each<[string, Partial<FileQuery>, string[]?]>([
  ['everything', {}],
  ['everything, ignored files too', { includeIgnored: true }],
  ['a name in any folder', { globs: ['*.ts'] }],
  ['all', { globs: ['**'] }],
  ['all, with a star', { globs: ['**/*'] }],
  ['one folder', { globs: ['src/*.ts'] }, ['src/app.test.ts', 'src/app.ts', 'src/only-top.ts']],
  ['a tree', { globs: ['src/**'] }],
  ['a tree and ignored files', { globs: ['**/*.ts'], includeIgnored: true }],
  ['braces', { globs: ['*.{ts,tsx}'] }],
  ['nested braces', { globs: ['{src/{app,deep/down/util},docs/readme}.{ts{,x},md}'] }],
  ['what is left', { globs: ['!*.ts'] }],
  ['some, without others', { globs: ['*.ts', '!*.test.ts'] }, undefined],
  ['without a folder', { globs: ['!src'] }],
  ['the last one decides', { globs: ['!*.ts', '*.ts'] }],
  ['anchored', { globs: ['/a.ts'] }, ['a.ts']],
  ['ignored by name', { globs: ['*.log'] }, ['src/deep/keep.log']],
  ['a set', { globs: ['[ab].*'] }, ['a.ts', 'b.js']],
  ['a negated set', { globs: ['[!a-z.]*'] }],
  ['an escaped set', { globs: ['\\[id\\].ts'] }, ['brackets/[id].ts']],
  ['a leading dash', { globs: ['--pre=*'] }, ['-dash/--pre=x.ts']],
  ['a sign of comments', { globs: ['!#hash'], includeIgnored: true }],
  ['a question mark', { globs: ['?.ts'] }, ['a.ts']],
  ['folders in the middle', { globs: ['src/**/util.tsx'] }, ['src/deep/down/util.tsx']],
  ['a type', { type: 'ts' }],
  ['a type and a glob', { type: 'md', globs: ['!docs/sub/*'] }, ['docs/readme.md']],
  ['spaces', { globs: ['a b.ts'] }, ['with space/a b.ts']],
  ['one file', { file: 'x.log' }, ['x.log']],
])('lists the same with and without ripgrep: %s', async (_, query, expected) => {
  const [withRipgrep, without] = await bothLists(fileQuery(query));
  expect(without).toEqual(withRipgrep);
  if (expected) expect(without).toMatchObject({ files: expected });
});

test('reads globs as ripgrep does, whatever they are', async () => {
  const text = fc
    .array(fc.constantFrom('a', 's', 'src', '/', '*', '**', '?', '{', '}', ',', '[', ']', '!', '.ts', '\\', '-', 'app'))
    .map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(text, async (glob) => {
      fc.pre(glob !== '' && !glob.endsWith('/') && globProblem(glob.replace(/^!/, '')) === undefined);
      const [withRipgrep, without] = await bothLists(fileQuery({ globs: [glob] }));
      expect(without).toEqual(withRipgrep);
    }),
    { numRuns: 60 },
  );
});

test.each<[string, Partial<TextQuery>]>([
  ['lines', {}],
  ['files', { mode: 'files_with_matches' }],
  ['counts', { mode: 'count' }],
  ['only what matches', { onlyMatching: true }],
  ['context after', { after: 1 }],
  ['context before', { before: 2 }],
  ['context around', { before: 1, after: 1 }],
  ['wide context', { before: 50, after: 50 }],
  ['any case', { ignoreCase: true }],
  ['any case by a flag', { pattern: '(?i)NEEDLE' }],
  ['a word', { pattern: '\\bneedle\\b' }],
  ['word starts', { pattern: '\\b{start}need' }],
  ['no word', { pattern: '\\Bneedle' }],
  ['classes', { pattern: '[[:alpha:]]+ \\d+' }],
  ['digits of any script', { pattern: '^\\d+$', onlyMatching: true }],
  ['letters of any script', { pattern: '^\\w+ ', onlyMatching: true }],
  ['a property', { pattern: '\\p{Greek}|\\p{Han}+', onlyMatching: true }],
  ['a class without', { pattern: '[a-z&&[^n]]eedle|[^\\s]+le$' }],
  ['a code', { pattern: '\\x{6E}eed|\\u006Eeed' }],
  ['a dot for a wide character', { pattern: 'x.y' }],
  ['line ends', { pattern: 'needle$' }],
  ['line starts', { pattern: '^needle' }],
  ['repetition', { pattern: '(?:e){2}d', mode: 'count' }],
  ['up to', { pattern: 'ne{1,2}d|b{,2}a', mode: 'count' }],
  ['named groups', { pattern: '(?P<one>nee)(?<two>dle)' }],
  ['look-ahead', { pattern: 'begin(?= end)' }],
  ['look-behind', { pattern: '(?<!last )begin' }],
  ['a back-reference', { pattern: '(ab)\\1' }],
  ['a literal brace', { pattern: 'interface{}' }],
  ['an escaped brace', { pattern: 'interface\\{\\}' }],
  ['an escaped sign', { pattern: '\\(f \\*F\\) Do\\(a, b int\\)' }],
  ['signs without meaning', { pattern: '"y";|</|#' }],
  ['across lines', { pattern: 'begin.*?end', multiline: true }],
  ['across lines, only what matches', { pattern: 'begin.*?end', multiline: true, onlyMatching: true }],
  ['across lines, counts', { pattern: 'begin\\s+\\w+', multiline: true, mode: 'count' }],
  ['across lines with context', { pattern: 'middle\\nend', multiline: true, before: 1, after: 1 }],
  ['across lines, files', { pattern: 'middle\\nend', multiline: true, mode: 'files_with_matches' }],
  ['a line end by a class', { pattern: 'begin[^x]+middle', multiline: true }],
  ['globs', { globs: ['*.ts', '!*.test.ts'] }],
  ['a type', { type: 'js' }],
  ['one file', { file: 'a.ts' }],
  ['one ignored file', { file: 'x.log' }],
  ['one binary file', { file: 'program.bin' }],
  ['one binary file, counts', { file: 'program.bin', mode: 'count' }],
  ['one binary file, files', { file: 'program.bin', mode: 'files_with_matches' }],
  ['ignored files too', { includeIgnored: true, mode: 'files_with_matches' }],
  ['few columns', { maxColumns: 10, globs: ['!crlf.txt'] }],
  ['nothing', { pattern: 'nowhere at all' }],
  ['an open group', { pattern: '(open' }],
  ['an open class', { pattern: '[open' }],
  ['a line end by itself', { pattern: 'a\\nb' }],
  ['an unknown escape', { pattern: '\\y' }],
  ['an unknown type', { type: 'klingon' }],
  ['a pattern like an option', { pattern: '--pre' }],
])('finds the same with and without ripgrep: %s', async (_, query) => {
  const [withRipgrep, without] = await bothSearches(textQuery(query));
  expect(without).toEqual(withRipgrep);
});

test('goes on without ripgrep where none is installed, none can run, or it breaks at once', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'helve-bin-'));
  const env = (path: string) => ({ USE_BUILTIN_RIPGREP: '0', PATH: path });
  const program = async (content: string | Uint8Array) => {
    await writeFile(join(bin, 'rg'), content);
    await chmod(join(bin, 'rg'), 0o755);
    return env(bin);
  };
  const expected = { files: ['src/app.ts'], stopped: undefined, unreadable: [] };
  const list = (env: SearchOptions['env']) => listFiles(fileQuery({ globs: ['src/app.ts'] }), options({ env }));
  expect(await list(env(''))).toEqual(expected);
  expect(await list(await program(Buffer.from('\x7fELF of another machine')))).toEqual(expected);
  expect(await list(await program('#!/bin/sh\nexit 127\n'))).toEqual(expected);
  expect(await list(await program('#!/no/such/interpreter\n'))).toEqual(expected);
  const found = await searchText(textQuery({ globs: ['src/app.ts'] }), options({ env: env('') }));
  expect([...found.files]).toEqual([['src/app.ts', { lines: ['1:needle'], matches: 1 }]]);
});

test('ends an expression that runs wild, and keeps what was found before', async () => {
  const wild = await realpath(await mkdtemp(join(tmpdir(), 'helve-wild-')));
  await writeFile(join(wild, 'a.txt'), `${'a'.repeat(60)}!\n`);
  const query = textQuery({ folder: wild, pattern: '(a+)+$' });
  const { stopped } = await searchBuiltIn(query, options({ timeoutMs: 300 }));
  expect(stopped).toBe('took too long');
  const controller = new AbortController();
  const running = searchBuiltIn(query, options({ signal: controller.signal }));
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});

test('stops where it has found too much', async () => {
  const { stopped, files } = await searchBuiltIn(textQuery({ includeIgnored: true }), options({ maxOutputBytes: 10 }));
  expect([stopped, files.size > 0]).toEqual(['too much output', true]);
});

test.each([
  ['(?x)a b', /the flag "x"/],
  ['a(?i)b', /"i" for a part/],
  ['\\Kx', /\\K/],
  ['[a~~b]', /~~/],
  ['\\p{Klingon}', /\\p\{Klingon\}/],
])('says without ripgrep what it does not understand: %s', async (pattern, message) => {
  await expect(searchBuiltIn(textQuery({ pattern }), options())).rejects.toThrow(message);
  await expect(searchBuiltIn(textQuery({ pattern }), options())).rejects.toThrow(/stands in for ripgrep/);
});
