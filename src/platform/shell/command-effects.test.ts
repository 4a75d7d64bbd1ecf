import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { Effect, FileEffect } from '../../contract/effect.js';
import { realPathSync } from '../files/paths.js';
import { createCommandAnalyzer } from './command-effects.js';

const analyzer = createCommandAnalyzer({ path: '' }); // the programs of the machine must not matter
const place = { cwd: '/project', home: '/home/me' };

interface Row {
  command: string;
  /** Every command in it is harmless and nothing is written or unknown; reads outside the project are still reported. */
  harmless: boolean;
  commands: string[];
  reads?: string[];
  writes?: string[];
  unknown?: true;
}

/** A file in a few characters: relative to the project, `-` when it is removed, `/**` for a tree, `?` when not known. */
function shortFile({ path, tree, removes, unresolved, pattern, listing }: FileEffect): string {
  const where = pattern ?? path;
  const name = unresolved === undefined ? (where === '/project' ? '.' : where.replace(/^\/project\//, '')) : '?';
  return `${removes ? '-' : ''}${listing ? 'names in ' : ''}${name}${tree && unresolved === undefined && pattern === undefined ? '/**' : ''}`;
}

function toRow(command: string, effects: readonly Effect[]): Row {
  const files = (access: 'read' | 'write'): string[] =>
    effects.filter((effect): effect is FileEffect => effect.kind === 'file' && effect.access === access).map(shortFile);
  const commands = effects.filter((effect) => effect.kind === 'command');
  const unknown = effects.some(({ kind }) => kind === 'unknown' || kind === 'network');
  const [reads, writes] = [files('read'), files('write')];
  return {
    command,
    harmless: commands.every(({ harmless }) => harmless) && writes.length === 0 && !unknown,
    commands: commands.map(({ text }) => text),
    ...(reads.length > 0 && { reads }),
    ...(writes.length > 0 && { writes }),
    ...(unknown && { unknown }),
  };
}

const lines = readFileSync('test/fixtures/commands.jsonl', 'utf8').trim().split('\n');
// The file is ours; what it says is compared field by field below.
const rows = lines.map((line) => JSON.parse(line) as Row);

test('the table of commands is complete', () => {
  expect(rows.length).toBeGreaterThan(1_000);
});

test.each(rows.map((row) => [row.command, row] as const))('%s', async (command, row) => {
  expect(toRow(command, await analyzer.effects(command, place))).toEqual(row);
});

async function effectsOf(command: string): Promise<Effect[]> {
  return await analyzer.effects(command, place);
}

test('a wrapper and the wrapped command are two commands, and the second refers to the first', async () => {
  expect(await effectsOf('timeout 5 npm test')).toEqual([
    { kind: 'command', text: 'timeout 5 npm test', argv: ['timeout', '5', 'npm', 'test'], harmless: true },
    {
      kind: 'command',
      text: 'npm test',
      argv: ['npm', 'test'],
      harmless: false,
      why: 'npm is not known to be harmless in this form',
      wrappedBy: 0,
    },
    { kind: 'session', access: 'read', what: 'cwd' },
  ]);
});

test('variables that are set for a command are listed, and unsafe ones are marked', async () => {
  const [harmless] = await effectsOf('NODE_ENV=test npm test');
  expect(harmless).toMatchObject({ text: 'npm test', assigns: ['NODE_ENV'] });
  expect(harmless).not.toHaveProperty('assignsUnsafely');
  expect((await effectsOf('PATH=. NO_COLOR=1 npm test'))[0]).toMatchObject({
    assigns: ['PATH', 'NO_COLOR'],
    assignsUnsafely: true,
  });
});

test('an unknown word is null among the words, and there is no argv', async () => {
  const [command] = await effectsOf('rm -rf "$DIR" x');
  expect(command).toMatchObject({ text: 'rm -rf "$DIR" x', words: ['rm', '-rf', null, 'x'] });
  expect(command).not.toHaveProperty('argv');
});

test('a file effect says which command names it, and how', async () => {
  const files = (await effectsOf('cat a.txt && echo x > b.txt')).filter((effect) => effect.kind === 'file');
  expect(files.map(({ path, access, by }) => ({ path, access, by }))).toEqual([
    { path: '/project/a.txt', access: 'read', by: { command: 0, as: 'operand' } },
    { path: '/project/b.txt', access: 'write', by: { command: 1, as: 'redirection' } },
  ]);
});

test('a glob has its fixed part as path, and its pattern', async () => {
  expect((await effectsOf('rm src/*.log')).find(({ kind }) => kind === 'file')).toMatchObject({
    path: '/project/src',
    pattern: '/project/src/*.log',
    tree: true,
    removes: true,
  });
});

test('a word that can name any file counts as a file anywhere', async () => {
  expect((await effectsOf('cat $F')).find(({ kind }) => kind === 'file')).toEqual({
    kind: 'file',
    access: 'read',
    path: '/',
    real: '/',
    tree: true,
    unresolved: '$F',
    by: { command: 0, as: 'operand' },
  });
});

test('only a cd in the shell itself changes the working directory', async () => {
  const writes = async (command: string): Promise<boolean> =>
    (await effectsOf(command)).some((effect) => effect.kind === 'session' && effect.access === 'write');
  expect(await writes('cd src && ls')).toBe(true);
  expect(await writes('pushd src')).toBe(true);
  expect(await writes('(cd src && ls)')).toBe(false);
  expect(await writes('ls | cd src')).toBe(false);
  expect(await writes('ls "unfinished')).toBe(true);
});

test('a file is known by its real path, also behind symlinks and after .. from them', async () => {
  const folder = realPathSync(await mkdtemp(join(tmpdir(), 'helve-command-')));
  await mkdir(join(folder, 'elsewhere/deep'), { recursive: true });
  await mkdir(join(folder, 'project'));
  await writeFile(join(folder, 'elsewhere/secret'), '');
  await symlink(join(folder, 'elsewhere/deep'), join(folder, 'project/link'));
  const real = async (command: string): Promise<string[]> => {
    const effects = await analyzer.effects(command, { cwd: join(folder, 'project') });
    return effects.filter((effect) => effect.kind === 'file').map((effect) => relative(folder, effect.real));
  };
  expect(await real('cat link/../secret')).toEqual(['elsewhere/secret']);
  expect(await real('cat link/../missing/x')).toEqual(['elsewhere/missing/x']);
  expect(await real('cat link/new')).toEqual(['elsewhere/deep/new']);
  expect(await real('cd link && cat ../secret')).toEqual(['elsewhere/deep', 'elsewhere/secret']);
});

test('a symlink that a glob matches reads its target, also within the same folder', async () => {
  const folder = realPathSync(await mkdtemp(join(tmpdir(), 'helve-command-')));
  await writeFile(join(folder, '.env'), '');
  await symlink('.env', join(folder, 'link'));
  for (const command of ['cat l*', 'head -5 li??', 'grep KEY ./l*', 'sort ./lin*', 'nl [l]ink']) {
    const effects = await analyzer.effects(command, { cwd: folder });
    const files = effects.filter((effect) => effect.kind === 'file');
    expect(
      files.map(({ real }) => real),
      command,
    ).toContain(join(folder, '.env'));
  }
});

test.each(['grep -R x .', 'find -L . -name x', 'du -L .', 'rg -L x', 'find . -follow'])(
  'an option that follows symlinks reads their targets: %s',
  async (command) => {
    const outside = realPathSync(await mkdtemp(join(tmpdir(), 'helve-outside-')));
    const cwd = realPathSync(await mkdtemp(join(tmpdir(), 'helve-links-')));
    await mkdir(join(cwd, 'a'));
    await symlink(outside, join(cwd, 'a/link'));
    const read = async (text: string): Promise<string[]> =>
      (await analyzer.effects(text, { cwd })).flatMap((effect) => (effect.kind === 'file' ? [effect.real] : []));
    expect(await read(command)).toEqual([cwd, outside]);
    expect(await read('grep -r x .')).toEqual([cwd]);
  },
);

test('a comparison of folders reads the targets of symlinks in them', async () => {
  const folder = realPathSync(await mkdtemp(join(tmpdir(), 'helve-command-')));
  await mkdir(join(folder, 'project/src'), { recursive: true });
  await writeFile(join(folder, 'secret'), '');
  await symlink('../../secret', join(folder, 'project/src/link'));
  const reads = async (command: string): Promise<string[]> => {
    const effects = await analyzer.effects(command, { cwd: join(folder, 'project') });
    return effects.flatMap((effect) => (effect.kind === 'file' ? relative(folder, effect.real) : []));
  };
  expect(await reads('diff -r src .')).toContain('secret');
  expect(await reads('diff src .')).toContain('secret');
  expect(await reads('diff -r --no-dereference src .')).not.toContain('secret');
});

test('a command of any length is analysed, and a long one counts as unknown', async () => {
  const long = await effectsOf(`echo ${'a'.repeat(12_000)}; rm x`);
  expect(long.filter(({ kind }) => kind === 'unknown')).toHaveLength(1);
  expect(long.some((effect) => effect.kind === 'command' && effect.text === 'rm x')).toBe(true);
  const many = await effectsOf('ls;'.repeat(300));
  expect(many.some(({ kind }) => kind === 'unknown')).toBe(true);
  const deep = await effectsOf(`${'('.repeat(3_000)}ls${')'.repeat(3_000)}`);
  expect(deep.some(({ kind }) => kind === 'unknown')).toBe(true);
  const huge = await effectsOf(`ls ${'x '.repeat(600_000)}`);
  expect(huge.some(({ kind }) => kind === 'unknown')).toBe(true);
});

test('a name that is too long for any file is no file effect, so there is nothing to ask about', async () => {
  const effects = await analyzer.effects(`cat ${'a'.repeat(300)} b`, { cwd: tmpdir() });
  expect(effects.flatMap((effect) => (effect.kind === 'file' ? effect.path : []))).toEqual([join(tmpdir(), 'b')]);
  expect(effects.filter(({ kind }) => kind === 'unknown')).toEqual([]);
});

test('a repeated analysis comes from the cache, and is done again for another directory', async () => {
  const first = await analyzer.effects('cat a', { cwd: '/one' });
  expect(await analyzer.effects('cat a', { cwd: '/one' })).toEqual(first);
  expect(await analyzer.effects('cat a', { cwd: '/two' })).not.toEqual(first);
  expect(await analyzer.effects('cat ~/a', { cwd: '/one' })).toContainEqual(
    expect.objectContaining({ unresolved: '~/a' }),
  );
});
