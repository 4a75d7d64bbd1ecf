import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

/** What the model is sent, with these sources of settings. */
async function sentWith(sources: string | undefined): Promise<string> {
  const server = await startFakeModelServer([
    { calls: [{ name: 'Read', input: { file_path: 'secret.txt' } }] },
    { text: 'Done.' },
  ]);
  onTestFinished(() => server.close());
  const [home, cwd] = [await mkdtemp(join(tmpdir(), 'helve-home-')), await emptyFolder()];
  await mkdir(join(home, '.helve'));
  await writeFile(join(home, '.helve/AGENTS.md'), 'Instructions of the person.');
  await writeFile(join(cwd, 'AGENTS.md'), 'Instructions of the project.');
  await writeFile(
    join(home, '.helve/settings.json'),
    JSON.stringify({ permissions: { deny: ['Read(//**/secret.txt)'] } }),
  );
  await writeFile(join(cwd, 'secret.txt'), 'the secret');
  const flags = sources === undefined ? [] : [`--setting-sources=${sources}`];
  const env = { HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
  const { code, stderr } = await runHelve(['-p', 'go', ...flags], { cwd, env });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return server.requests.map(({ text }) => text).join('\n');
}

test.each([
  [undefined, true, true],
  ['user,project,local', true, true],
  ['user', true, false],
  ['project', false, true],
  ['', false, false],
])(
  '--setting-sources %j: the instructions of the person %s, of the project %s',
  async (sources, ofPerson, ofProject) => {
    const sent = await sentWith(sources);
    expect(sent.includes('Instructions of the person.')).toBe(ofPerson);
    expect(sent.includes('Instructions of the project.')).toBe(ofProject);
    expect(sent).not.toContain('the secret'); // a deny rule applies whatever the sources are
  },
);
