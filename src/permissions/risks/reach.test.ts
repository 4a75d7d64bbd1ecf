import { expect, test } from 'vitest';
import { createCommandAnalyzer } from '../../platform/shell/command-effects.js';
import { toolTable } from '../../tools/index.js';
import { assessRisks } from './assess-risks.js';

test('what can not be undone and reaches furthest comes first, whatever the order of the commands', async () => {
  const parts = [
    'rm -rf dist',
    'rm -rf .git',
    'sudo true',
    'npm publish',
    'git push --force',
    'rm -rf /srv/data',
    'rm -rf /',
    'mkfs.ext4 /dev/sdb1',
    'dd if=/dev/zero of=/dev/sda',
  ];
  const analyzer = createCommandAnalyzer({ path: '/usr/bin:/bin' });
  const places = { project: ['/project'], workspace: ['/project'], home: ['/home/me'], tools: toolTable() };
  const judged = async (command: string) => {
    const effects = await analyzer.effects(command, { cwd: '/project', home: '/home/me', workspace: ['/project'] });
    return assessRisks({ tool: 'Bash', input: {}, effects }, places).map(({ text }) => text);
  };
  const expected = [
    'erases everything on /dev/sdb1',
    'overwrites the disk /dev/sda',
    'deletes /: it is the root of the file system',
    'deletes /srv/data and everything in it, outside the project',
    'overwrites commits of the current branch on the remote (force push)',
    'publishes this package to the registry',
    'runs with the rights of the administrator',
    'deletes .git and everything in it',
    'deletes dist and everything in it',
  ];
  expect(await judged(parts.join('; '))).toEqual(expected);
  expect((await judged(parts.toReversed().join('; '))).slice(2)).toEqual(expected.slice(2));
});
