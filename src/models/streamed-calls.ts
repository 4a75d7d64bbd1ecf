import type { ModelEvent } from '../contract/model.js';
import { ArgumentText } from './argument-text.js';

/** A piece of a call as the wire has it; any of it may be missing. */
export interface CallPiece {
  index: number | undefined;
  id: string;
  name: string;
  json: string;
}

export interface StreamedCallsOptions {
  /** The tools that the model was offered. */
  toolNames: ReadonlySet<string>;
  /** The way from the provider's names of parameters to the tool's own, for tools that have it. */
  ownNames?(tool: string): ((input: unknown) => unknown) | undefined;
  /** The failure for a piece that belongs to no call. */
  strayPiece(why: string): Error;
}

interface Call {
  number: number;
  wireIndex: number | undefined;
  id: string;
  name: string;
  text: ArgumentText;
  isStarted: boolean;
  hasEnded: boolean;
  /** Arguments that came after its own were complete: the same ones once more, or those of another call. */
  again: { name: string; text: ArgumentText } | undefined;
}

/**
 * Puts together the calls of one answer from pieces that servers number, name and repeat in ways of their own. Calls end
 * in the order in which they began, each as soon as its arguments are complete and another has begun, or at the finish.
 */
export class StreamedCalls {
  readonly #options: StreamedCallsOptions;
  readonly #calls: Call[] = [];

  constructor(options: StreamedCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.length;
  }

  *add(piece: CallPiece): Generator<ModelEvent> {
    const call = this.#belongsTo(piece);
    const last = this.#calls.at(-1);
    if (!call) yield* this.#open(piece);
    else if (!call.text.isComplete) yield* this.#continue(call, piece);
    else if (last && last !== call && isMiddle(piece) && !last.text.isEmpty) yield* this.#continue(last, piece);
    else yield* this.#addAgain(call, piece);
    yield* this.#endReady({ withLast: false });
  }

  /** The server says that the answer is finished; what it says about usage may still follow. */
  *finish(): Generator<ModelEvent> {
    yield* this.#endReady({ withLast: true });
  }

  /** No more comes. Of an answer that was cut off, only calls whose arguments are complete end. */
  *close({ isCut }: { isCut: boolean }): Generator<ModelEvent> {
    for (const call of [...this.#calls]) yield* this.#settleAgain(call);
    for (const call of this.#calls) {
      if (call.hasEnded || call.name === '') continue; // nothing came of a call but its number
      if (call.text.isComplete || !isCut) yield* this.#end(call);
      else yield* this.#start(call); // so that it is answered as a call that was cut off
    }
  }

  /** The call that a piece is part of, or nothing where it begins one. */
  #belongsTo({ index, id, name }: CallPiece): Call | undefined {
    const known = id === '' ? undefined : this.#calls.findLast((call) => call.id === id);
    if (known) return this.#mayBeCalled(known, name) ? known : undefined; // servers give one id to two calls, too
    const last = this.#calls.at(-1);
    const numbered = index === undefined ? last : this.#calls.findLast((call) => call.wireIndex === index);
    if (name === '') return numbered ?? last; // without a name it can't be another call, whatever its number
    if (!numbered || numbered.name === '') return numbered;
    if (id !== '' && (numbered.id !== '' || numbered.text.isComplete)) return undefined;
    return this.#mayBeCalled(numbered, name) ? numbered : undefined;
  }

  #mayBeCalled(call: Call, name: string): boolean {
    return name === '' || call.name === '' || name === call.name || this.#isRestOfName(call, name);
  }

