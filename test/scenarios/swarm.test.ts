import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { AgentEvent } from '../../src/contract/event.js';
import { type Model, ModelFailure, type ModelRequest } from '../../src/contract/model.js';
import { type ScriptedTurn, scriptedModel } from '../../src/models/scripted.js';
import { watchSettings } from '../../src/settings/watch.js';
import { machine, user } from '../../src/testing/temporary-machine.js';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';

/** An agent with step N is answered by `step`, turn by turn; the agent that plans submits its plan to the user first. */
function modelOf(plan: string, teammateCount: number, step: (id: string, turn: number) => ScriptedTurn): Model {
  return {
    ...scriptedModel({ turns: [] }),
    async *stream(request, signal) {
      const [, id] = /You do step (\S+) of a plan/.exec(firstPrompt(request)) ?? [];
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      const exit = { name: 'ExitPlanMode', input: { plan, launchSwarm: true, teammateCount } };
      const author = turn === 0 ? { calls: [exit] } : { text: 'All is looked at.' };
      yield* scriptedModel({ turns: [id === undefined ? author : step(id, turn)] }).stream(request, signal);
    },
  };
}

const firstPrompt = ({ messages }: ModelRequest): string =>
  (messages[0]?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');

async function swarm(
  plan: string,
  teammateCount: number,
  step: (id: string, turn: number, path: (name: string) => string) => ScriptedTurn,
  files: Readonly<Record<string, string>> = {},
  options: Partial<FullAgentOptions> = {},
) {
  const place = machine({});
  const path = (name: string): string => join(place.root, name);
  for (const [name, text] of Object.entries(files)) await writeFile(path(name), text);
  const agent = createAgent({
    model: modelOf(plan, teammateCount, (id, turn) => step(id, turn, path)),
    retries: false,
    root: place.root,
    home: place.home,
    dataFolder: place.dataFolder,
    permissionMode: 'plan',
    askPermission: async () => ({ behavior: 'allow' }),
    ...options,
  });
  onTestFinished(() => agent.end());
  const events: AgentEvent[] = [];
  const run = async (signal?: AbortSignal): Promise<string> => {
    for await (const event of agent.run('plan and do it', { ...(signal && { signal }) })) events.push(event);
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.result] : []));
    return results.map(({ content }) => String(content)).join('\n');
  };
  return { agent, path, run, events };
}

const numbers = Array.from({ length: 10 }, (_, index) => index + 1);

test('four agents run ten steps that change the same files: each step is done once, and no edit is lost', async () => {
  const plan = numbers.map((id) => `${id}. Do part ${id}${id > 7 ? `, after step ${id - 7}` : ''}`).join('\n');
  const lines = numbers.map((id) => `part ${id}: open`).join('\n');
  const begun: string[] = [];
  let atOnce = 0;
  const open = new Set<string>();
  const { run, path, agent } = await swarm(
    plan,
    4,
    (id, turn, at) => {
      if (turn === 0) {
        begun.push(id);
        open.add(id);
        atOnce = Math.max(atOnce, open.size);
        return {
          calls: [
            { name: 'Read', input: { file_path: at('one.txt') } },
            { name: 'Read', input: { file_path: at('two.txt') } },
          ],
        };
      }
      const change = { old_string: `part ${id}: open`, new_string: `part ${id}: done` };
      if (turn === 1)
        return {
          calls: ['one.txt', 'two.txt'].map((name) => ({ name: 'Edit', input: { file_path: at(name), ...change } })),
        };
      open.delete(id);
      return { text: `Part ${id} is done.` };
    },
    { 'one.txt': lines, 'two.txt': lines },
  );
  const said = await run();
  expect(begun.toSorted()).toEqual(numbers.map(String).toSorted());
  expect(atOnce).toBe(4);
  for (const id of [8, 9, 10]) expect(begun.indexOf(String(id))).toBeGreaterThan(begun.indexOf(String(id - 7)));
  const wanted = lines.replaceAll('open', 'done');
  expect([await readFile(path('one.txt'), 'utf8'), await readFile(path('two.txt'), 'utf8')]).toEqual([wanted, wanted]);
  for (const id of numbers) expect(said).toContain(`Step ${id} (Do part ${id}`);
  expect(said).not.toMatch(/FAILED|NOT STARTED/);
  expect(agent.session.todos?.map(({ status }) => status)).toEqual(numbers.map(() => 'completed'));
});

test('steps that depend on a failed step are not started, and the rest is done', async () => {
  const { run } = await swarm('1. break\n2. build on it, after step 1\n3. go on\n4. and on, after step 2', 2, (id) => {
    if (id === '1') throw new ModelFailure('invalid_request', 'The model is out of order.', { transient: false });
    return { text: `${id} is done` };
  });
  const said = await run();
  expect(said).toMatch(/Step 1 \(break\): FAILED\. .*out of order/);
  expect(said).toMatch(/Step 2 .*: NOT STARTED\. It builds on step 1/);
  expect(said).toMatch(/Step 3 .*: done\. 3 is done/);
  expect(said).toMatch(/Step 4 .*: NOT STARTED\. It builds on step 2/);
});

