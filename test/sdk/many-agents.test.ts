import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const AGENTS = 60;
const MOST_CALLS = 6; // names of folders: the project, the data folder, the home folder

// A loop in which a program creates its agents holds the event loop as long as it takes, so each must take little.
test('to create an agent takes only a few file-system calls, however many there are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-many-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'project'));
  const program = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let calls = 0;
const counted = (call) => Object.assign((...args) => {
  calls += 1;
  return call(...args);
}, call);
for (const name of Object.keys(fs)) if (name.endsWith('Sync')) fs[name] = counted(fs[name]);
fs.realpathSync.native = counted(fs.realpathSync.native);
syncBuiltinESMExports();
const { createAgent } = await import('helve');
const { chooseModel } = await import('helve/models');
const model = await chooseModel('anthropic/claude-test', process.env);
const create = () => createAgent({ model, root: process.argv[1], keepSession: true });
create(); // what is loaded or made once
calls = 0;
const agents = Array.from({ length: ${AGENTS} }, create);
console.log(JSON.stringify({ calls, ids: new Set(agents.map(({ id }) => id)).size }));
process.exit();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program, join(folder, 'project')],
    {
      env: { PATH: process.env['PATH'], HOME: folder, HELVE_HOME: join(folder, 'home'), ANTHROPIC_API_KEY: 'sk-test' },
    },
  );
  const { calls, ids } = JSON.parse(stdout);
  expect(ids).toBe(AGENTS);
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThanOrEqual(AGENTS * MOST_CALLS);
});
