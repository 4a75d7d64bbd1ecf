// Reads `--json-schema`, and formats the result.

import { checkedSchema, DEFAULT_RETRIES, StructuredOutput } from '../../agent/structured-output.js';
import type { JsonSchema } from '../../contract/model.js';
import { readRegularFile } from '../../platform/files/read-regular-file.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { whyUnreadable } from '../unreadable-file.js';
import { UsageProblem } from '../usage-problem.js';
import type { FinishedRun } from './finish-run.js';

function readText(file: string): string {
  try {
    return readRegularFile(file);
  } catch (error) {
    const why = whyUnreadable(error);
    throw new UsageProblem(`--json-schema takes a JSON Schema or a file, but "${file}" can't be read: ${why}.`);
  }
}

/** Parses the value of `--json-schema`: a schema, or a file with one. */
export async function readSchema(given: string): Promise<JsonSchema> {
  const isText = given.trimStart().startsWith('{');
  const text = isText ? given : readText(given);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageProblem(`--json-schema takes a JSON Schema, or a file with one, which this is not: ${why}`);
  }
  if (!isObject(schema)) {
    throw new UsageProblem('--json-schema takes a JSON Schema that is an object.');
  }
  try {
    return await checkedSchema({ ...schema });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageProblem(`--json-schema: ${error.message}`);
    throw error;
  }
}

/** The number of retries, from MAX_STRUCTURED_OUTPUT_RETRIES. */
export function retriesOf(env: Readonly<Record<string, string | undefined>>): number {
  const given = env['MAX_STRUCTURED_OUTPUT_RETRIES'] ?? '';
  return /^\d{1,3}$/.test(given) ? Number(given) : DEFAULT_RETRIES;
}

export class FinishedOutput extends StructuredOutput {
  finish(run: FinishedRun): FinishedRun {
    const outcome = this.outcomeOf(run);
    if (outcome === undefined) return run;
    if (outcome !== 'given_up') {
      const text = JSON.stringify(outcome.value);
      return { ...run, outcome: 'completed', failed: false, text, structuredOutput: outcome };
    }
    return {
      ...run,
      failed: true,
      subtype: 'error_max_structured_output_retries',
      terminalReason: 'structured_output_retry_exhausted',
      text: this.givenUp,
    };
  }
}
