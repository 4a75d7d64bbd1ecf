// What a child agent, a file that describes one, or bad luck at a bad moment must not bring about.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent, type FullAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { AgentEvent } from '../../src/contract/event.js';
import type { Model, ModelRequest } from '../../src/contract/model.js';
import { type ScriptedTurn, scriptedModel } from '../../src/models/scripted.js';
import { watchSettings } from '../../src/settings/watch.js';
import { machine } from '../../src/testing/temporary-machine.js';

type Turn = (request: ModelRequest, turn: number) => ScriptedTurn;

/** A conversation whose first prompt begins with one of the names is answered by that function, turn by turn. */
function modelOf(actors: Readonly<Record<string, Turn>>): Model {
  return {
    ...scriptedModel({ turns: [] }),
    async *stream(request, signal) {
      const first = (request.messages[0]?.content ?? []).map((block) => (block.type === 'text' ? block.text : ''));
      const who = Object.keys(actors).find((name) => first.some((text) => text.startsWith(name))) ?? '';
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      yield* scriptedModel({ turns: [actors[who]?.(request, turn) ?? { text: 'done' }] }).stream(request, signal);
    },
  };
}

async function family(
  actors: Readonly<Record<string, Turn>>,
  options: Partial<FullAgentOptions> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const place = machine(files);
  const agent = createAgent({
    model: modelOf(actors),
    retries: false,
    root: place.root,
    home: place.home,
    dataFolder: place.dataFolder,
    settings: await watchSettings({ ...place, trust: true }),
    ...options,
  });
  onTestFinished(() => agent.end());
  return { agent, path: (name: string): string => join(place.root, name) };
}

async function eventsOf(agent: FullAgent, signal?: AbortSignal): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run('main', { ...(signal && { signal }) })) events.push(event);
  return events;
}

/** What the calls of children came to, by tool. */
const childResults = (events: readonly AgentEvent[]): Array<{ tool: string; text: string; isError: boolean }> =>
  events.flatMap((event) => {
    const inner = event.type === 'agent_event' ? event.event : undefined;
    if (inner?.type !== 'tool_result') return [];
    const { content, is_error: isError = false } = inner.result;
    return [{ tool: inner.tool, text: String(content), isError }];
  });

const task = (prompt: string, more: Record<string, unknown> = {}) => ({
  name: 'Task',
  input: { description: 'do it', prompt, ...more },
});

const bold = `---
name: bold
description: takes what it can
tools: "*, Write, ExitPlanMode, AskUserQuestion, EnterPlanMode"
permissionMode: bypassPermissions
---
You take what you can.`;

test('a type that claims all rights and tools gets none that its parent lacks', async () => {
  const write = { name: 'Write', input: { file_path: 'taken.txt', content: 'x' } };
  const { agent, path } = await family(
    {
      main: (_, turn) => (turn === 0 ? { calls: [task('child', { subagent_type: 'bold' })] } : { text: 'over' }),
      child: (_, turn) => (turn === 0 ? { calls: [write] } : { text: 'over' }),
    },
    { permissionMode: 'default' },
    { 'home/.helve/agents/bold.md': bold },
  );
  const results = childResults(await eventsOf(agent));
  expect(results).toEqual([
    { tool: 'Write', text: expect.stringContaining('no one can be asked here'), isError: true },
  ]);
  expect(existsSync(path('taken.txt'))).toBe(false);
});

test('a child has no tool that its parent lacks, and no tool that only the main conversation has', async () => {
  const names = ['Write', 'ExitPlanMode', 'EnterPlanMode', 'AskUserQuestion', 'StructuredOutput'];
  const offered: string[][] = [];
  const { agent } = await family(
    {
      main: (_, turn) => (turn === 0 ? { calls: [task('child', { subagent_type: 'bold' })] } : { text: 'over' }),
      child: ({ tools }, turn) => {
        offered.push(tools.map(({ name }) => name));
        return turn === 0 ? { calls: names.map((name) => ({ name, input: {} })) } : { text: 'over' };
      },
    },
    { permissionMode: 'plan', toolSwitches: { Write: false }, askPermission: async () => ({ behavior: 'allow' }) },
    { 'home/.helve/agents/bold.md': bold },
  );
  const results = childResults(await eventsOf(agent));
  expect(results.map(({ text }) => text)).toEqual(
    names.map((name) => expect.stringMatching(new RegExp(`no tool named "${name}"|The tool ${name} is off here`))),
  );
  expect(offered.flat().filter((name) => names.includes(name))).toEqual([]);
  expect(agent.session.mode).toBe('plan');
});

test('the todo list of a child is not that of its parent', async () => {
  const todos = (content: string) => ({ name: 'TodoWrite', input: { todos: [{ content, status: 'pending' }] } });
  const { agent } = await family({
    main: (_, turn) => [{ calls: [todos('mine')] }, { calls: [task('child')] }][turn] ?? { text: 'over' },
    child: (_, turn) => (turn === 0 ? { calls: [todos('of the child')] } : { text: 'over' }),
  });
  expect(childResults(await eventsOf(agent))).toMatchObject([{ tool: 'TodoWrite', isError: false }]);
  expect(agent.session.todos).toMatchObject([{ content: 'mine' }]);
});

test('if an agent with children is interrupted at any moment, all of them end, and every call has a result', async () => {
  const tree: Record<string, Turn> = {
    main: (_, turn) =>
      turn === 0 ? { calls: [task('near'), task('far', { run_in_background: true })] } : { text: 'over' },
    near: (_, turn) =>
      turn < 2
        ? { calls: [task('leaf'), { name: 'Bash', input: { command: 'sleep 0.01; echo x' } }] }
        : { text: 'over' },
    far: (_, turn) => (turn < 2 ? { calls: [task('leaf', { run_in_background: true })] } : { text: 'over' }),
    leaf: (_, turn) => (turn < 2 ? { calls: [{ name: 'LS', input: { path: '.' } }] } : { text: 'over' }),
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(120), async (moment) => {
      const { agent } = await family(tree, { permissionMode: 'bypassPermissions' });
      const stop = new AbortController();
      let seen = 0;
      const calls = new Set<string>();
      const results: string[] = [];
      let last: AgentEvent | undefined;
      for await (const event of agent.run('main', { signal: stop.signal })) {
        last = event;
        if (seen === moment) stop.abort();
        seen += 1;
        const inner = event.type === 'agent_event' ? event.event : event;
        if (inner.type === 'tool_call') calls.add(inner.callId);
        if (inner.type === 'tool_result') results.push(inner.callId);
      }
      expect(last).toMatchObject({ type: 'result', outcome: stop.signal.aborted ? 'interrupted' : 'completed' });
      expect(agent.session.agents?.all.filter(({ report }) => report === undefined)).toEqual([]);
      expect(agent.session.stillRunning).toEqual([]);
      expect(results.toSorted()).toEqual([...calls].toSorted());
      await agent.end();
    }),
    { numRuns: 12 },
  );
}, 60_000);
