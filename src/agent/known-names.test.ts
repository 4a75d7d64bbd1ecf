import { expect, test } from 'vitest';
import { readSettings } from '../settings/load.js';
import { machine, project } from '../testing/temporary-machine.js';
import { knownNames } from './known-names.js';

test('a rule may name built-in agent types and those with a file, and other names are reported', async () => {
  const deny = ['Explore', 'claude-code-guide', 'deploy', 'reviewer', 'release', 'helper', 'revewer'];
  const place = machine({
    [project]: { permissions: { deny: deny.map((type) => `Agent(${type})`) } },
    'project/.claude/agents/deploy.md': '---\ndescription: d\n---\nname: helper',
    'project/.helve/agents/review.md': '---\ndescription: Reviews\nname: "reviewer"\n---\nYou review.',
    'home/.helve/agents/one.md': '---\r\nname: release # for Fridays\r\n---\r\n',
    'home/.claude/agents/two.md': 'name: helper',
  });
  const { problems } = await readSettings({ ...place, ...knownNames(place) });
  expect(problems.map(({ severity, message }) => [severity, message.replace(/^.*?: /, '')])).toEqual([
    ['warning', '"Agent(helper)" names no type of agent that there is. Check the name, or remove it.'],
    [
      'warning',
      '"Agent(revewer)" names no type of agent that there is. Did you mean "Task(reviewer)"? It guards nothing now.',
    ],
  ]);
});
