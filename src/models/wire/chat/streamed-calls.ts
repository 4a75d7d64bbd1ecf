import type { ModelEvent } from '../../../contract/model.js';
import { ArgumentText } from './argument-text.js';

/** A piece of a call from the wire; any field may be missing. */
export interface CallPiece {
  index: number | undefined;
  id: string;
  name: string;
  json: string;
  /** Data of the server about the call, which must be sent back with it. */
  extra?: Readonly<Record<string, unknown>>;
}

export interface StreamedCallsOptions {
  /** The provider that the extra data is tagged with when it is sent back. */
  provider: string;
  /** The tools that the model was offered. */
  toolNames: ReadonlySet<string>;
  /** Maps the provider's parameter names back to the tool's own, for tools whose parameters were renamed. */
  ownNames?(tool: string): ((input: unknown) => unknown) | undefined;
  /** Creates the failure for a piece that belongs to no call. */
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
  /** Arguments that arrived after this call's own were complete: either a repetition, or those of another call. */
  again: { id: string; name: string; text: ArgumentText; pieces: number; isOwn: boolean } | undefined;
  /** The call that this one may repeat under another id. Nothing is emitted until that is decided. */
  mayRepeat: Call | undefined;
  /** Text that is ready to be emitted. */
  unsaid: string;
  extra: CallPiece['extra'];
}

/**
 * Assembles the calls of one response from pieces that servers number, name and repeat inconsistently. Calls end in the
 * order in which they began, each as soon as its arguments are complete and another call has begun, or at the finish.
 */
export class StreamedCalls {
  readonly #options: StreamedCallsOptions;
  readonly #calls: Call[] = [];
  /** The last call for each id and for each index on the wire. */
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

  /**
   * Adds the calls of a whole message. If they were also streamed, the message repeats them, not always with the same
   * ids.
   */
  *addWhole(pieces: readonly CallPiece[]): Generator<ModelEvent> {
    if (pieces.length === 0) return;
    const known = new Set(this.#calls.map(({ name, text }) => `${name} ${meaning(text)}`));
    for (const piece of pieces) {
      const text = new ArgumentText();
      text.push(piece.json);
      if (!known.has(`${piece.name} ${meaning(text)}`)) yield* this.add(piece);
    }
  }

  /** The server has finished the response; usage may still follow. */
  *finish(): Generator<ModelEvent> {
    yield* this.#endReady({ withLast: true });
  }

  /** The stream has ended. In a truncated response, only calls with complete arguments end. */
  *close({ isCut }: { isCut: boolean }): Generator<ModelEvent> {
    for (const call of [...this.#calls]) yield* this.#settleAgain(call);
    for (const call of this.#calls) {
      if (call.hasEnded || call.name === '') continue; // only an index arrived for this call
      yield* this.#release(call); // if it does not end here, it is answered as a truncated call
      if (!call.hasEnded && (call.text.isComplete || !isCut)) yield* this.#end(call);
    }
  }

  /** The call that a piece belongs to; undefined if it starts a new one. */
  #belongsTo(piece: CallPiece): Call | undefined {
    const { index, id, name } = piece;
    const last = this.#calls.at(-1);
    const numbered = index === undefined ? last : this.#byIndex.get(index);
    const known = id !== '' && numbered?.id === id ? numbered : this.#byId.get(id);
    // Some servers give two calls the same id, for one tool or for two.
    if (known) return this.#mayBeCalled(known, name) && !this.#beginsAnother(known, piece) ? known : undefined;
    if (name === '') {
      // Without a name it can't start another call, with any index; but an id other than the last call's means that
      // it does not belong to that one.
      const isForeign = id !== '' && (index === undefined ? Boolean(last?.id) : !numbered);
      return isForeign ? undefined : (numbered ?? last);
    }
    if (!numbered || numbered.name === '') return numbered;
    if (id !== '' && (numbered.id !== '' || numbered.text.isComplete)) return undefined;
    return this.#mayBeCalled(numbered, name) ? numbered : undefined;
  }

  /**
   * Whether this is a new call of the same tool with an id that is in use: it has its own index, and does not start in
   * the middle of arguments.
   */
  #beginsAnother(known: Call, { index, name, json }: CallPiece): boolean {
    const isNewIndex = index !== undefined && known.wireIndex !== undefined && !this.#byIndex.has(index);
    if (!isNewIndex || name === '' || name !== known.name) return false;
    return json.trim() === '' || (json.trimStart().startsWith('{') && !known.text.isEmpty);
  }

  #mayBeCalled(call: Call, name: string): boolean {
    return name === '' || call.name === '' || name === call.name || this.#isRestOfName(call, name);
  }

