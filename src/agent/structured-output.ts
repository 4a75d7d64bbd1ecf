// An answer that fits a JSON Schema: the model gives it by calling a tool with that schema. An input that does not
// fit fails with the reason, like any call; after an answer in text the model is reminded to call the tool.

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

/** A schema in the form that a tool has for its input. */
type AnswerSchema =
  | { input: z.ZodType<unknown>; inputJsonSchema?: undefined }
  | { inputJsonSchema: JsonSchema; input?: undefined };

export interface StructuredOutputOptions {
  /** How often the model may retry. Default 5. */
  maxRetries?: number | undefined;
}

/** For one run: either the agent has its `tool` and `hooks`, or it is passed to the run as `answer`. */
export class StructuredOutput {
  readonly tool: Tool;
  readonly hooks: HookCallbacks;
  readonly maxRetries: number;
  #value: { value: unknown } | undefined;
  #failures = 0;

  /** Takes a JSON Schema, or a zod schema, whose output is then the answer. */
  constructor(schema: AnswerSchema, { maxRetries = DEFAULT_RETRIES }: StructuredOutputOptions = {}) {
    this.maxRetries = maxRetries;
    this.tool = defineTool<unknown, unknown>({
      name: NAME,
      about: 'Gives the final answer in the form of a JSON Schema.',
      description,
      ...schema,
      effects: () => [],
      execute: async (value) => {
        this.#value = { value };
        return value;
      },
      toModel: () => 'The answer was taken.',
      displayResult: (value) => ({
        title: 'answer',
        body: { type: 'text', text: JSON.stringify(value, null, 2) ?? '' },
      }),
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

  /** Resets the answer for a new run. */
  begin(): void {
    this.#value = undefined;
    this.#failures = 0;
  }

  /** Handles an event, and calls `stop` if the model has used all retries. */
  see(event: AgentEvent, stop: () => void): void {
    if (this.#isLastTry(event)) stop();
  }

  /** Without the hooks: the reason to end the run after this event, or undefined if it continues. */
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

  /** The answer of a run with this outcome, `given_up` after the last retry, undefined if it ended for another reason. */
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

/** Rejects with `TypeError` if it is not a valid schema, or does not describe an object. */
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
