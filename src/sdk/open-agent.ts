import type { ResumedSession } from '../agent/store/resume-session.js';
import { createAgent as createFullAgent, type Agent as FullAgent } from '../compose/create-agent.js';
import type { Agent, AgentOptions } from './agent.js';
import { checkCompactOptions, checkMode } from './check-options.js';
import { outputRun, plainRun } from './event-run.js';
import { fullOptions } from './full-options.js';
import { openEngine } from './open-engine.js';
import type { OutputOf, OutputOptions, OutputSchema, Prompt, Run, RunOptions } from './run.js';

export function openAgent(options: AgentOptions, resumed?: ResumedSession): Agent {
  // In these the engine has other words for the same.
  const { settings: _settings, canUseTool: _canUseTool, toolSet: _toolSet, hooks: _hooks, ...same } = options;
  const agent = createFullAgent({ ...same, ...fullOptions(options), ...(resumed && { resumed }) });
  return openedAgent(agent);
}

function openedAgent(agent: FullAgent): Agent {
  const { session } = agent;
  function run(prompt: Prompt, options?: RunOptions & { output?: undefined }): Run;
  function run<Schema extends OutputSchema>(prompt: Prompt, options: OutputOptions<Schema>): Run<OutputOf<Schema>>;
  function run(prompt: Prompt, options: RunOptions | OutputOptions<OutputSchema> = {}): Run | Run<unknown> {
    const isFormed = typeof options === 'object' && options !== null && 'output' in options && options.output;
    return isFormed ? outputRun(agent, prompt, options) : plainRun(agent, prompt, options);
  }
  return {
    id: session.id,
    engine: openEngine(agent.engine),
    get mode() {
      return session.mode;
    },
    set mode(mode) {
      session.mode = checkMode(mode);
    },
    get messages() {
      return session.transcript.messages;
    },
    run,
    interrupt: () => agent.interrupt(),
    compact(instructions, options = {}) {
      checkCompactOptions(options);
      return agent.compact(instructions, options);
    },
    contextUsage: () => agent.contextUsage(),
    commands: () => agent.commands(),
    end: () => agent.end(),
    [Symbol.asyncDispose]: () => agent.end(),
  };
}
