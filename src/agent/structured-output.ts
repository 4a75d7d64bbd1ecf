// An answer that fits a JSON Schema: the model gives it by calling a tool that takes nothing else. An input that does not
// fit is sent back with what is wrong with it, as every call is; an answer in words is sent back too.
import type { AgentEvent, RunResult } from '../contract/event.js';
import type { UserBlock } from '../contract/message.js';
import type { JsonSchema } from '../contract/model.js';
import { defineTool, type Tool } from '../contract/tool.js';
import type { HookCallbacks } from '../hooks/run-hooks.js';

const NAME = 'StructuredOutput';
export const DEFAULT_RETRIES = 5;

const description = `Give the final answer, in the form that was asked for.
Call it exactly once, when the work is done and not before; the conversation ends with it. Other tools may be used before it.`;

const REMINDER = `[The answer has to be given by calling ${NAME}, whose input is the answer itself. Call it now.]`;

export interface StructuredOutputOptions {
  /** How often the model may try again. Default 5. */
  maxRetries?: number | undefined;
}

/** What came of a prompt: the answer, or how the run ended without one. */
export type StructuredAnswer =
  | { ok: true; value: unknown; result: RunResult }
  | { ok: false; reason: string; result: RunResult };

/** An agent, as far as it is needed to put a prompt. */
export interface Prompted {
  run(prompt: string | readonly UserBlock[], options?: { signal?: AbortSignal }): AsyncIterable<AgentEvent>;
}

/** Give an agent its `tool` and its `hooks`, and put prompts by `ask`. One for each agent. */
export class StructuredOutput {
  readonly tool: Tool;
  readonly hooks: HookCallbacks;
  readonly maxRetries: number;
  #value: { value: unknown } | undefined;
  #failures = 0;

  constructor(schema: JsonSchema, { maxRetries = DEFAULT_RETRIES }: StructuredOutputOptions = {}) {
    this.maxRetries = maxRetries;
    this.tool = defineTool<unknown, unknown>({
      name: NAME,
      description,
      inputJsonSchema: schema,
      effects: () => [],
      execute: async (value) => {
        this.#value = { value };
        return value;
      },
      toModel: () => 'The answer was taken.',
    });
    this.hooks = {
      PostToolUse: [
        {
          matcher: NAME,
          hooks: [() => ({ continue: false, stopReason: 'The answer was given in the form asked for.' })],
        },
      ],
      Stop: [{ hooks: [() => this.#atEnd()] }],
    };
  }

  /** Each run gives an answer of its own. */
  begin(): void {
    this.#value = undefined;
    this.#failures = 0;
  }

  /** Looks at an event, and calls `stop` where the model has tried often enough. */
  see(event: AgentEvent, stop: () => void): void {
    if (event.type !== 'tool_result' || event.tool !== NAME || event.failure !== 'invalid_input') return;
    this.#failures += 1;
    if (this.#failures > this.maxRetries) stop();
  }

  /** The answer of the run that has ended so, `given_up` after the last try, undefined where it ended for another reason. */
  outcomeOf({ outcome }: Pick<RunResult, 'outcome'>): { value: unknown } | 'given_up' | undefined {
    if (this.#value && (outcome === 'stopped' || outcome === 'completed')) return this.#value;
    const isGivenUp = outcome === 'completed' || (outcome === 'interrupted' && this.#failures > this.maxRetries);
    return isGivenUp ? 'given_up' : undefined;
  }

  get givenUp(): string {
    return `The model gave no answer that fits the schema, after ${this.maxRetries} more tries. Simplify the schema, or choose another model.`;
  }

  /** Puts a prompt and gives the answer. Rejects only where the run itself does. */
  async ask(
    agent: Prompted,
    prompt: string | readonly UserBlock[],
    { signal, onEvent }: { signal?: AbortSignal; onEvent?: (event: AgentEvent) => void } = {},
  ): Promise<StructuredAnswer> {
    this.begin();
    const stopped = new AbortController();
    const stop = (): void => stopped.abort(new Error('Given up.'));
    const running = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
    let result: RunResult | undefined;
    for await (const event of agent.run(prompt, { signal: running })) {
      this.see(event, stop);
      if (event.type === 'result') result = event;
      onEvent?.(event);
    }
    if (!result) throw new Error('The run ended without a result.');
    const outcome = this.outcomeOf(result);
    if (outcome === undefined) return { ok: false, reason: result.text, result };
    if (outcome === 'given_up') return { ok: false, reason: this.givenUp, result };
    return { ok: true, value: outcome.value, result };
  }

  #atEnd() {
    if (this.#value || this.#failures >= this.maxRetries) return undefined;
    this.#failures += 1;
    return { decision: 'block', reason: REMINDER } as const;
  }
}

/** Checks the schema. Rejects with `TypeError` where it is none, or describes something else than an object. */
export async function structuredOutput(
  schema: JsonSchema,
  options: StructuredOutputOptions = {},
): Promise<StructuredOutput> {
  return new StructuredOutput(await checkedSchema(schema), options);
}

export async function checkedSchema(schema: JsonSchema): Promise<JsonSchema> {
  const { type = 'object' } = schema;
  if (type !== 'object') {
    throw new TypeError(
      `The schema of an answer must describe an object, but its "type" is ${JSON.stringify(type)}. Put what you want into a field of one.`,
    );
  }
  const { jsonSchemaProblem } = await import('../platform/json-schema.js');
  const problem = await jsonSchemaProblem(schema);
  if (problem !== undefined) throw new TypeError(`The schema of an answer is not a valid JSON Schema: ${problem}.`);
  return { ...schema, type };
}
