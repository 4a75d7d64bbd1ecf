import type { ModelEvent } from '../../../contract/model.js';
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
  again: { id: string; name: string; text: ArgumentText; pieces: number; isOwn: boolean } | undefined;
  /** The call that this one may be once more, under another id. Nothing of it is shown until that is clear. */
  mayRepeat: Call | undefined;
  /** What could have been handed on by now. */
  unsaid: string;
}

/**
 * Puts together the calls of one answer from pieces that servers number, name and repeat in ways of their own. Calls end
 * in the order in which they began, each as soon as its arguments are complete and another has begun, or at the finish.
 */
export class StreamedCalls {
  readonly #options: StreamedCallsOptions;
  readonly #calls: Call[] = [];
  /** The last call of each id and of each number on the wire. */
  readonly #byId = new Map<string, Call>();
  readonly #byIndex = new Map<number, Call>();
  /** The first call that has not ended. */
  #next = 0;

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

  /** The calls of a whole message. Where they came in pieces before, it holds them once more, not always by their ids. */
  *addWhole(pieces: readonly CallPiece[]): Generator<ModelEvent> {
    if (pieces.length === 0) return;
    const known = new Set(this.#calls.map(({ name, text }) => `${name} ${meaning(text)}`));
    for (const piece of pieces) {
      const text = new ArgumentText();
      text.push(piece.json);
      if (!known.has(`${piece.name} ${meaning(text)}`)) yield* this.add(piece);
    }
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
      yield* this.#release(call); // where it does not end, it is answered as a call that was cut off
      if (!call.hasEnded && (call.text.isComplete || !isCut)) yield* this.#end(call);
    }
  }

