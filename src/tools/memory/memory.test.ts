import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEngine } from '../../compose/create-engine.js';
import { isInside } from '../../platform/files/paths.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { memoryFolder, memoryName } from './memory-folder.js';
import { memoryReadTool } from './memory-read.js';
import { memoryWriteTool } from './memory-write.js';

const switched = { toolSwitches: { MemoryRead: true, MemoryWrite: true } };

async function projectWithFolder() {
  const project = await temporaryProject({}, switched);
  return { project, folder: memoryFolder({ root: project.root, session: project.engine.session }) };
}

test('stores a note in a private file and reads it back', async () => {
  const { project, folder } = await projectWithFolder();
  const write = await project.run(memoryWriteTool, { file_path: 'api/errors.md', content: 'They are typed.\n' });
  expect(write.content).toBe('The note api/errors.md was written. Later sessions can read it.');
  const again = await project.run(memoryWriteTool, { path: 'api/errors.md', content: 'They are plain.\n' });
  expect(again.content).toContain('was replaced');
  expect((await project.run(memoryReadTool, { file_path: 'api/errors.md' })).content).toBe('They are plain.\n');
  expect(await readFile(join(folder, 'api/errors.md'), 'utf8')).toBe('They are plain.\n');
  expect((await stat(join(folder, 'api/errors.md'))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('lists the notes, and shows the index if there is one', async () => {
  const { project } = await projectWithFolder();
  expect((await project.run(memoryReadTool, {})).content).toBe('There are no notes on this project yet.');
  await project.run(memoryWriteTool, { file_path: 'build.md', content: 'npm run build' });
  await project.run(memoryWriteTool, { file_path: 'MEMORY.md', content: 'build.md: how to build' });
  const { content, display } = await project.run(memoryReadTool, {});
  expect(content).toMatch(
    /^MEMORY\.md \(22 bytes, .+\)\nbuild\.md \(13 bytes, .+\)\n\nMEMORY\.md:\nbuild\.md: how to build$/,
  );
  expect(display.body).toEqual({ type: 'list', items: ['MEMORY.md', 'build.md'] });
});

test('a later session of the same project sees the notes, and another project does not', async () => {
  const { project } = await projectWithFolder();
  await project.run(memoryWriteTool, { file_path: 'build.md', content: 'npm run build' });
  const { dataFolder } = project.engine.session;
  const read = async (root: string): Promise<unknown> => {
    const engine = createEngine({ root, dataFolder, ...switched });
    const [result] = await engine.callTools([{ id: 'a', name: 'MemoryRead', input: { file_path: 'build.md' } }]);
    await engine.end();
    return result?.content;
  };
  expect(await read(project.root)).toBe('npm run build');
  await project.write('other/a.txt', '');
  expect(await read(project.path('other'))).toContain('There is no note build.md. The notes of this project: none.');
});

test.each([
  '../secret',
  'a/../../secret',
  '/etc/passwd',
  '~/notes.md',
  'C:\\notes.md',
  '..\\secret',
  '.hidden',
  'a/.git/config',
  'a//b',
  'a/',
  'a:b',
  'line\nbreak',
  'a/b/c/d/e/f.md',
  'x'.repeat(201),
  'ü'.repeat(150),
  'note.md.',
  'a /b.md',
])('refuses the name %j', async (file_path) => {
  const { project } = await projectWithFolder();
  for (const [tool, input] of [
    [memoryWriteTool, { file_path, content: 'x' }],
    [memoryReadTool, { file_path }],
  ] as const) {
    const run = await project.run(tool, input);
    expect(run.failure).toBe('check_refused');
    expect(run.content).toContain('is not a name for a note');
  }
});

test('no name resolves to a path outside the folder', () => {
  const folder = '/data/memory/project-1';
  const part = fc.oneof(fc.constantFrom('..', '.', '', '~', 'a', 'b.md', '\\..', `${folder}/x`), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      let name: string;
      try {
        name = memoryName(parts.join('/'), folder);
      } catch {
        return;
      }
      const path = join(folder, name);
      expect(isInside(folder, path) && path !== folder).toBe(true);
    }),
  );
});

test('follows no symlinks, neither to a file nor through a folder', async () => {
  const { project, folder } = await projectWithFolder();
  await project.write('outside/secret.md', 'secret');
  await mkdir(folder, { recursive: true });
  await symlink(project.path('outside/secret.md'), join(folder, 'link.md'));
  await symlink(project.path('outside'), join(folder, 'linked'));
  for (const file_path of ['link.md', 'linked/secret.md']) {
    expect((await project.run(memoryReadTool, { file_path })).content).toContain('is behind a link');
    expect((await project.run(memoryWriteTool, { file_path, content: 'x' })).content).toContain('is behind a link');
  }
  expect(await project.text('outside/secret.md')).toBe('secret');
  expect((await project.run(memoryReadTool, {})).content).toBe('There are no notes on this project yet.');
});

test('refuses a note that is too long, beyond the limit, or below another note', async () => {
  const { project, folder } = await projectWithFolder();
  const write = (file_path: string, content: string) => project.run(memoryWriteTool, { file_path, content });
  expect((await write('a.md', 'x'.repeat(100_001))).content).toContain('would have 100001 bytes');
  expect((await write('a.md', 'x'.repeat(100_000))).isError).toBe(false);
  expect((await write('a.md/b.md', 'x')).content).toContain('a.md is a note, so there can be none below it');
  expect((await write('folder/b.md', 'x')).isError).toBe(false);
  expect((await write('folder', 'x')).content).toContain('folder is a folder of notes');
  for (let index = 0; index < 198; index += 1) await writeFile(join(folder, `n${index}.md`), '');
  expect((await write('one-more.md', 'x')).content).toContain("The project's memory is full (200 notes");
  expect((await write('a.md', 'y')).isError).toBe(false);
});

test('asks before writing, since later sessions read the note, and not before reading', async () => {
  const asked: string[] = [];
  const project = await temporaryProject(
    {},
    {
      ...switched,
      permissionMode: 'default',
      askPermission: async ({ tool, reason }) => {
        asked.push(`${tool}: ${reason}`);
        return { behavior: 'allow' };
      },
    },
  );
  expect((await project.run(memoryReadTool, {})).isError).toBe(false);
  expect((await project.run(memoryWriteTool, { file_path: 'a.md', content: 'a' })).isError).toBe(false);
  expect(asked).toEqual(["MemoryWrite: it writes to the project's memory, which later sessions read"]);
});

test('a rule can allow writing, except in plan mode', async () => {
  const input = { file_path: 'a.md', content: 'a' };
  const allowed = await temporaryProject({}, { permissionMode: 'default', permissions: { allow: ['MemoryWrite'] } });
  expect((await allowed.run(memoryWriteTool, input)).isError).toBe(false);
  const planned = await temporaryProject({}, { permissionMode: 'plan', permissions: { allow: ['MemoryWrite'] } });
  expect((await planned.run(memoryWriteTool, input)).failure).toBe('permission_denied');
  expect((await planned.run(memoryReadTool, {})).isError).toBe(false);
});

test('both tools are off unless they are enabled', async () => {
  const names = (engine: ReturnType<typeof createEngine>): readonly string[] => engine.session.tools.names;
  const { project } = await projectWithFolder();
  expect(names(project.engine)).toEqual(expect.arrayContaining(['MemoryRead', 'MemoryWrite']));
  const plain = await temporaryProject();
  expect(names(plain.engine)).not.toContain('MemoryRead');
  expect(plain.engine.session.tools.all.find(({ tool }) => tool.name === 'MemoryWrite')?.enabled).toBe(false);
});
