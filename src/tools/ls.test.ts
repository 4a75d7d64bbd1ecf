import { chmod, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { lsTool } from './ls.js';

test('draws the tree, directories first, with symlink targets and without the content of heavy folders', async () => {
  const project = await temporaryProject({
    'b.txt': '',
    'a.txt': '',
    'src/deep/x.ts': '',
    'node_modules/m/index.js': '',
  });
  await symlink('src', project.path('link'));
  expect((await project.run(lsTool, {})).content).toBe(
    './\n  node_modules/ (not shown)\n  src/\n    deep/\n      x.ts\n  a.txt\n  b.txt\n  link -> src',
  );
});

test('shows the content of a heavy folder if the path names it', async () => {
  const project = await temporaryProject({ 'node_modules/m/index.js': '' });
  expect((await project.run(lsTool, { path: 'node_modules' })).content).toBe('node_modules/\n  m/\n    index.js');
});

test('leaves out ignored patterns', async () => {
  const project = await temporaryProject({ 'a.log': '', 'dist/x.js': '', 'src/b.log': '', 'src/c.ts': '' });
  expect((await project.run(lsTool, { ignore: ['*.log', 'dist'] })).content).toBe('./\n  src/\n    c.ts');
});

test('handles expensive and broken patterns', async () => {
  const project = await temporaryProject({ ['a'.repeat(60)]: '', m: '', '[z-a]': '' });
  const { content } = await project.run(lsTool, { ignore: ['*a*a*a*a*a*a*a*a*a*a*a*a*b', '[z-a]'] });
  expect(content).toBe(`./\n  ${'a'.repeat(60)}\n  m`);
});

test('refuses patterns beyond the limit, and names the limit', async () => {
  const project = await temporaryProject({});
  const words = async (ignore: string[]) => (await project.run(lsTool, { ignore })).content;
  expect(await words(Array.from({ length: 51 }, () => '*'))).toMatch(/"ignore" must hold at most 50 patterns/);
  expect(await words(['*'.repeat(257)])).toMatch(/"ignore\[0\]" must have at most 256 characters/);
});

test('stops at 1,000 entries, says so, and shows upper levels first', async () => {
  const files = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`deep/${index}.txt`, '']));
  const project = await temporaryProject({ ...files, 'top.txt': '' });
  const { content } = await project.run(lsTool, {});
  expect(content).toContain('\n  top.txt');
  expect(content).toContain('\n  deep/ (202 more not shown)\n');
  expect(content).toMatch(/\(Only the first 1000 entries are shown; there are more\./);
});

test('says that a directory beyond the limit is not shown', async () => {
  const files = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`${index}.txt`, '']));
  const project = await temporaryProject({ ...files, 'src/a.ts': '' });
  const { content } = await project.run(lsTool, {});
  expect(String(content).split('\n', 2)).toEqual(['./', '  src/ (not shown)']);
});

test.skipIf(process.getuid?.() === 0)('names a directory that cannot be read', async () => {
  const project = await temporaryProject({ 'closed/a.ts': '', 'b.ts': '' });
  await chmod(project.path('closed'), 0);
  expect((await project.run(lsTool, {})).content).toBe("./\n  closed/ (can't be read)\n  b.ts");
});

test('leaves out denied files, and links to them', async () => {
  const project = await temporaryProject({ 'secret/key': '', 'a.txt': '' });
  await symlink('secret/key', project.path('link'));
  const accepted = lsTool.accept({});
  if (!accepted.ok) throw new Error('the input is fine');
  const context = {
    ...project.engine.contextFor('call', new AbortController().signal),
    mayRead: (real: string) => !real.startsWith(project.path('secret')),
  };
  const { value } = await accepted.call.run(context).next();
  expect(value).toMatchObject({ content: './\n  a.txt' });
});

test('refuses a file and a missing directory', async () => {
  const project = await temporaryProject({ 'a.txt': '' });
  expect((await project.run(lsTool, { path: 'a.txt' })).content).toBe(
    'a.txt is not a directory. Use Read to see a file.',
  );
  expect((await project.run(lsTool, { path: 'none' })).content).toMatch(/^none does not exist/);
});

test('stops in the middle of a directory when the call is cancelled', async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}.txt`, '']));
  const project = await temporaryProject(files);
  const accepted = lsTool.accept({});
  if (!accepted.ok) throw new Error('the input is fine');
  const controller = new AbortController();
  const seen: string[] = [];
  const context = {
    ...project.engine.contextFor('call', controller.signal),
    mayRead: (real: string) => {
      seen.push(real);
      controller.abort(new Error('cancelled'));
      return true;
    },
  };
  await expect(accepted.call.run(context).next()).rejects.toThrow();
  expect(seen.length).toBeLessThan(100);
});

test('counts a single entry in the singular', async () => {
  const project = await temporaryProject({ 'a.txt': '' });
  expect((await project.run(lsTool, {})).display).toMatchObject({ title: '.', facts: ['1 entry'], looks: 'list' });
});

test('declares that it reads the tree', async () => {
  const project = await temporaryProject();
  expect(await project.effects(lsTool, {})).toContainEqual(
    expect.objectContaining({ kind: 'file', access: 'read', real: project.root, tree: true }),
  );
});

test('writes a name with a line break on one line, so that it cannot imitate another entry', async () => {
  const project = await temporaryProject({ 'a\nb.txt': '' });
  await symlink('x\ny', project.path('link'));
  expect((await project.run(lsTool, {})).content).toBe('./\n  "a\\nb.txt"\n  link -> "x\\ny"');
});

test.runIf(process.platform === 'linux')('does not descend into /proc and /sys from above', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(lsTool, { path: '/', ignore: ['[!ps]*'] });
  expect(content).toContain('  proc/ (not shown)');
  expect(content).toContain('  sys/ (not shown)');
});