  /** The call that a piece is part of, or nothing where it begins one. */
  #belongsTo(piece: CallPiece): Call | undefined {
    const { index, id, name } = piece;
    const last = this.#calls.at(-1);
    const numbered = index === undefined ? last : this.#byIndex.get(index);
    const known = id !== '' && numbered?.id === id ? numbered : this.#byId.get(id);
    // Servers give one id to two calls, too, of the same tool or of two.
    if (known) return this.#mayBeCalled(known, name) && !this.#beginsAnother(known, piece) ? known : undefined;
    if (name === '') {
      // Without a name it can't be another call, whatever its number; but an id that is not the last call's says that
      // it is no part of that one.
      const isForeign = id !== '' && (index === undefined ? Boolean(last?.id) : !numbered);
      return isForeign ? undefined : (numbered ?? last);
    }
    if (!numbered || numbered.name === '') return numbered;
    if (id !== '' && (numbered.id !== '' || numbered.text.isComplete)) return undefined;
    return this.#mayBeCalled(numbered, name) ? numbered : undefined;
  }

  /** A call of the same tool under an id that is in use: an index of its own says so, but not in the midst of arguments. */
  #beginsAnother(known: Call, { index, name, json }: CallPiece): boolean {
    const isNewIndex = index !== undefined && known.wireIndex !== undefined && !this.#byIndex.has(index);
    if (!isNewIndex || name === '' || name !== known.name) return false;
    return json.trim() === '' || (json.trimStart().startsWith('{') && !known.text.isEmpty);
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
      mayRepeat: this.#finishedBefore({ index, id, name }),
      unsaid: '',
    };
    const last = this.#calls.at(-1);
    if (last && last.name !== '' && !last.mayRepeat) yield* this.#start(last); // it is named by now, so it can be shown
    this.#calls.push(call);
    if (id !== '') this.#byId.set(id, call);
    if (index !== undefined) this.#byIndex.set(index, call);
    yield* this.#push(call, json);
  }

  /** A complete call of the same name that has the same number or id, which servers send once more under another. */
  #finishedBefore({ index, id, name }: Omit<CallPiece, 'json'>): Call | undefined {
    const before = (index === undefined ? undefined : this.#byIndex.get(index)) ?? this.#byId.get(id);
    const first = before?.mayRepeat ?? before;
    return id !== '' && first?.name === name && first.text.isComplete ? first : undefined;
  }

  *#continue(call: Call, { id, name, json }: CallPiece): Generator<ModelEvent> {
    if (call.id === '' && id !== '' && !call.isStarted) {
      call.id = id;
      this.#byId.set(id, call);
    }
    if (name !== call.name && (call.name === '' || this.#isRestOfName(call, name))) call.name += name;
    yield* this.#push(call, json);
  }

  *#push(call: Call, json: string): Generator<ModelEvent> {
    const ready = call.text.push(json);
    if (call.text.isEmpty) return;
    if (call.name === '') throw this.#options.strayPiece('it held a tool call without a name');
    call.unsaid += ready;
    if (!call.mayRepeat || call.text.isComplete) yield* this.#release(call);
  }

  /** Hands on what has come of a call, unless it is another one once more: that is dropped. */
  *#release(call: Call): Generator<ModelEvent> {
    const { mayRepeat, unsaid } = call;
    call.mayRepeat = undefined;
    call.unsaid = '';
    if (mayRepeat && meaning(call.text) === meaning(mayRepeat.text)) {
      call.hasEnded = true;
      return;
    }
    yield* this.#start(call);
    if (unsaid !== '' && !this.#ownNames(call)) yield { type: 'call_input', index: call.number, json: unsaid };
  }

  *#start(call: Call): Generator<ModelEvent> {
    if (call.isStarted) return;
    call.isStarted = true;
    yield { type: 'call_start', index: call.number, id: call.id, name: call.name };
  }

  *#addAgain(call: Call, { id, name, json }: CallPiece): Generator<ModelEvent> {
    if (json.trim() === '' && !call.again && name === '') return;
    call.again ??= { id: '', name: '', text: new ArgumentText(), pieces: 0, isOwn: true };
    call.again.id ||= id;
    call.again.name ||= name;
    call.again.text.push(json);
    if (json !== '') call.again.pieces += 1;
    call.again.isOwn &&= call.text.received.includes(json);
    if (call.again.text.isComplete) yield* this.#settleAgain(call);
  }

  /** The same arguments once more are one call; others are another call if it has a name, and else make this one invalid. */
  *#settleAgain(call: Call): Generator<ModelEvent> {
    const { again } = call;
    call.again = undefined;
    if (!again || again.text.isEmpty || repeats(again.text, call.text)) return;
    // Pieces under this call's id may be any of its own once more, so only a whole, or one with a piece that this call
    // does not have, is another call.
    const isAnother = again.id === '' || again.pieces === 1 || (again.text.isComplete && !again.isOwn);
    if (again.name !== '' && isAnother) {
      yield* this.#open({ index: call.wireIndex, id: '', name: again.name, json: again.text.received });
      return;
    }
    const last = this.#calls.at(-1);
    if (last && last !== call && last.text.isEmpty && again.id === '') {
      yield* this.#push(last, again.text.received); // the only one that still waits for its arguments
      return;
    }
    if (call.hasEnded && call.text.received.trimEnd().endsWith(again.text.received.trim())) return; // its end once more
    if (call.hasEnded) throw this.#options.strayPiece('it held arguments that belong to no call');
    call.text.push(again.text.received); // and is no JSON any more, which the model is told
  }

  *#endReady({ withLast }: { withLast: boolean }): Generator<ModelEvent> {
    for (let call = this.#calls[this.#next]; call; call = this.#calls[this.#next]) {
      const isLast = call === this.#calls.at(-1);
      if (!call.hasEnded) {
        if (!call.text.isComplete || isFilled(call.again) || (isLast && !withLast)) return;
        yield* this.#end(call);
      }
      this.#next += 1;
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

/** Can't be the beginning of arguments, and no id says whose they are. */
const isMiddle = ({ id, name, json }: CallPiece): boolean => id === '' && name === '' && /^\s*[^\s{]/.test(json);

const isFilled = (again: Call['again']): boolean => again !== undefined && !again.text.isEmpty;

/** The arguments, mended, from their first character. */
function whole({ received }: ArgumentText): string {
  const text = new ArgumentText();
  return text.push(received) + text.finish();
}

/** Whether the one text is the other again, or the beginning of it. */
function repeats(again: ArgumentText, text: ArgumentText): boolean {
  return text.received.trim().startsWith(again.received.trim()) || meaning(again) === meaning(text);
}

/** The same for arguments that differ in their spelling alone. */
function meaning(text: ArgumentText): string {
  if (text.isEmpty) return '{}';
  try {
    return JSON.stringify(JSON.parse(whole(text)));
  } catch {
    return text.received.trim();
  }
}