  /** Names come in pieces too; what the whole would be tells. */
  #isRestOfName(call: Call, rest: string): boolean {
    const { toolNames } = this.#options;
    if (call.isStarted || toolNames.has(call.name)) return false;
    return [...toolNames].some((tool) => tool.startsWith(call.name + rest));
  }

  *#open({ index, id, name, json }: CallPiece): Generator<ModelEvent> {
    if (id === '' && name === '' && json.trim() === '') return;
    const number = this.#calls.length;
    const text = new ArgumentText();
    const call: Call = {
      number,
      wireIndex: index,
      id,
      name,
      text,
      isStarted: false,
      hasEnded: false,
      again: undefined,
    };
    // What has begun before is named by now, so it can be shown.
    for (const earlier of this.#calls) if (earlier.name !== '') yield* this.#start(earlier);
    this.#calls.push(call);
    yield* this.#push(call, json);
  }

  *#continue(call: Call, { id, name, json }: CallPiece): Generator<ModelEvent> {
    if (call.id === '' && !call.isStarted) call.id = id;
    if (name !== call.name && (call.name === '' || this.#isRestOfName(call, name))) call.name += name;
    yield* this.#push(call, json);
  }

  *#push(call: Call, json: string): Generator<ModelEvent> {
    const ready = call.text.push(json);
    if (call.text.isEmpty) return;
    if (call.name === '') throw this.#options.strayPiece('it held a tool call without a name');
    yield* this.#start(call);
    if (ready !== '' && !this.#ownNames(call)) yield { type: 'call_input', index: call.number, json: ready };
  }

  *#start(call: Call): Generator<ModelEvent> {
    if (call.isStarted) return;
    call.isStarted = true;
    yield { type: 'call_start', index: call.number, id: call.id, name: call.name };
  }

  *#addAgain(call: Call, { name, json }: CallPiece): Generator<ModelEvent> {
    if (json.trim() === '' && !call.again && name === '') return;
    call.again ??= { name: '', text: new ArgumentText() };
    call.again.name ||= name;
    call.again.text.push(json);
    if (call.again.text.isComplete) yield* this.#settleAgain(call);
  }

  /** The same arguments once more are one call; others are another call if it has a name, and else make this one invalid. */
  *#settleAgain(call: Call): Generator<ModelEvent> {
    const { again } = call;
    call.again = undefined;
    if (!again || again.text.isEmpty || repeats(again.text, call.text)) return;
    if (again.name !== '') {
      yield* this.#open({ index: call.wireIndex, id: '', name: again.name, json: again.text.received });
      return;
    }
    const last = this.#calls.at(-1);
    if (last && last !== call && last.text.isEmpty) {
      yield* this.#push(last, again.text.received); // the only one that still waits for its arguments
      return;
    }
    if (call.hasEnded) throw this.#options.strayPiece('it held arguments that belong to no call');
    call.text.push(again.text.received); // and is no JSON any more, which the model is told
  }

  *#endReady({ withLast }: { withLast: boolean }): Generator<ModelEvent> {
    for (const call of this.#calls) {
      if (call.hasEnded) continue;
      const isLast = call === this.#calls.at(-1);
      if (!call.text.isComplete || isFilled(call.again) || (isLast && !withLast)) return;
      yield* this.#end(call);
    }
  }

  *#end(call: Call): Generator<ModelEvent> {
    yield* this.#start(call);
    call.hasEnded = true;
    const ownNames = this.#ownNames(call);
    const json = call.text.isEmpty ? '{}' : ownNames ? this.#renamed(call, ownNames) : call.text.finish();
    if (json !== '') yield { type: 'call_input', index: call.number, json };
    yield { type: 'call_end', index: call.number };
  }

  #ownNames({ name }: Call): ((input: unknown) => unknown) | undefined {
    return this.#options.ownNames?.(name);
  }

  /** Names can be changed only in the whole, so nothing of it was handed on before. */
  #renamed({ text }: Call, ownNames: (input: unknown) => unknown): string {
    const mended = whole(text);
    try {
      return JSON.stringify(ownNames(JSON.parse(mended)));
    } catch {
      return mended;
    }
  }
}

/** Can't be the beginning of arguments. */
const isMiddle = ({ name, json }: CallPiece): boolean => name === '' && /^\s*[^\s{]/.test(json);

const isFilled = (again: Call['again']): boolean => again !== undefined && !again.text.isEmpty;

/** The arguments, mended, from their first character. */
function whole({ received }: ArgumentText): string {
  const text = new ArgumentText();
  return text.push(received) + text.finish();
}

/** Whether the one text is the other again, or the beginning of it. */
function repeats(again: ArgumentText, text: ArgumentText): boolean {
  if (text.received.trim().startsWith(again.received.trim())) return true;
  try {
    return JSON.stringify(JSON.parse(whole(again))) === JSON.stringify(JSON.parse(whole(text)));
  } catch {
    return false;
  }
}
