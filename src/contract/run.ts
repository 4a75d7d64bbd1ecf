import type * as z from 'zod';
import type { AgentEvent, RunResult } from './event.js';
import type { UserBlock } from './message.js';
import type { JsonSchema } from './model.js';

/** A prompt: a text, or blocks of text and images. */
export type Prompt = string | readonly UserBlock[];

/** How one prompt is run. */
export interface RunOptions {
  /** Interrupts the run, as `agent.interrupt()` does. */
  signal?: AbortSignal;
  /** What the person says while the model works: called before each request but the first, and sent with it. */
  steering?: () => readonly UserBlock[];
}

/** The schema that the answer must fit: a zod schema of an object, or a JSON Schema of the type `object`. */
export interface OutputOptions<Schema extends OutputSchema> extends RunOptions {
  /** The model gives its answer by a tool that takes nothing else; it may use other tools before. */
  output: Schema;
  /** How often the model may try again. Default 5. */
  maxOutputRetries?: number;
}

/** A schema of zod 4.2 or newer, or a JSON Schema. */
export type OutputSchema = z.ZodType | JsonSchema;

/** The type of an answer: the output of a zod schema, `unknown` for a JSON Schema. */
export type OutputOf<Schema extends OutputSchema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/**
 * The run of one prompt. It starts when it is first iterated over, or when `result` is first read; do one of the two, or
 * iterate and read `result` afterwards. Breaking off the iteration interrupts the run.
 */
export interface Run<Output = undefined> extends AsyncIterable<AgentEvent> {
  /**
   * How it ended. Failures of the model are results too: look at `outcome`. Rejects for an empty prompt, for an agent
   * that is already running one, and if there is a schema but no answer fits it (`NoOutput`).
   */
  readonly result: Promise<RunEnd<Output>>;
}

/** The end of a run. `output` is the answer that fits the schema; undefined without a schema. */
export type RunEnd<Output = undefined> = RunResult & { readonly output: Output };

/** The run ended without an answer that fits the schema. */
export class NoOutput extends Error {
  /** How it ended. */
  readonly result: RunResult;

  constructor(message: string, result: RunResult) {
    super(message);
    this.name = 'NoOutput';
    this.result = result;
  }
}
