// An answer that fits a JSON Schema: the model gives it by calling a tool that takes nothing else. An input that does not
// fit is sent back with what is wrong with it, as every call is; an answer in words is sent back too.

import type * as z from 'zod';
import type { AgentEvent, AgentHappening, RunResult } from '../contract/event.js';
import type { JsonSchema } from '../contract/model.js';
import type { HookCallbacks } from '../contract/options.js';
import { defineTool, type Tool } from '../contract/tool.js';
import { clause } from '../platform/text/clause.js';

const NAME = 'StructuredOutput';
export const DEFAULT_RETRIES = 5;

const description = `Give the final answer, in the form that was asked for.
Call it exactly once, when the work is done and not before; the conversation ends with it. Other tools may be used before it.`;

const TAKEN = 'The answer was given in the form asked for.';
const REMINDER = `[The answer has to be given by calling ${NAME}, whose input is the answer itself. Call it now.]`;

/** As a tool has it for its input. */
type AnswerSchema =
  | { input: z.ZodType<unknown>; inputJsonSchema?: undefined }
  | { inputJsonSchema: JsonSchema; input?: undefined };

export interface StructuredOutputOptions {
  /** How often the model may try again. Default 5. */
  maxRetries?: number | undefined;
}

/** For one run: either the agent has its `tool` and `hooks`, or the run gets it as `answer`. */
export class StructuredOutput {
  readonly tool: Tool;
  readonly hooks: HookCallbacks;
  readonly maxRetries: number;
  #value: { value: unknown } | undefined;
  #failures = 0;

  /** By a JSON Schema, or by a schema of zod, whose output is the answer then. */
  constructor(schema: AnswerSchema, { maxRetries = DEFAULT_RETRIES }: StructuredOutputOptions = {}) {
    this.maxRetries = maxRetries;
    this.tool = defineTool<unknown, unknown>({
      name: NAME,
      description,
      ...schema,
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
          hooks: [() => ({ continue: false, stopReason: TAKEN })],
        },
      ],
      Stop: [{ hooks: [() => this.#objection()] }],
    };
  }

  /** Each run gives an answer of its own. */
  begin(): void {
    this.#value = undefined;
    this.#failures = 0;
  }

  /** Looks at an event, and calls `stop` where the model has tried often enough. */
  see(event: AgentEvent, stop: () => void): void {
    if (this.#isLastTry(event)) stop();
  }

  /** For who runs it without the hooks: why the run is to end after this, undefined where it is to go on. */
  endsWith(happening: AgentHappening): string | undefined {
    const isAnswer = happening.type === 'tool_result' && happening.tool === NAME && happening.failure === undefined;
    if (isAnswer) return TAKEN;
    return this.#isLastTry(happening) ? this.givenUp : undefined;
  }

  #isLastTry(happening: AgentHappening): boolean {
    if (happening.type !== 'tool_result' || happening.tool !== NAME) return false;
    if (happening.failure !== 'invalid_input') return false;
    this.#failures += 1;
    return this.#failures > this.maxRetries;
  }

  /** The message to a model that wants to end without an answer; undefined if it may. */
  atEnd(): string | undefined {
    if (this.#value || this.#failures >= this.maxRetries) return undefined;
    this.#failures += 1;
    return REMINDER;
  }

  /** The answer of the run that has ended so, `given_up` after the last try, undefined where it ended for another reason. */
  outcomeOf({ outcome }: Pick<RunResult, 'outcome'>): { value: unknown } | 'given_up' | undefined {
    const hasEnded = outcome === 'completed' || outcome === 'empty_answer';
    if (this.#value && (outcome === 'stopped' || hasEnded)) return this.#value;
    const isStopped = outcome === 'interrupted' || outcome === 'stopped';
    const isGivenUp = hasEnded || (isStopped && this.#failures > this.maxRetries);
    return isGivenUp ? 'given_up' : undefined;
  }

  get givenUp(): string {
    return `The model gave no answer that fits the schema, after ${this.maxRetries} more tries. Simplify the schema, or choose another model.`;
  }

  #objection() {
    const reason = this.atEnd();
    return reason === undefined ? undefined : ({ decision: 'block', reason } as const);
  }
}

/** Rejects with `TypeError` where it is none, or describes something else than an object. */
export async function checkedSchema(schema: JsonSchema): Promise<JsonSchema> {
  const { type = 'object' } = schema;
  if (type !== 'object') {
    throw new TypeError(
      `The schema of an answer must describe an object, but its "type" is ${JSON.stringify(type)}. Wrap your schema in an object with one field.`,
    );
  }
  const { jsonSchemaProblem } = await import('../platform/json-schema.js');
  const problem = await jsonSchemaProblem(schema);
  if (problem !== undefined)
    throw new TypeError(`The schema of an answer is not a valid JSON Schema: ${clause(problem)}.`);
  return { ...schema, type };
}
