import type * as z from 'zod';
import { checkedSchema, StructuredOutput } from '../agent/structured-output.js';
import type { AgentEvent, RunResult } from '../contract/event.js';
import {
  NoOutput,
  type OutputOf,
  type OutputOptions,
  type OutputSchema,
  type Prompt,
  type Run,
  type RunEnd,
  type RunOptions,
} from '../contract/run.js';
import { errorClause } from '../platform/text/clause.js';
import { checkPrompt, checkRunOptions } from './check-calls.js';
import { isZodSchema, isZodShape } from './option-kinds.js';

/** Runs a prompt when its events are iterated over, or when its result is asked for. */
export class EventRun<Output> implements Run<Output> {
  readonly #events: () => AsyncIterable<AgentEvent>;
  readonly #outputOf: (result: RunResult) => Output;
  readonly #ended = Promise.withResolvers<RunEnd<Output>>();
  #isTaken = false;

  constructor(events: () => AsyncIterable<AgentEvent>, outputOf: (result: RunResult) => Output) {
    this.#events = events;
    this.#outputOf = outputOf;
    this.#ended.promise.catch(() => {}); // a caller that iterates gets the error there
  }

  get result(): Promise<RunEnd<Output>> {
    if (!this.#isTaken) void this.#toItsEnd();
    return this.#ended.promise;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, void, void> {
    if (this.#isTaken) {
      throw new Error('The events of a run can be read once. Iterate before you look at its result, or run again.');
    }
    this.#isTaken = true;
    return this.#watched();
  }

  async #toItsEnd(): Promise<void> {
    try {
      for await (const _ of this) {
        // only the result is needed
      }
    } catch {
      // the result rejects with it
    }
  }

  /** The result settles once the run has ended completely, so that the next prompt may be run then. */
  async *#watched(): AsyncGenerator<AgentEvent, void, void> {
    let result: RunResult | undefined;
    try {
      for await (const event of this.#events()) {
        if (event.type === 'result') result = event;
        yield event;
      }
    } catch (error) {
      this.#ended.reject(error);
      throw error;
    } finally {
      this.#settle(result);
    }
  }

  #settle(result: RunResult | undefined): void {
    try {
      if (!result) throw new Error('The run was stopped before its end, so it has no result.');
      this.#ended.resolve({ ...result, output: this.#outputOf(result) });
    } catch (error) {
      this.#ended.reject(error);
    }
  }
}

/** Runs a prompt. `answer`: the answer that the run must end with. */
export type RunPrompt = (
  prompt: Prompt,
  options: RunOptions & { answer?: StructuredOutput; isUnfinished?: boolean },
) => AsyncIterable<AgentEvent>;

export const plainRun = (run: RunPrompt, prompt: Prompt, options: RunOptions): Run =>
  new EventRun(
    () => {
      checkRunOptions(options);
      checkPrompt(prompt);
      return run(prompt, withoutOutput(options));
    },
    () => undefined,
  );

/** Goes on with the run that an earlier process could not finish. */
export const unfinishedRun = (run: RunPrompt, options: Pick<RunOptions, 'signal'>): Run =>
  new EventRun(
    () => run([], { ...options, isUnfinished: true }),
    () => undefined,
  );

const withoutOutput = ({ signal, steering }: RunOptions): RunOptions => ({
  ...(signal && { signal }),
  ...(steering && { steering }),
});

/** A run that ends with an answer that fits a schema. */
export function outputRun<Schema extends OutputSchema>(
  run: RunPrompt,
  prompt: Prompt,
  given: OutputOptions<Schema>,
): Run<OutputOf<Schema>> {
  const { output: schema, maxOutputRetries, ...options } = given;
  let answer: StructuredOutput | undefined;
  async function* events(): AsyncGenerator<AgentEvent, void, void> {
    checkRunOptions(given);
    checkPrompt(prompt);
    const asked = await answerBy(schema, maxOutputRetries);
    answer = asked;
    for await (const event of run(prompt, { ...options, answer: asked })) {
      yield event.type === 'result' ? withAnswer(event, asked) : event;
    }
  }
  return new EventRun(events, (result) => {
    const outcome = answer?.outcomeOf(result);
    if (!answer || outcome === undefined) throw new NoOutput(result.text, result);
    if (outcome === 'given_up') throw new NoOutput(answer.givenUp, result);
    return outcome.value as OutputOf<Schema>; // the tool has checked it against the schema
  });
}

/** The hook that takes the answer stops the run, which is its regular end. */
function withAnswer<Event extends RunResult>(event: Event, answer: StructuredOutput): Event {
  const outcome = answer.outcomeOf(event);
  if (typeof outcome !== 'object') return event;
  return { ...event, outcome: 'completed', text: JSON.stringify(outcome.value) };
}

async function answerBy(schema: OutputSchema, maxRetries: number | undefined): Promise<StructuredOutput> {
  if (typeof schema !== 'object' || schema === null) {
    throw new TypeError(`output must be a schema of zod, or a JSON Schema, but was ${JSON.stringify(schema)}.`);
  }
  if (isZodShape(schema)) throw new TypeError('output is a plain object of zod schemas. Wrap it: z.object({ … }).');
  if (!isZod(schema)) return new StructuredOutput({ inputJsonSchema: await checkedSchema(schema) }, { maxRetries });
  const { type, anyOf, oneOf } = jsonSchemaOf(schema);
  if (type === 'object') return new StructuredOutput({ input: schema }, { maxRetries });
  const what = anyOf || oneOf ? 'but describes a union' : `but its "type" is ${JSON.stringify(type)}`;
  throw new TypeError(
    `The schema of an answer must describe an object, ${what}. Wrap your schema in an object with one field.`,
  );
}

function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  try {
    return schema.toJSONSchema({ io: 'input' });
  } catch (error) {
    throw new TypeError(
      `The schema of an answer can't be expressed as a JSON Schema: ${errorClause(error)}. Use types that JSON has, such as a string that is transformed.`,
      { cause: error },
    );
  }
}

const isZod = (schema: OutputSchema): schema is z.ZodType => isZodSchema(schema);
