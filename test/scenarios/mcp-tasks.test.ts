// Calls that MCP servers turn into tasks, through the command line, with servers that outlive it or end with it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type FakeAnswer,
  type FakeModelServer,
  type FakeRequest,
  startFakeModelServer,
} from '../../src/testing/index.js';
import { until } from '../../src/testing/watch-processes.js';
import { emptyFolder, type HelveRun, runHelve, shareCode } from '../cli/run-helve.js';
import { everythingServer } from '../counterparts.js';
import { type EraServer, eraServer } from './mcp-eras.js';

const NEVER = new Promise<never>(() => {});
const official = everythingServer();
const everything = {
  command: process.execPath,
  args: [official.path, 'stdio'],
};

interface Person {
  /** One run of `helve -p`, whose model answers with these; a function gets all that was sent. */
  run(answers: ReadonlyArray<FakeAnswer | Answering>, options?: RunOptions): Promise<HelveRun & { sent: string[] }>;
}

type Answering = (sent: string, kill: () => void) => FakeAnswer | Promise<FakeAnswer>;

interface RunOptions {
  args?: string[];
  /** `kill`: with SIGKILL, by default. */
  onStart?(kill: (signal?: NodeJS.Signals) => void): void;
}

/** A person who has one server, in a folder of their own. */
async function personWith(name: string, entry: object, settings: object = {}): Promise<Person> {
  const cwd = await emptyFolder();
  shareCode(join(cwd, 'data'));
  const own = {
    mcpServers: { [name]: { ...entry, alwaysLoad: true } },
    permissions: { allow: [`mcp__${name}`] },
    ...settings,
  };
  await writeFile(join(cwd, 'data/settings.json'), JSON.stringify(own));
  return {
    async run(answers, { args = [], onStart } = {}) {
      let kill = (_signal?: NodeJS.Signals): void => {};
      const server: FakeModelServer = await startFakeModelServer((request, number) => {
        const answer = answers[number] ?? { text: 'done' };
        return typeof answer === 'function' ? answer(lastMessage(request), kill) : answer;
      });
      onTestFinished(() => server.close());
      const env = { HELVE_HOME: join(cwd, 'data'), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
      const run = await runHelve(['-p', 'go', ...args], {
        cwd,
        env,
        onStart(signal) {
          kill = (name = 'SIGKILL') => signal(name);
          onStart?.(kill);
        },
      });
      expect(server.refused).toEqual([]);
      return { ...run, sent: server.requests.map(lastMessage) };
    },
  };
}

const lastMessage = ({ body }: FakeRequest): string => JSON.stringify(body.messages.at(-1));

const idIn = (text: string): string => /ID:? (m[0-9a-f]{8})/.exec(text)?.[1] ?? 'none';

const call = (name: string, input: object): FakeAnswer => ({ calls: [{ name, input: { ...input } }] });

const look: Answering = (sent) => call('AgentOutput', { agentId: idIn(sent) });

const atOnce = { mcp: { taskWaitMs: 0 } };

const callsOf = async (server: EraServer): Promise<number> =>
  (await server.asked()).filter((method) => method === 'tools/call').length;

test('a long task goes to the background, and the model gets its result with images before it may end', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { run } = await personWith('era', server.entry, atOnce);
  const { sent, code } = await run([
    call('mcp__era__task', { ends: 'later' }),
    async () => {
      await server.become({ era: 'modern', done: true });
      return { text: 'I wait.' };
    },
    (end) => call('AgentOutput', { agentId: /background task (m\w+)/.exec(end)?.[1] ?? 'none' }),
  ]);
  expect(sent[1]).toMatch(/moved to the background at once with ID: m\w+\. It is running: begun\./);
  expect(sent[2]).toMatch(
    /The background task m\w+ \(era: task later\) has ended: done\. AgentOutput gives its result\./,
  );
  expect(sent[3]).toMatch(/"done \[\]".*"type":"image"/);
  expect(sent.join('').match(/has ended/g)).toHaveLength(2); // the reminder, and the reason not to end
  expect(sent).toHaveLength(4);
  expect(code).toBe(0);
  expect(await callsOf(server)).toBe(1);
});

