import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

// Two agents at once in one process: one by HELVE_HOME and with all rights, one by options and with none.
const program = `
import { createAgent } from 'helve';
import { scriptedModel } from 'helve/models';
const listeners = () => Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const [before, variables, cwd, globals] = [listeners(), { ...process.env }, process.cwd(), Object.keys(globalThis)];
const agentWith = (name, options) => createAgent({ ...options, model: scriptedModel({ name, turns: [
  { calls: [{ name: 'Bash', input: { command: 'cd sub && echo ' + name + ' > new.txt && pwd' } }] },
  { calls: [{ name: 'Bash', input: { command: 'pwd' } }] },
  { text: 'Done.' },
] }) });
const agents = [
  agentWith('one', { root: process.argv[1], permissionMode: 'bypassPermissions', keepSession: true }),
  agentWith('two', { root: process.argv[2], dataFolder: process.argv[3], permissionMode: 'dontAsk' }),
];
const results = await Promise.all(agents.map(async (agent) => (await agent.run('Go.').result).denials.length));
await Promise.all(agents.map((agent) => agent.end()));
console.log(JSON.stringify({
  results,
  cwds: agents.map(({ engine }) => engine.cwd),
  listeners: [before, listeners()],
  unchanged: [process.cwd() === cwd, JSON.stringify(variables) === JSON.stringify({ ...process.env })],
  globals: Object.keys(globalThis).filter((name) => !globals.includes(name)),
}));
`;

test('agents in one process share nothing, install no listeners, and write into their own folders only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-isolation-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const place = (name: string): string => join(folder, name);
  for (const name of ['one/sub', 'two/sub', 'home', 'tmp']) await mkdir(place(name), { recursive: true });
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program, place('one'), place('two'), place('two-data')],
    { env: { PATH: process.env['PATH'], HOME: place('home'), TMPDIR: place('tmp'), HELVE_HOME: place('one-data') } },
  );
  expect(stderr).toBe('');
  const { listeners, ...seen } = JSON.parse(stdout);
  expect(seen).toEqual({
    results: [0, 1],
    cwds: [place('one/sub'), place('two')],
    unchanged: [true, true],
    globals: [],
  });
  expect(listeners[1]).toEqual(listeners[0]);
  const left = await readdir(folder, { recursive: true });
  const own = left.filter((path) => !/^(?:one|two)-data(?:\/|$)/.test(path)).sort();
  expect(own).toEqual(['home', 'one', 'one/sub', 'one/sub/new.txt', 'tmp', 'two', 'two/sub']);
});
