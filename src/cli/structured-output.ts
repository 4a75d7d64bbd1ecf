// An answer that fits a JSON Schema: the model gives it by calling a tool that takes nothing else.
import { readFileSync } from 'node:fs';
import type { AgentEvent } from '../contract/event.js';
import { defineTool, type Tool } from '../contract/tool.js';
import type { HookCallbacks } from '../hooks/run-hooks.js';
import { jsonSchemaProblem } from '../platform/json-schema.js';
import type { FinishedRun } from './finish-run.js';
import { UsageProblem } from './usage-problem.js';

const NAME = 'StructuredOutput';
const MAX_RETRIES = 5;

const description = `Give the final answer, in the form that was asked for.
Call it exactly once, when the work is done and not before; the conversation ends with it. Other tools may be used before it.`;

const REMINDER = `[The answer has to be given by calling ${NAME}, whose input is the answer itself. Call it now.]`;

type Schema = Readonly<Record<string, unknown>>;

/** Reads what `--json-schema` was given: a schema, or a file with one. */
export async function readSchema(given: string): Promise<Schema> {
  const isText = given.trimStart().startsWith('{');
  let schema: unknown;
  try {
    schema = JSON.parse(isText ? given : readFileSync(given, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageProblem(`--json-schema takes a JSON Schema, or a file with one, which this is not: ${why}`);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new UsageProblem('--json-schema takes a JSON Schema that is an object.');
  }
  const { type = 'object' } = schema as Schema; // an object, as was just seen
  if (type !== 'object') {
    throw new UsageProblem(
      `--json-schema must describe an object, but its "type" is ${JSON.stringify(type)}. Put what you want into a field of one.`,
    );
  }
  const problem = await jsonSchemaProblem(schema as Schema);
  if (problem !== undefined) throw new UsageProblem(`--json-schema is not a valid JSON Schema: ${problem}.`);
  return { ...schema, type };
}

export class StructuredOutput {
  readonly tool: Tool;
  readonly hooks: HookCallbacks;
  #value: { value: unknown } | undefined;
  #failures = 0;

  constructor(schema: Schema) {
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

  see(event: AgentEvent, stop: () => void): void {
    if (event.type !== 'tool_result' || event.tool !== NAME || event.failure !== 'invalid_input') return;
    this.#failures += 1;
    if (this.#failures > MAX_RETRIES) stop();
  }

  finish(run: FinishedRun): FinishedRun {
    const { outcome } = run;
    if (this.#value && (outcome === 'stopped' || outcome === 'completed')) {
      const text = JSON.stringify(this.#value.value);
      return { ...run, outcome: 'completed', failed: false, text, structuredOutput: this.#value };
    }
    const isGivenUp = outcome === 'completed' || (outcome === 'interrupted' && this.#failures > MAX_RETRIES);
    if (!isGivenUp) return run;
    return {
      ...run,
      failed: true,
      subtype: 'error_max_structured_output_retries',
      terminalReason: 'structured_output_retry_exhausted',
      text: `The model gave no answer that fits the schema, after ${MAX_RETRIES} more tries. Simplify the schema, or choose another model.`,
    };
  }

  #atEnd() {
    if (this.#value || this.#failures >= MAX_RETRIES) return undefined;
    this.#failures += 1;
    return { decision: 'block', reason: REMINDER } as const;
  }
}
