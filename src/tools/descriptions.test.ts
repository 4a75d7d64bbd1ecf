import { expect, test } from 'vitest';
import { builtInTools } from './index.js';

async function described(name: string): Promise<string> {
  const tool = builtInTools().find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return await tool.describe({ root: '/p', mode: 'repl', deferredTools: [], editStyle: 'text' });
}

test.each([
  ['Bash', 'the working directory carries over, variables and functions do not'],
  ['Bash', 'Risky commands ask the user'],
  ['Bash', 'Stopped after 120 s'],
  ['Bash', 'Not where a tool does it'],
  ['Edit', 'For several changes use MultiEdit, for a rewrite Write'],
  ['Write', 'For small changes use Edit'],
  ['Read', 'Find files with Glob and Grep first'],
  ['Read', 'go on with offset and limit'],
])('the description of %s says: %s', async (name, sentence) => {
  expect(await described(name)).toContain(sentence);
});

test.each(['Read', 'Glob', 'Grep', 'Edit', 'Write'])('the description of Bash names %s for its work', async (name) => {
  const advice = (await described('Bash')).split('\n').find((line) => line.includes('Not where a tool does it'));
  expect(advice).toMatch(new RegExp(`\\b${name}\\b`));
});
