import { symlink, utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pseudoFoldersBelow } from '../platform/files/pseudo-file-system.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { globTool } from './glob.js';

test('finds files by pattern, newest first, then by name', async () => {
  const project = await temporaryProject({ 'src/b.ts': '', 'src/a.ts': '', 'src/deep/c.ts': '', 'src/d.js': '' });
  const date = async (name: string, seconds: number) => utimes(project.path(name), seconds, seconds);
  await date('src/a.ts', 1_000);
  await date('src/b.ts', 1_000);
  await date('src/deep/c.ts', 2_000);
  expect((await project.run(globTool, { pattern: 'src/**/*.ts' })).content).toBe('src/deep/c.ts\nsrc/a.ts\nsrc/b.ts');
});

test.each([
  ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ['src/*.ts', ['src/b.ts']],
  ['./src/**/*.ts', ['src/b.ts', 'src/deep/c.ts']],
  ['**/*.{ts,md}', ['README.md', 'a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ['src/b.ts', ['src/b.ts']],
  ['.env', ['.env']],
  ['none/**', []],
])('pattern %s', async (pattern, files) => {
  const project = await temporaryProject({
    'a.ts': '',
    'src/b.ts': '',
    'src/deep/c.ts': '',
    'README.md': '',
    '.env': '',
  });
  const { data } = await project.run(globTool, { pattern });
  expect((data as { files: string[] }).files.sort()).toEqual(files); // the data of Glob
});

test('omits .git and files that .gitignore names, even if the pattern matches them', async () => {
  const project = await temporaryProject({
    '.gitignore': 'build\n*.log\n',
    'a.ts': '',
    'x.log': '',
    'build/b.ts': '',
    '.git/config': '',
  });
  for (const pattern of ['**', '**/*', '*']) {
    const { data } = await project.run(globTool, { pattern });
    expect((data as { files: string[] }).files.sort()).toEqual(['.gitignore', 'a.ts']); // the data of Glob
  }
  expect((await project.run(globTool, { pattern: '*.log' })).content).toMatch(/^No file matches/);
  expect((await project.run(globTool, { pattern: 'build/*.ts' })).content).toBe('build/b.ts');
});

test('searches below the folder of an absolute pattern and declares that tree', async () => {
  const project = await temporaryProject({ 'src/a.ts': '' });
  const pattern = `${project.root}/src/*.ts`;
  expect((await project.run(globTool, { pattern })).content).toBe('src/a.ts');
  expect(await project.effects(globTool, { pattern })).toEqual([
    expect.objectContaining({ access: 'read', path: project.path('src'), tree: true }),
  ]);
  expect(await project.effects(globTool, { pattern: '../other/*.ts' })).toContainEqual(
    expect.objectContaining({ path: `${project.root.slice(0, project.root.lastIndexOf('/'))}/other`, tree: true }),
  );
});

test('shows 100 files and the total', async () => {
  const project = await temporaryProject(
    Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`f${index}.txt`, ''])),
  );
  const { content } = await project.run(globTool, { pattern: '*.txt' });
  expect(String(content).split('\n')).toHaveLength(101);
  expect(content).toContain('(120 files match, 20 more than shown. Narrow the pattern to see them.)');
});

test('treats a pattern that looks like an option as a pattern, and refuses a NUL', async () => {
  const project = await temporaryProject({ '--version': '', 'a.txt': '' });
  expect((await project.run(globTool, { pattern: '--version' })).content).toBe('--version');
  expect((await project.run(globTool, { pattern: 'a\0' })).failure).toBe('invalid_input');
});

test('refuses a missing directory and reports an invalid pattern', async () => {
  const project = await temporaryProject();
  expect((await project.run(globTool, { pattern: '*', path: 'none' })).content).toMatch(/^none does not exist/);
  expect((await project.run(globTool, { pattern: 'a[' })).content).toMatch(
    /^The search failed\. .*unclosed character class/s,
  );
});

test('explains why nothing matches, such as ignore files that hide matches', async () => {
  const project = await temporaryProject({ '.gitignore': '*.log\n', 'x.log': '', 'y.log': '', 'src/a.ts': '' });
  const run = async (input: object) => (await project.run(globTool, input)).content;
  expect(await run({ pattern: '*.log' })).toBe(
    'No file matches "*.log" in the working directory. Ignore files such as .gitignore hide 2 files that would match: set include_ignored to find them.',
  );
  expect(await run({ pattern: '*.log', include_ignored: true })).toMatch(/^[xy]\.log\n[xy]\.log$/);
  expect(await run({ pattern: '*.none' })).toMatch(/Check the directory, or try a wider pattern\.$/);
  expect(await run({ pattern: 'src' })).toMatch(/It is a directory, and only files are found: add "\/\*\*"/);
  expect(await run({ pattern: 'gone/*.ts' })).toMatch(/There is no directory gone\.$/);
  expect(await run({ pattern: '/gone-for-sure/*.ts' })).toMatch(/begins with "\/" is an absolute path/);
});

test('supports braces, brackets, folders and exclusions', async () => {
  const project = await temporaryProject({
    'a.ts': '',
    'src/b.ts': '',
    'src/c.js': '',
    'app/[id]/page.tsx': '',
    'x y.md': '',
  });
  const found = async (pattern: string) => {
    const { data } = await project.run(globTool, { pattern });
    return (data as { files: string[] }).files.sort(); // the data of Glob
  };
  expect(await found('!*.ts')).toEqual(['app/[id]/page.tsx', 'src/c.js', 'x y.md']);
  expect(await found('{src,app}/**/*.{ts,tsx}')).toEqual(['app/[id]/page.tsx', 'src/b.ts']);
  expect(await found('app/[id]/*.tsx')).toEqual(['app/[id]/page.tsx']);
  expect(await found('src/')).toEqual(['src/b.ts', 'src/c.js']);
  expect(await found('./*.ts')).toEqual(['a.ts']);
  expect(await found('x y.md')).toEqual(['x y.md']);
  expect(await found('src/../a.ts')).toEqual(['a.ts']);
});

test('a missing ripgrep is reported with what to do', async () => {
  const project = await temporaryProject({ 'a.ts': '' }, { env: { USE_BUILTIN_RIPGREP: '0', PATH: '' } });
  expect((await project.run(globTool, { pattern: '*.ts' })).content).toMatch(
    /^The search failed\. ripgrep, which searches need, was not found: .*put "rg" on PATH.*\.$/,
  );
});

test('omits files that may not be read from results, totals and hints', async () => {
  const project = await temporaryProject({
    '.gitignore': '*.log\n',
    'secret/a.ts': '',
    'secret/x.log': '',
    'b.ts': '',
  });
  const run = async (pattern: string) => {
    const accepted = globTool.accept({ pattern });
    if (!accepted.ok) throw new Error('the input is fine');
    const context = {
      ...project.engine.contextFor('call', new AbortController().signal),
      mayRead: (real: string) => !real.startsWith(project.path('secret')),
    };
    return (await accepted.call.run(context).next()).value;
  };
  expect(await run('*.ts')).toMatchObject({ content: 'b.ts', data: { total: 1 } });
  expect(await run('*.log')).toMatchObject({ content: expect.not.stringContaining('hide') });
});

test('does not follow symlinks out of the tree', async () => {
  const project = await temporaryProject({ 'a.ts': '' });
  await symlink('/etc', project.path('outside'));
  expect((await project.run(globTool, { pattern: '**' })).content).toBe('a.ts');
});

test('refuses a file as the directory', async () => {
  const project = await temporaryProject({ 'a.ts': '' });
  expect((await project.run(globTool, { pattern: '*', path: 'a.ts' })).content).toMatch(
    /^a.ts is a file, not a directory/,
  );
});

test('writes a name with a line break on one line, so that it cannot imitate another file', async () => {
  const project = await temporaryProject({ 'a\n.env': '' });
  expect((await project.run(globTool, { pattern: '*' })).content).toBe('"a\\n.env"');
});

const [pseudoInDev] = pseudoFoldersBelow('/dev'); // a small tree to search: all of / takes long

test.runIf(pseudoInDev)('does not descend into kernel file systems from above, and says so', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(globTool, { path: '/dev', pattern: '*no-such-device*' });
  expect(content).toContain('No file matches');
  expect(content).toContain(pseudoInDev);
  expect(content).toMatch(/not searched: the system makes up the files there as they are read\.\)/);
});