test('an interrupted swarm leaves no agent and no process', async () => {
  const controller = new AbortController();
  const begun: string[] = [];
  const { run, path } = await swarm('1. wait\n2. wait\n3. wait', 2, (id, _, at) => {
    begun.push(id);
    return { calls: [{ name: 'Bash', input: { command: `echo $$ > ${at(`pid-${id}`)}; exec sleep 1000` } }] };
  });
  const running = run(controller.signal);
  await until(() => ['1', '2'].every((id) => existsSync(path(`pid-${id}`)) && isWritten(path(`pid-${id}`))));
  controller.abort(new Error('enough'));
  await running;
  expect(begun.toSorted()).toEqual(['1', '2']);
  expect(['1', '2'].flatMap((id) => pidsIn(path(`pid-${id}`))).filter(isRunning)).toEqual([]);
});

test.each(['Agent(general-purpose)', 'Task'])(
  'the rule that denies %s applies to a swarm too, before any question',
  async (rule) => {
    const begun: string[] = [];
    let asked = 0;
    const { run, agent } = await swarm(
      '1. one\n2. two',
      2,
      (id) => {
        begun.push(id);
        return { text: 'done' };
      },
      {},
      {
        permissions: { deny: [rule] },
        askPermission: async () => {
          asked += 1;
          return { behavior: 'allow' };
        },
      },
    );
    expect(await run()).toContain(`ExitPlanMode was not run: the rule "${rule}"`);
    expect({ begun, asked, mode: agent.session.mode }).toEqual({ begun: [], asked: 0, mode: 'plan' });
  },
);

test('a rule that asks about agents is named in the question about the plan', async () => {
  const reasons: string[] = [];
  const { run } = await swarm(
    '1. one\n2. two',
    2,
    (id) => ({ text: `${id} is done` }),
    {},
    {
      permissions: { ask: ['Agent(general-purpose)'] },
      askPermission: async ({ reason }) => {
        reasons.push(reason);
        return { behavior: 'allow' };
      },
    },
  );
  expect(await run()).toMatch(/Step 1 .*: done[\s\S]*Step 2 .*: done/);
  expect(reasons).toEqual([expect.stringContaining('the rule "Agent(general-purpose)"')]);
});

test('a hundred steps by ten agents, interrupted at any moment: none is started twice, and nothing continues', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => index + 1);
  const plan = ids.map((id) => `${id}. Do part ${id}${id % 3 === 0 ? `, after step ${id - 1}` : ''}`).join('\n');
  await fc.assert(
    fc.asyncProperty(fc.nat(140), async (moment) => {
      const begun: string[] = [];
      const stop = new AbortController();
      const { run, agent, events } = await swarm(plan, 10, (id, turn) => {
        if (turn === 0) begun.push(id);
        if (begun.length === moment) stop.abort();
        if (id === '50') throw new ModelFailure('invalid_request', 'It crashed.', { transient: false });
        return turn === 0 ? { calls: [{ name: 'LS', input: { path: '.' } }] } : { text: 'done' };
      });
      const said = await run(stop.signal);
      expect(new Set(begun).size).toBe(begun.length);
      expect(events.at(-1)).toMatchObject({ outcome: stop.signal.aborted ? 'interrupted' : 'completed' });
      expect(agent.session.agents?.all.filter(({ report }) => report === undefined)).toEqual([]);
      expect(agent.session.todos?.filter(({ status }) => status === 'in_progress') ?? []).toEqual([]);
      if (stop.signal.aborted) return;
      expect(begun).toHaveLength(99);
      expect(said).toMatch(/Step 50 .*: FAILED[\s\S]*Step 51 .*: NOT STARTED/);
    }),
    { numRuns: 4, examples: [[139]] },
  );
}, 60_000);

test('a rule that is added while a swarm works applies to the steps that have not started', async () => {
  const place = machine({});
  const { run } = await swarm(
    '1. one\n2. two, after step 1',
    2,
    (id, turn) => {
      if (id === '1' && turn === 0) {
        place.write(user, { permissions: { deny: ['Agent(general-purpose)'] } });
        return { calls: [{ name: 'LS', input: { path: '.' } }] };
      }
      return { text: `${id} is done` };
    },
    {},
    { settings: await watchSettings(place) },
  );
  expect(await run()).toMatch(/Step 1 .*: done\. 1 is done\nStep 2 .*: FAILED\. .*the rule "Agent\(general-purpose\)"/);
});
