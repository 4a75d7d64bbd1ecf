import { utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { globTool } from './glob.js';

test('finds files by pattern, newest first, by name where two are of one age', async () => {
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

test('leaves out what .gitignore names and .git itself, even where the pattern matches it', async () => {
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

test('searches below an absolute pattern and declares the tree that it reads', async () => {
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

test('shows 100 and tells how many there are', async () => {
  const project = await temporaryProject(
    Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`f${index}.txt`, ''])),
  );
  const { content } = await project.run(globTool, { pattern: '*.txt' });
  expect(String(content).split('\n')).toHaveLength(101);
  expect(content).toContain('(120 files match, 20 more than shown. Narrow the pattern to see them.)');
});

test('takes a pattern that looks like an option for a pattern, and refuses a NUL', async () => {
  const project = await temporaryProject({ '--version': '', 'a.txt': '' });
  expect((await project.run(globTool, { pattern: '--version' })).content).toBe('--version');
  expect((await project.run(globTool, { pattern: 'a\0' })).failure).toBe('invalid_input');
});

test('refuses a missing directory and passes on what is wrong with a pattern', async () => {
  const project = await temporaryProject();
  expect((await project.run(globTool, { pattern: '*', path: 'none' })).content).toMatch(/^none does not exist/);
  expect((await project.run(globTool, { pattern: 'a[' })).content).toMatch(
    /^The search failed\. .*unclosed character class/s,
  );
});
