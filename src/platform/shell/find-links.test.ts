import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCommandAnalyzer } from './command-effects.js';

async function projectWithLinks(): Promise<{ root: string; outside: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-links-')));
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'helve-elsewhere-')));
  await writeFile(join(outside, 'secret'), 'x');
  await mkdir(join(root, 'd'));
  await writeFile(join(root, 'a.txt'), '');
  await symlink(join(outside, 'secret'), join(root, 'zlink'));
  await symlink(outside, join(root, 'd', 'l'));
  await symlink('a.txt', join(root, 'inside'));
  return { root, outside };
}

test.each([
  'cat zl*',
  'cat *',
  'cat ./z?ink',
  'cat [xyz]link',
  'head d/*/secret',
  'for f in zl*; do cat "$f"; done',
  'find . -name zlink | xargs cat',
  'find . -name zlink -exec cat {} +',
  'ls | xargs cat',
  'find . -type l | xargs -n1 timeout 5 cat',
  'for f in $(find . -name zlink); do cat "$f"; done',
  'for f in $(ls); do cat $f; done',
])('finds the targets of symlinks that %s reads', async (command) => {
  const { root, outside } = await projectWithLinks();
  const effects = await createCommandAnalyzer().effects(command, { cwd: root });
  const reals = effects.flatMap((effect) => (effect.kind === 'file' && !effect.listing ? [effect.real] : []));
  expect(reals.some((real) => real.startsWith(outside) || real === '/')).toBe(true);
});

test.each(['cat a*', 'ls *', 'find . -name zlink', 'grep -r x .', 'timeout 5 grep -r x .', 'cat in*'])(
  'lists nothing outside for %s, which follows no symlink out of the project',
  async (command) => {
    const { root, outside } = await projectWithLinks();
    const effects = await createCommandAnalyzer().effects(command, { cwd: root });
    const reals = effects.flatMap((effect) => (effect.kind === 'file' && !effect.listing ? [effect.real] : []));
    expect(reals.filter((real) => real.startsWith(outside))).toEqual([]);
  },
);
