import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type Model, type ModelEvent, ModelFailure, type StopReason, type Usage } from '../contract/model.js';
import { isObject } from '../platform/is-object.js';
import { nearestWords } from '../platform/text/similar-text.js';

const PIECE_LENGTH = 12; // characters per delta: small enough that every text arrives in several

/** The responses of a scripted model, turn by turn. */
export interface Script {
  /** Shown as the model's name. Default "scripted". */
  name?: string;
  turns: readonly ScriptedTurn[];
}

/** One response in a script. */
export interface ScriptedTurn {
  thinking?: string;
  text?: string;
  calls?: readonly ScriptedCall[];
  /** Default: "tool_use" for a turn with calls, else "end_turn". */
  stopReason?: StopReason | null;
  usage?: Partial<Usage>;
}

/** A call in a script. */
export type ScriptedCall =
  | { name: string; input: unknown; json?: undefined; id?: string }
  /** The input as raw text, which need not be valid JSON. */
  | { name: string; json: string; input?: undefined; id?: string };

/** Plays a script instead of calling a model: one turn per request, regardless of the request. */
export function scriptedModel(script: Script, { pace = 0 }: { pace?: number } = {}): Model {
  checkShape(script);
  const name = script.name ?? 'scripted';
  let played = 0;
  return {
    provider: 'scripted',
    name,
    maxOutputTokens: 32_000,
    async *stream(_request, signal) {
      signal.throwIfAborted();
      const number = played++;
      const turn = script.turns[number];
      if (!turn) throw endOfScript(script);
      yield* playTurn(turn, { number: number + 1, model: name, pace, signal });
    },
  };
}

/** One answer as a model's events, with `pace` milliseconds between its pieces. */
export async function* playTurn(
  turn: ScriptedTurn,
  { number, model, pace, signal }: { number: number; model: string; pace: number; signal: AbortSignal },
): AsyncGenerator<ModelEvent, void, void> {
  for (const event of turnEvents(turn, number, model)) {
    if (pace > 0 && isDelta(event)) await delay(pace, undefined, { signal }).catch(() => signal.throwIfAborted());
    signal.throwIfAborted();
    yield event;
  }
}

/** Checks scripts of programs without types: a mistyped field would otherwise play empty turns. */
function checkShape(script: unknown): void {
  const form = 'It must look like { turns: [{ text: "…" }, { calls: [{ name: "…", input: {…} }] }] }.';
  if (Array.isArray(script)) {
    throw new TypeError(`scriptedModel takes an object, but was given a list. Did you mean { turns: [ … ] }? ${form}`);
  }
  if (!isObject(script) || !('turns' in script) || !Array.isArray(script.turns)) {
    throw new TypeError(`The script has no list of turns. ${form}`);
  }
  checkNames(script, ['name', 'turns'], 'The script');
  for (const [index, turn] of script.turns.entries()) {
    const place = `turns[${index}]`;
    if (!isObject(turn)) throw new TypeError(`${place} of the script is not an object. ${form}`);
    checkNames(turn, ['thinking', 'text', 'calls', 'stopReason', 'usage'], place);
    const calls: unknown = 'calls' in turn ? turn.calls : undefined;
    if (calls !== undefined && !Array.isArray(calls)) throw new TypeError(`${place}.calls must be a list. ${form}`);
    for (const [at, call] of (calls ?? []).entries()) {
      const isNamed = isObject(call) && 'name' in call && typeof call.name === 'string';
      if (isObject(call)) checkNames(call, ['name', 'input', 'json', 'id'], `${place}.calls[${at}]`);
      if (!isNamed) throw new TypeError(`${place}.calls[${at}] has no name of a tool. ${form}`);
    }
  }
}

function checkNames(value: object, names: readonly string[], place: string): void {
  const odd = Object.keys(value).find((name) => !names.includes(name));
  if (odd === undefined) return;
  const [meant] = nearestWords(odd, names);
  const advice = meant === undefined ? `It has: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  throw new TypeError(`${place} has no field "${odd}". ${advice}`);
}

function isDelta({ type }: ModelEvent): boolean {
  return type === 'text_delta' || type === 'thinking_delta' || type === 'call_input';
}

function endOfScript({ turns }: Script): ModelFailure {
  const count = turns.length === 1 ? 'one turn' : `${turns.length} turns`;
  return new ModelFailure(
    'invalid_request',
    `The script has only ${count}, and the conversation wants another one. Add a turn without calls at its end.`,
  );
}

function* turnEvents(turn: ScriptedTurn, number: number, model: string): Generator<ModelEvent> {
  const { thinking, text, calls = [], usage } = turn;
  yield { type: 'message_start', id: `msg_script_${number}`, model };
  let index = 0;
  if (thinking) {
    for (const piece of pieces(thinking)) yield { type: 'thinking_delta', text: piece };
    yield { type: 'block', block: { type: 'thinking', thinking, signature: '' } };
    index++;
  }
  if (text) {
    for (const piece of pieces(text)) yield { type: 'text_delta', text: piece };
    yield { type: 'block', block: { type: 'text', text } };
    index++;
  }
  for (const [at, call] of calls.entries()) {
    yield { type: 'call_start', index, id: call.id ?? `toolu_script_${number}_${at + 1}`, name: call.name };
    const json = call.json ?? JSON.stringify(call.input ?? {});
    for (const piece of pieces(json)) yield { type: 'call_input', index, json: piece };
    yield { type: 'call_end', index };
    index++;
  }
  const stopReason = turn.stopReason === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : turn.stopReason;
  yield { type: 'message_end', stopReason, usage: { ...NO_USAGE, ...usage } };
}

const NO_USAGE: Readonly<Usage> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Splits by code point, so that no surrogate pair is broken. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`.{1,${PIECE_LENGTH}}`, 'gsu')) ?? [];
}

/** Checks a script that was read from a file. */
export function parseScript(value: unknown): Script {
  const parsed = scriptSchema().safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${placeName(path)}: ${message}`);
  const shown = problems.slice(0, 3).join('; ');
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  throw new ModelFailure(
    'invalid_request',
    `The script can't be played (${shown}${more}). It must look like {"turns": [{"text": "…", "calls": [{"name": "…", "input": {…}}]}]}.`,
  );
}

function scriptSchema(): z.ZodType<Script> {
  const call = z
    .strictObject({
      name: z.string().min(1),
      input: z.unknown().optional(),
      json: z.string().optional(),
      id: z.string().min(1).optional(),
    })
    .transform(({ name, input, json, id }, context): ScriptedCall => {
      if ((input === undefined) === (json === undefined)) {
        context.addIssue({ code: 'custom', message: 'a call has either "input" or "json"' });
      }
      const named = id === undefined ? { name } : { name, id };
      return json === undefined ? { ...named, input } : { ...named, json };
    });
  const count = z.int().min(0).optional();
  return z.strictObject({
    name: z.string().min(1).optional(),
    turns: z.array(
      z.strictObject({
        thinking: z.string().optional(),
        text: z.string().optional(),
        calls: z.array(call).optional(),
        stopReason: z
          .enum(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'pause_turn', 'refusal', 'context_overflow'])
          .nullable()
          .optional(),
        usage: z
          .strictObject({
            input_tokens: count,
            output_tokens: count,
            cache_read_input_tokens: count,
            cache_creation_input_tokens: count,
          })
          .optional(),
      }),
    ),
  });
}

function placeName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the whole';
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name ? `${name}.${String(key)}` : String(key)),
    '',
  );
}
