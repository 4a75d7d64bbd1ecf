// A whole run with settings from files: a machine with a project, a scripted model, and what each side got to see.

import { createAgent, type FullAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions, FullEngineOptions } from '../../src/compose/options.js';
import type { AgentEvent, RunResult } from '../../src/contract/event.js';
import type { Model, ModelRequest } from '../../src/contract/model.js';
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from '../../src/models/scripted.js';
import type { LoadOptions } from '../../src/settings/load.js';
import { watchSettings } from '../../src/settings/watch.js';
import { type Files, type Machine, machine, project } from '../../src/testing/temporary-machine.js';

export interface HookedAgent {
  agent: FullAgent;
  place: Machine;
  /** What the model was sent, turn by turn. */
  requests: ModelRequest[];
  run(prompt?: string): Promise<Run>;
}

export interface Run {
  events: AgentEvent[];
  result: RunResult;
  /** The text of each call's result, by the call's id. */
  results: Record<string, string>;
  notices: string[];
  /** The last decision on each call, by its id. */
  decisions: Record<string, string>;
}

interface Options {
  turns: readonly ScriptedTurn[];
  /** Of the project's own settings file. */
  settings?: unknown;
  files?: Files;
  load?: Partial<LoadOptions>;
  engine?: Partial<FullEngineOptions & Pick<FullAgentOptions, 'instructions' | 'setup'>>;
}

/** The project is trusted unless `load` says otherwise, and everything is permitted that no rule or hook is against. */
export async function hookedAgent({ turns, settings, files = {}, load, engine }: Options): Promise<HookedAgent> {
  const place = machine({ ...(settings !== undefined && { [project]: settings }), ...files });
  const requests: ModelRequest[] = [];
  const script = scriptedModel({ turns: withIds(turns) });
  const model: Model = {
    ...script,
    stream(request, signal) {
      requests.push({ ...request, messages: structuredClone(request.messages) });
      return script.stream(request, signal);
    },
  };
  const agent = createAgent({
    model,
    root: place.root,
    home: place.home,
    dataFolder: place.dataFolder,
    permissionMode: 'bypassPermissions',
    settings: await watchSettings({ ...place, trust: true, ...load }),
    ...engine,
  });
  return {
    agent,
    place,
    requests,
    async run(prompt = 'go') {
      const events: AgentEvent[] = [];
      for await (const event of agent.run(prompt)) events.push(event);
      return seenIn(events);
    },
  };
}

function seenIn(events: AgentEvent[]): Run {
  const result = events.at(-1);
  if (result?.type !== 'result') throw new Error('The run ended without a result.');
  const results: Record<string, string> = {};
  const decisions: Record<string, string> = {};
  const notices: string[] = [];
  for (const event of events) {
    if (event.type === 'tool_result') results[event.callId] = textOf(event.result.content);
    if (event.type === 'permission_decision') decisions[event.callId] = event.decision.behavior;
    if (event.type === 'notice') notices.push(event.text);
  }
  return { events, result, results, notices, decisions };
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

/** Calls are named a, b, c in their order, over all turns. */
function withIds(turns: readonly ScriptedTurn[]): ScriptedTurn[] {
  let count = 0;
  const named = (call: ScriptedCall): ScriptedCall => ({ ...call, id: String.fromCharCode(97 + count++) });
  return turns.map((turn) => ({ ...turn, ...(turn.calls && { calls: turn.calls.map(named) }) }));
}

/** A turn of calls. */
export const calls = (...given: ReadonlyArray<[name: string, input: unknown]>): ScriptedTurn => ({
  calls: given.map(([name, input]) => ({ name, input })),
});

export const done: ScriptedTurn = { text: 'Done.' };

/** Settings with one hook, a command for bash. */
export const hook = (event: string, command: string, more: { matcher?: string; [field: string]: unknown } = {}) => {
  const { matcher, ...fields } = more;
  return {
    hooks: {
      [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command, ...fields }] }],
    },
  };
};

/** A command that prints this as JSON. */
export const prints = (output: unknown): string =>
  `printf '%s\\n' '${JSON.stringify(output).replaceAll("'", "'\\''")}'`;

/** A command that prints what a PreToolUse hook decides. */
export const decides = (permissionDecision: string, more: Record<string, unknown> = {}): string =>
  prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });
