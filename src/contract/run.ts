import type * as z from 'zod';
import type { AgentEvent, RunResult } from './event.js';
import type { UserBlock } from './message.js';
import type { JsonSchema } from './model.js';

/** What a prompt is: words, or blocks of text and images. */
export type Prompt = string | readonly UserBlock[];

/** How one prompt is run. */
export interface RunOptions {
  /** Interrupts the run, as `agent.interrupt()` does. */
  signal?: AbortSignal;
  /** What the person says while the model works: asked for before each request but the first, and sent with it. */
  steering?: () => readonly UserBlock[];
}

/** The form that the answer must have: a zod schema of an object, or a JSON Schema of the type `object`. */
export interface OutputOptions<Schema extends OutputSchema> extends RunOptions {
  /** The model gives its answer by a tool that takes nothing else; it may use other tools before. */
  output: Schema;
  /** How often the model may try again. Default 5. */
  maxOutputRetries?: number;
}

/** A schema of zod 4.2 or newer, or a JSON Schema. */
export type OutputSchema = z.ZodType | JsonSchema;

/** What a schema gives: the type of a zod schema's output, `unknown` for a JSON Schema. */
export type OutputOf<Schema extends OutputSchema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/**
 * One prompt on its way. It begins when it is first iterated over, or when `result` is first looked at; take one of the
 * two, or iterate and look at `result` afterwards. Whoever breaks off the iteration interrupts the run.
 */
export interface Run<Output = undefined> extends AsyncIterable<AgentEvent> {
  /**
   * How it ended. Failures of the model are results too: look at `outcome`. Rejects for an empty prompt, for an agent
   * that is already running one, and where an output was asked for and none came (`NoOutput`).
   */
  readonly result: Promise<RunEnd<Output>>;
}

/** The end of a run. `output` is what was asked for by a schema, checked; undefined where nothing was. */
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