test('a task in the background survives kill -9, also twice: it is asked for again, never begun again, and its result is given once', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { run } = await personWith('era', server.entry, atOnce);
  const killed = await run([
    call('mcp__era__task', { ends: 'later' }),
    (_, kill) => {
      kill();
      return NEVER;
    },
  ]);
  expect(killed.signal).toBe('SIGKILL');
  const killedAgain = await run(
    [
      (_, kill) => {
        kill();
        return NEVER;
      },
    ],
    { args: ['--continue'] },
  );
  expect(killedAgain.signal).toBe('SIGKILL');
  await server.become({ era: 'modern', done: true });
  const resumed = await run([look], { args: ['--continue'] });
  expect(resumed.sent[0]).toMatch(/\(era: task later\), a background task with ID m\w+, continues on its server/);
  expect(resumed.sent[1]).toMatch(/"done \[\]".*"type":"image"/);
  expect(resumed.sent.join('')).not.toContain('unknown');
  const later = await run([{ text: 'fine' }], { args: ['--continue'] });
  expect(later.sent).toHaveLength(1);
  expect(later.sent[0]).not.toContain('background task');
  expect(await callsOf(server)).toBe(1);
});

test('a task that is waited for survives kill -9, and its call counts as answered by it', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { run } = await personWith('era', server.entry);
  const killed = await run([call('mcp__era__task', { ends: 'later' })], {
    onStart: (kill) => void until(async () => (await server.asked()).includes('tasks/get')).then(() => kill()),
  });
  expect(killed.signal).toBe('SIGKILL');
  const resumed = await run(
    [
      async (sent) => {
        await server.become({ era: 'modern', done: true });
        return look(sent, () => {});
      },
    ],
    { args: ['--continue'] },
  );
  expect(resumed.sent[1]).toContain('done []');
  expect(resumed.stderr).not.toContain('may or may not have taken effect');
  expect(await callsOf(server)).toBe(0);
});

test.each([
  ['its server does not know any more', { forgets: true }, 'There is no such task', []],
  ['its server is not configured for any more', {}, 'is not configured here any more', ['--strict-mcp-config']],
])('a task that %s has an unknown outcome, which is said once', async (_, state, why, args) => {
  const server = await eraServer('http', { era: 'modern' });
  const { run } = await personWith('era', server.entry, atOnce);
  const killed = await run([
    call('mcp__era__task', { ends: 'later' }),
    (_sent, kill) => {
      kill();
      return NEVER;
    },
  ]);
  expect(killed.signal).toBe('SIGKILL');
  await server.become({ era: 'modern', ...state });
  const { sent } = await run([{ text: 'I wait.' }], { args: ['--continue', ...args] });
  expect(sent.join('')).toContain('outcome');
  expect(sent.join('')).toContain(why);
  const later = await run([{ text: 'fine' }], { args: ['--continue', ...args] });
  expect(later.sent.join('')).not.toContain('outcome');
  expect(await callsOf(server)).toBe(1);
});

test('KillShell cancels a task, and so does the end of the session', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { run } = await personWith('era', server.entry, atOnce);
  const { sent } = await run([
    call('mcp__era__task', { ends: 'never' }),
    (text) => call('KillShell', { shell_id: idIn(text) }),
  ]);
  expect(sent[2]).toContain('was ended');
  expect(sent).toHaveLength(3); // the end of a task that the model has stopped is no news
  expect(await server.asked()).toContain('tasks/cancel');
  await run([call('mcp__era__task', { ends: 'never' }), { text: 'I wait.' }], {
    onStart: (kill) => void until(async () => (await server.asked()).includes('tasks/get')).then(() => kill('SIGINT')),
  });
  expect(await server.asked()).toContain('tasks/cancel');
});

test('a tool of revision 2025-11-25 that offers tasks runs as one, and is lost with a server that is a process', async () => {
  const { run } = await personWith('every', everything, atOnce);
  const tool = 'mcp__every__simulate-research-query';
  const asked = await run([call(tool, { topic: 'python', ambiguous: true }), look]);
  expect(asked.sent[1]).toContain('moved to the background at once');
  expect(asked.sent[2]).toContain('Research Report: python (User declined');
  const killed = await run([
    call(tool, { topic: 'birds', ambiguous: false }),
    (_, kill) => {
      kill();
      return NEVER;
    },
  ]);
  expect(killed.signal).toBe('SIGKILL');
  const { sent } = await run([{ text: 'I wait.' }], { args: ['--continue'] });
  expect(sent.join('')).toContain('its outcome is unknown');
  expect(sent.join('')).toContain('It ran as a process of an earlier Helve and ended with it');
});
