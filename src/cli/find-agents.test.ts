import { expect, test } from 'vitest';
import { machine } from '../testing/temporary-machine.js';
import { findAgents } from './find-agents.js';

const agent = (name: string): string => `---\nname: ${name}\ndescription: d\n---\nYou help.\n`;

const found = async (files: Readonly<Record<string, string>>, isTrusted = false, env = {}) => {
  const { root, home, dataFolder } = machine(files);
  return (await findAgents({ root, home, dataFolder, env, isTrusted })).map(({ state, detail }) => [state, detail]);
};

test('prints nothing without custom agents', async () => {
  expect(await found({})).toEqual([]);
});

test('lists agents, reports a broken file, and names agents that need trust first', async () => {
  const files = {
    'home/.helve/agents/mine.md': agent('mine'),
    'home/.claude/agents/bad.md': agent('a b'),
    'project/.claude/agents/theirs.md': agent('theirs'),
  };
  const broken = [
    'broken',
    expect.stringMatching(/bad\.md: line 2: "name" must have letters.* The agent is left out\.$/),
  ];
  expect(await found(files)).toEqual([
    ['ok', 'mine'],
    broken,
    ['missing', 'those in .claude/agents are ignored: this folder is not trusted. See helve config trust.'],
  ]);
  expect(await found(files, true)).toEqual([['ok', 'theirs, mine'], broken]);
});

test('CLAUDE_CONFIG_DIR replaces ~/.claude', async () => {
  const { root, home, dataFolder, path } = machine({
    'elsewhere/agents/far.md': agent('far'),
    'home/.claude/agents/near.md': agent('near'),
  });
  const env = { CLAUDE_CONFIG_DIR: path('elsewhere') };
  expect(await findAgents({ root, home, dataFolder, env, isTrusted: false })).toMatchObject([{ detail: 'far' }]);
});
