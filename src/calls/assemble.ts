// Step 2 of the path: from the pieces of a model's stream to calls. A `CompleteCall` was received completely and passed a
// strict parse; everything else becomes a `MalformedCall`, which is answered and never run.
import { type ModelEvent, ModelFailure } from '../contract/model.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { counted } from '../platform/text/counted.js';
import type { JsonProblem } from '../platform/text/json-problem.js';
import { PartialJson } from '../platform/text/partial-json.js';

export interface CompleteCall {
  id: string;
  name: string;
  input: Readonly<Record<string, unknown>>;
  /**
   * No input was received. This is how providers send a call without arguments, but a call that was truncated before its
   * first character looks the same. The next event tells them apart: if `max_tokens` follows this block, answer it with
   * `cutCall` and don't run it.
   */
  assumedEmpty?: true;
}

/** A call whose input can't be used. It is answered with `problem` and never run. */
export interface MalformedCall {
  id: string;
  name: string;
  /** For the model: what happened, why, and what to do next. */
  problem: string;
  /** For the person: what happened. */
  shown: string;
  /** The input as it came. */
  rawText: string;
  /** The text is a valid prefix, so the answer may have been truncated there. */
  truncated?: true;
}

/** A call whose input is still coming. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The input so far, for display. Costs time in proportion to its length, so don't call it for every delta. */
  input(): unknown;
}

/** Why a call never got to its end. */
export type CutReason = 'max_tokens' | 'stream' | 'interrupted';

type CallEvent<Type extends ModelEvent['type']> = Extract<ModelEvent, { type: Type }>;

/** Assembles the calls of one answer. Several may be open at once; their index identifies them. */
export class CallAssembler {
  readonly #open = new Map<number, { call: OpenCall; json: PartialJson }>();

  start({ index, id, name }: CallEvent<'call_start'>): OpenCall {
    if (this.#open.has(index)) {
      throw new ModelFailure(
        'broken_stream',
        `The model's stream started call ${index} (${name}) a second time before its first had ended.`,
      );
    }
    const json = new PartialJson();
    const call: OpenCall = { id, name, input: () => json.value ?? {} };
    this.#open.set(index, { call, json });
    return call;
  }

  add({ index, json }: CallEvent<'call_input'>): OpenCall {
    const open = this.#find(index, 'sent input for');
    open.json.push(json);
    return open.call;
  }

  end({ index }: CallEvent<'call_end'>): CompleteCall | MalformedCall {
    const { call, json } = this.#find(index, 'ended');
    this.#open.delete(index);
    return finishCall(call, json);
  }

  /** Gives up the calls that are still open, in the order in which they started. */
  cut(reason: CutReason): MalformedCall[] {
    const calls = [...this.#open.values()].map(({ call, json }) => cutCall({ ...call, rawText: json.text }, reason));
    this.#open.clear();
    return calls;
  }

  #find(index: number, whatHappened: string): { call: OpenCall; json: PartialJson } {
    const open = this.#open.get(index);
    if (open) return open;
    throw new ModelFailure('broken_stream', `The model's stream ${whatHappened} call ${index}, which is not open.`);
  }
}

/** The answer to a truncated call. Even if its text is complete JSON, it is not run: the end of its block never came. */
export function cutCall(
  { id, name, rawText }: { id: string; name: string; rawText: string },
  reason: CutReason,
): MalformedCall {
  const { why, next } = CUTS[reason];
  const facts = `${name}: the input was cut off at ${counted(rawText.length, 'character')} because ${why}, so the call was not run.`;
  return { id, name, problem: `${facts} ${next}`, shown: `The input was cut off because ${why}.`, rawText };
}

const SMALLER_STEPS = 'in smaller steps, for example a long file in several parts';

const CUTS: Record<CutReason, { why: string; next: string }> = {
  max_tokens: {
    why: 'the answer reached the limit of output tokens',
    next: `Sent again as it was it would be cut off again: do it ${SMALLER_STEPS}.`,
  },
  stream: {
    why: 'the connection to the model broke',
    next: `Send it again; if it is long, ${SMALLER_STEPS}.`,
  },
  interrupted: {
    why: 'the user interrupted',
    next: 'Send it again only if it is still wanted.',
  },
};

function finishCall({ id, name }: OpenCall, json: PartialJson): CompleteCall | MalformedCall {
  const rawText = json.text;
  if (rawText === '') return { id, name, input: {}, assumedEmpty: true };
  const result = json.finish();
  if (!result.ok) {
    const problem = `${name}: ${notJson(result.error)}`;
    const shown = `The input ${result.error.truncated ? 'was cut off' : 'is not valid JSON'}.`;
    return { id, name, problem, shown, rawText, ...(result.error.truncated && { truncated: true }) };
  }
  if (isObject(result.value)) return { id, name, input: result.value };
  return { id, name, problem: `${name}: ${notAnObject(result.value)}`, shown: 'The input is not an object.', rawText };
}

function notJson({ reason, line, column, position, excerpt, truncated }: JsonProblem): string {
  const place = `at line ${line}, column ${column} (position ${position})`;
  if (truncated) {
    return `the input was cut off at ${counted(position, 'character')}, so the call was not run: ${reason}, ${place}. It ends with:
${excerpt}
Send the whole call again; if it is long, ${SMALLER_STEPS}.`;
  }
  return `the input is not valid JSON, so the call was not run: ${reason}, ${place}. The text there reads:
${excerpt}
Correct it and send the whole call again, its input one JSON object.`;
}

function notAnObject(value: unknown): string {
  if (typeof value === 'string' && isObject(parseJson(value))) {
    return 'the input is a JSON string that contains an object, so it was encoded twice and the call was not run. Send the object itself, without the quotes around it and the backslashes inside.';
  }
  return `the input must be a JSON object with the parameters by name, but is ${kindOf(value)}, so the call was not run. Send it again with an object.`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value}`;
}
