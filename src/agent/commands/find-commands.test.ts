import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { commandPlaces } from './command-places.js';
import { findCommands } from './find-commands.js';

function machine(files: Readonly<Record<string, string>>) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-commands-')));
  for (const [name, text] of Object.entries({ 'home/x': '', 'project/x': '', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  const place = { root, home, dataFolder: join(home, '.helve'), env: {} };
  const rules = { ...place, boundary: root, trusted: false, mayRead: () => true };
  const find = async ({ trusted = false } = {}) => await findCommands(commandPlaces(place), { ...rules, trusted });
  return { folder, place, find };
}

test('finds commands and skills of the person and the project, each name once', async () => {
  const { find } = machine({
    'home/.helve/commands/a.md': 'mine',
    'home/.claude/commands/a.md': 'mine too',
    'home/.claude/skills/s/SKILL.md': 'skill',
    'project/.claude/commands/a.md': 'theirs',
    'project/.claude/commands/git/deep/b.md': 'deep',
    'project/.helve/commands/s.md': 'not the skill',
    'project/.helve/skills/t/skill.md': 'small letters',
    'project/.helve/skills/none/README.md': 'no skill',
    'project/.helve/commands/notes.txt': 'no command',
    'project/.helve/commands/odd name.md': 'nobody could type it',
  });
  const found = (await find()).map(({ name, kind, source, shown, body }) => [name, kind, source, shown, body]);
  expect(found).toEqual([
    ['a', 'command', 'user', '~/.helve/commands/a.md', 'mine'],
    ['git:deep:b', 'command', 'project', '.claude/commands/git/deep/b.md', 'deep'],
    ['s', 'skill', 'user', '~/.claude/skills/s/SKILL.md', 'skill'],
    ['t', 'skill', 'project', '.helve/skills/t/skill.md', 'small letters'],
  ]);
});

test('the command of a project replaces one of the person only if the project is trusted', async () => {
  const { find } = machine({
    'home/.helve/commands/commit.md': 'mine',
    'project/.claude/commands/commit.md': 'theirs',
    'project/.helve/commands/commit.md': 'theirs too',
  });
  expect((await find()).map(({ body }) => body)).toEqual(['mine']);
  expect((await find({ trusted: true })).map(({ body }) => body)).toEqual(['theirs too']);
});

test('there are no places to search if no such folder exists', () => {
  expect(commandPlaces(machine({}).place)).toEqual([]);
});

test('in the home folder, commands of the person are not listed again as those of the project', async () => {
  const { place } = machine({ 'home/.claude/commands/a.md': 'mine' });
  const [only, ...others] = commandPlaces({ ...place, root: place.home });
  expect([only?.source, others]).toEqual(['user', []]);
});

test('a folder that links to itself is skipped, and a pipe and a binary file are reported without waiting', async () => {
  const { folder, find } = machine({
    'project/.helve/commands/a.md': 'fine',
    'project/.helve/commands/bytes.md': 'a\0b',
  });
  const commands = join(folder, 'project/.helve/commands');
  symlinkSync('.', join(commands, 'again'));
  execFileSync('mkfifo', [join(commands, 'pipe.md')]);
  const found = (await find()).map(({ name, problem }) => [name, problem]);
  expect(found).toEqual([
    ['a', undefined],
    ['bytes', ".helve/commands/bytes.md can't be used: it is not a text."],
    ['pipe', expect.stringContaining('is a')],
  ]);
});

test('reads .agents/skills of the person, and of a trusted project up to the root of its repository', async () => {
  const { folder, place } = machine({
    'home/.agents/skills/mine/SKILL.md': 'of the person',
    'project/.agents/skills/outer/SKILL.md': 'outer',
    'project/.agents/skills/both/SKILL.md': 'outer',
    'project/inner/.agents/skills/both/SKILL.md': 'inner',
    '.agents/skills/above/SKILL.md': 'above the repository',
  });
  execFileSync('git', ['init', '-q'], { cwd: join(folder, 'project') });
  const inner = { ...place, root: join(folder, 'project/inner') };
  const rules = { ...inner, boundary: join(folder, 'project'), mayRead: () => true };
  const find = async (trusted: boolean) => await findCommands(commandPlaces(inner), { ...rules, trusted });
  expect((await find(false)).map(({ name }) => name)).toEqual(['mine']);
  const found = await find(true);
  expect(found.map(({ name, body, warning }) => [name, body, warning])).toEqual([
    ['both', 'inner', '../.agents/skills/both/SKILL.md is not used: .agents/skills/both/SKILL.md has the same name.'],
    ['mine', 'of the person', undefined],
    ['outer', 'outer', undefined],
  ]);
});

test('a skill that is there twice with the same text is not reported', async () => {
  const { find } = machine({
    'project/.claude/skills/s/SKILL.md': 'the same',
    'project/.agents/skills/s/SKILL.md': 'the same',
  });
  expect((await find({ trusted: true })).map(({ name, warning }) => [name, warning])).toEqual([['s', undefined]]);
});