  /** Whether `rest` continues a name that arrived in pieces: a known tool starts with the joined text. */
  #isRestOfName(call: Call, rest: string): boolean {
    const { toolNames } = this.#options;
    if (call.isStarted || toolNames.has(call.name)) return false;
    return [...toolNames].some((tool) => tool.startsWith(call.name + rest));
  }

  *#open({ index, id, name, json, extra }: CallPiece): Generator<ModelEvent> {
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
      extra,
    };
    const last = this.#calls.at(-1);
    if (last && last.name !== '' && !last.mayRepeat) yield* this.#start(last); // the name is complete, so it can be emitted
    this.#calls.push(call);
    if (id !== '') this.#byId.set(id, call);
    if (index !== undefined) this.#byIndex.set(index, call);
    yield* this.#push(call, json);
  }

  /** A complete call with the same name and the same index or id, which some servers send again under another. */
  #finishedBefore({ index, id, name }: Omit<CallPiece, 'json'>): Call | undefined {
    const before = (index === undefined ? undefined : this.#byIndex.get(index)) ?? this.#byId.get(id);
    const first = before?.mayRepeat ?? before;
    return id !== '' && first?.name === name && first.text.isComplete ? first : undefined;
  }

  *#continue(call: Call, { id, name, json, extra }: CallPiece): Generator<ModelEvent> {
    call.extra ??= extra;
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

  /** Emits a call, unless it repeats another one: then it is dropped. */
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

  /**
   * Repeated arguments are the same call; different ones are another call if they have a name, and otherwise make this
   * one invalid.
   */
  *#settleAgain(call: Call): Generator<ModelEvent> {
    const { again } = call;
    call.again = undefined;
    if (!again || again.text.isEmpty || repeats(again.text, call.text)) return;
    // Pieces under this call's id may repeat any of its own, so it is another call only if it is whole, or has a piece
    // that this call does not have.
    const isAnother = again.id === '' || again.pieces === 1 || (again.text.isComplete && !again.isOwn);
    if (again.name !== '' && isAnother) {
      yield* this.#open({ index: call.wireIndex, id: '', name: again.name, json: again.text.received });
      return;
    }
    const last = this.#calls.at(-1);
    if (last && last !== call && last.text.isEmpty && again.id === '') {
      yield* this.#push(last, again.text.received); // the only call still waiting for arguments
      return;
    }
    if (call.hasEnded && call.text.received.trimEnd().endsWith(again.text.received.trim())) return; // repeats its end
    if (call.hasEnded) throw this.#options.strayPiece('it held arguments that belong to no call');
    call.text.push(again.text.received); // no longer valid JSON, which the model gets as an error
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
    if (call.extra) {
      const value = { type: 'call_extra', extra_content: call.extra };
      yield { type: 'block', block: { type: 'opaque', provider: this.#options.provider, value } }; // right before its call
    }
    yield { type: 'call_end', index: call.number };
  }

  #ownNames({ name }: Call): ((input: unknown) => unknown) | undefined {
    return this.#options.ownNames?.(name);
  }

  /** Names can be mapped only in complete arguments, so nothing was emitted before. */
  #renamed({ text }: Call, ownNames: (input: unknown) => unknown): string {
    const repaired = whole(text);
    try {
      return JSON.stringify(ownNames(JSON.parse(repaired)));
    } catch {
      return repaired;
    }
  }
}

/** Whether it can't be the start of arguments, and has no id. */
const isMiddle = ({ id, name, json }: CallPiece): boolean => id === '' && name === '' && /^\s*[^\s{]/.test(json);

const isFilled = (again: Call['again']): boolean => again !== undefined && !again.text.isEmpty;

/** The repaired arguments, from their first character. */
function whole({ received }: ArgumentText): string {
  const text = new ArgumentText();
  return text.push(received) + text.finish();
}

/** Whether one text repeats the other, or its start. */
function repeats(again: ArgumentText, text: ArgumentText): boolean {
  return text.received.trim().startsWith(again.received.trim()) || meaning(again) === meaning(text);
}

/** Normalises arguments, so that those that differ only in formatting are equal. */
function meaning(text: ArgumentText): string {
  if (text.isEmpty) return '{}';
  try {
    return JSON.stringify(JSON.parse(whole(text)));
  } catch {
    return text.received.trim();
  }
}
