import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeRequest, startFakeModelServer } from '../../src/testing/index.js';

const prelude = `
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent } from 'helve';
import { chooseModel } from 'helve/models';
const [folder, count] = [process.argv[1], Number(process.argv[2])];
const open = () => readdirSync('/proc/self/fd').flatMap((fd) => {
  try {
    return [fd + ' ' + readlinkSync('/proc/self/fd/' + fd)];
  } catch {
    return [];
  }
});
const named = (pid) => {
  try {
    return pid + ' ' + readFileSync('/proc/' + pid + '/stat', 'utf8').split(' ').slice(1, 3).join(' ');
  } catch {
    return pid + ' (ended meanwhile)';
  }
};
const pidsOfChildren = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').filter(Boolean);
const children = () => pidsOfChildren().map(named).join(', ');
const before = open();
const held = () => ({ descriptors: open().filter((one) => !before.includes(one)), children: children() });
const agentIn = async (name) => createAgent({
  model: await chooseModel('anthropic/claude-test'),
  root: folder + '/' + name,
  permissionMode: 'bypassPermissions',
  keepSession: true,
});
const failures = (agent) => agent.messages.flatMap(({ content }) => content.filter((block) => block.is_error).map((block) => block.content));
`;

/** Runs a program that uses the library, in a process of its own, against a model that reads, edits and runs commands. */
async function program(text: string, count: number, { limit = 4_096 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'helve-held-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (let number = 0; number < count; number += 1) {
    await mkdir(join(folder, String(number)));
    await writeFile(join(folder, String(number), 'a.txt'), 'x\n');
  }
  const server = await startFakeModelServer(answer);
  onTestFinished(() => server.close());
  const args = ['--input-type=module', '-e', `${prelude}${text}`, folder, String(count)];
  const { stdout } = await promisify(execFile)(
    '/bin/bash',
    ['-c', `ulimit -n ${limit}; exec "$@"`, 'bash', process.execPath, ...args],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        HELVE_HOME: join(folder, 'home'),
        TMPDIR: tmpdir(),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-test',
      },
    },
  );
  return JSON.parse(stdout);
}

function answer({ body }: FakeRequest) {
  switch (body.messages.length) {
    case 1:
      return { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] };
    case 3:
      return { calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'x', new_string: 'y' } }] };
    case 5:
      return {
        calls: [
          { name: 'Bash', input: { command: 'ls' } },
          { name: 'Bash', input: { command: 'touch made' } },
        ],
      };
    default:
      return { text: 'Done.' };
  }
}

const isLinux = process.platform === 'linux';

test.runIf(isLinux)('an agent holds at most 6 descriptors and no process ten seconds after a prompt', async () => {
  const text = `
const agent = await agentIn('0');
await agent.run('go').result;
const end = performance.now() + 10_000;
while (performance.now() < end && (held().descriptors.length > 6 || held().children !== '')) await delay(100);
console.log(JSON.stringify({ ...held(), failures: failures(agent) }));
process.exit();`;
  const { descriptors, children, failures } = await program(text, 1);
  expect(failures).toEqual([]);
  expect(children).toBe('');
  expect(descriptors.length, descriptors.join('\n')).toBeLessThanOrEqual(6);
});

test.runIf(isLinux)('agents that have ended leave no descriptor, no connection and no process', async () => {
  const text = `
const seen = [];
for (let number = 0; number < count; number += 1) {
  const agent = await agentIn(String(number));
  await agent.run('go').result;
  await agent.end();
  await new Promise((done) => setImmediate(done)); // streams close in the next turn of the event loop
  seen.push(...held().descriptors);
}
console.log(JSON.stringify({ ...held(), seen }));`;
  expect(await program(text, 5)).toEqual({ descriptors: [], children: '', seen: [] });
});

// 500 of them at 4,096 are the same, and take minutes.
const [many, limit] = process.env['HELVE_SOAK'] ? [500, 4_096] : [24, 256];
test.runIf(isLinux)(
  'many agents can be open where few files may be, and work in turn',
  async () => {
    const text = `
const agents = await Promise.all(Array.from({ length: count }, (_, number) => agentIn(String(number))));
const results = await Promise.all(agents.map((agent) => agent.run('go').result));
const outcomes = [...new Set(results.map(({ outcome }) => outcome))];
console.log(JSON.stringify({ outcomes, failures: agents.flatMap(failures) }));
await Promise.all(agents.map((agent) => agent.end()));`;
    expect(await program(text, many, { limit })).toEqual({ outcomes: ['completed'], failures: [] });
  },
  600_000,
);
