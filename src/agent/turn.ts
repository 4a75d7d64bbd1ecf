import { CallAssembler, type CompleteCall, cutCall, type MalformedCall } from '../calls/assemble.js';
import type { CallEnvironment } from '../calls/environment.js';
import { CallDropped } from '../calls/failure-text.js';
import { RefusedCalls } from '../calls/refused-calls.js';
import { runCall } from '../calls/run-call.js';
import type { AgentHappening } from '../contract/event.js';
import type { AssistantBlock, AssistantMessage, ToolResultBlock } from '../contract/message.js';
import {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelRequest,
  type StopReason,
  type Usage,
} from '../contract/model.js';
import type { Tool } from '../contract/tool.js';
import { UsageSoFar } from '../models/retry/usage-so-far.js';
import { monotonicMs } from '../platform/clock.js';
import { messageOf } from '../platform/message-of.js';
import { noUsage } from './usage.js';

export interface TurnOutcome {
  id: string;
  model: string;
  /** The answer of the model, or undefined if there is nothing to keep. */
  message: AssistantMessage | undefined;
  /** The text of the answer. */
  text: string;
  /** One for each call of the message, in its order. */
  results: ToolResultBlock[];
  /** How many of the calls were malformed. */
  malformedCalls: number;
  /** The tool of the only call, if that was malformed and not cut off. */
  malformedTool: string | undefined;
  stopReason: StopReason | null;
  explanation: string | undefined;
  usage: Usage;
  /** How long the model took to answer; calls may have run on. */
  modelMs: number;
  /** The request failed, before its answer or in the middle of it. */
  failure: ModelFailure | undefined;
  interrupted: boolean;
}

export interface TurnInput {
  model: Model;
  request: ModelRequest;
  environment: CallEnvironment;
  /** Makes the id of a call unique; providers send blank and repeated ids. */
  claimCallId(id: string): string;
  /** The model begins to write a call of this tool. */
  onCallStart?(tool: Tool): void;
  /** A block of the answer is complete. Not called for calls, which have an event. */
  onBlock?(block: AssistantBlock): void;
  /** The answer is complete and will be kept; its calls may still run. */
  onAnswer?(message: AssistantMessage, facts: { id: string; model: string }): void;
  signal: AbortSignal;
}

/** One request to the model: each call starts as soon as its block is complete, while the model still writes. */
export async function runTurn(input: TurnInput): Promise<TurnOutcome> {
  const answer = new StreamedAnswer(input);
  const started = monotonicMs();
  let failure: ModelFailure | undefined;
  try {
    for await (const event of input.model.stream(input.request, input.signal)) {
      if (event.type === 'call_start') await loadTool(event.name, input);
      answer.take(event);
    }
  } catch (error) {
    // Complete blocks are kept after any failure, since calls may have changed something.
    if (error instanceof ModelFailure) failure = error;
    else if (!input.signal.aborted) failure = unexpected(error);
  }
  const modelMs = monotonicMs() - started;
  if (input.signal.aborted) answer.closeInterrupted();
  else if (failure) answer.closeBroken();
  return { ...(await answer.settle()), modelMs, failure, interrupted: input.signal.aborted };
}

/** Loads the tool, so that the call can be shown from its first word on. A failure is reported when the call runs. */
async function loadTool(name: string, { environment, onCallStart }: TurnInput): Promise<void> {
  const tool = environment.findTool(name);
  if (!tool) return;
  onCallStart?.(tool);
  await tool.load().catch(() => {});
}

function unexpected(error: unknown): ModelFailure {
  const message = messageOf(error);
  return new ModelFailure('broken_stream', `The model's answer could not be read: ${message}`, { cause: error });
}

interface StartedCall {
  result: Promise<ToolResultBlock>;
  controller: AbortController;
}

class StreamedAnswer {
  readonly #input: TurnInput;
  readonly #environment: CallEnvironment;
  readonly #assembler = new CallAssembler();
  readonly #content: AssistantBlock[] = [];
  readonly #calls: StartedCall[] = [];
  /** Calls that have started: they are never dropped, since they may have changed something. */
  readonly #atWork = new Set<string>();
  #text = '';
  #unfinishedText = '';
  /** The last call if its input is missing or malformed: the following events show whether the answer was cut off there. */
  #doubtful: CompleteCall | MalformedCall | undefined;
  #malformedCalls = 0;
  /** The tool of the last call that was malformed and not cut off. */
  #malformedTool: string | undefined;
  #id = '';
  #model: string;
  #stopReason: StopReason | null = null;
  #explanation: string | undefined;
  #usage: Usage | undefined;
  readonly #usageSoFar = new UsageSoFar();

  constructor(input: TurnInput) {
    this.#input = input;
    this.#model = input.model.name;
    this.#environment = {
      ...input.environment,
      refused: new RefusedCalls(),
      emit: (happening) => {
        if (happening.type === 'tool_start') this.#atWork.add(happening.callId);
        input.environment.emit(happening);
      },
    };
  }

  take(event: ModelEvent): void {
    this.#usageSoFar.take(event);
    switch (event.type) {
      case 'message_start':
        this.#id = event.id;
        this.#model = event.model;
        return;
      case 'retry': {
        const { type: _, ...facts } = event;
        this.#emit({ type: 'model_retry', ...facts });
        return;
      }
      case 'restart':
        this.#restart();
        return;
      case 'notice':
      case 'text_calls':
        this.#emit(event);
        return;
      case 'text_delta':
        if (event.text === '') return;
        this.#unfinishedText += event.text;
        this.#takeText(event.text);
        return;
      case 'thinking_delta':
        this.#emit({ type: 'thinking_delta', text: event.text });
        return;
      case 'block':
        this.#runDoubtful();
        if (event.block.type === 'text' && this.#unfinishedText === '') this.#takeText(event.block.text); // there were no deltas
        this.#unfinishedText = '';
        this.#content.push(event.block);
        this.#input.onBlock?.(event.block);
        return;
      case 'call_start':
        this.#runDoubtful();
        this.#assembler.start({ ...event, id: this.#input.claimCallId(event.id) });
        return;
      case 'call_input': {
        const open = this.#assembler.add(event);
        const tool = this.#environment.findTool(open.name);
        this.#emit({
          type: 'tool_input',
          callId: open.id,
          tool: open.name,
          delta: event.json,
          input: () => open.input(),
          display: () => tool?.displayCall(open.input()) ?? { title: open.name },
        });
        return;
      }
      case 'call_end': {
        this.#runDoubtful();
        const call = this.#assembler.end(event);
        if ('problem' in call || call.assumedEmpty) this.#doubtful = call;
        else this.#run(call);
        return;
      }
      case 'message_end':
        this.#stopReason = event.stopReason;
        this.#explanation = event.explanation;
        this.#usage = event.usage;
        this.#close(event.stopReason);
        return;
    }
  }

  #takeText(text: string): void {
    this.#text += text;
    this.#emit({ type: 'text_delta', text });
  }

  /** No call was complete, so none has started. */
  #restart(): void {
    if (this.#calls.length > 0) throw new Error('An answer was restarted after calls of it had started.');
    this.#assembler.cut('stream');
    this.#content.length = 0;
    this.#doubtful = undefined;
    this.#text = '';
    this.#unfinishedText = '';
    this.#emit({ type: 'answer_restart' });
  }

  /** After an interrupt: complete blocks are kept, an incomplete call is dropped. */
  closeInterrupted(): void {
    this.#doubtful = undefined;
    this.#assembler.cut('interrupted');
    this.#keepUnfinishedText();
  }

  /** After a failure that ends the answer: the same, but the input of the last call may be invalid because it was cut off. */
  closeBroken(): void {
    this.#keepUnfinishedText();
    this.#assembler.cut('stream');
    this.#cutShort('stream');
  }

  async settle(): Promise<Omit<TurnOutcome, 'failure' | 'interrupted' | 'modelMs'>> {
    const facts = { id: this.#id, model: this.#model };
    const message: AssistantMessage = { role: 'assistant', content: this.#content };
    if (this.#isKept()) this.#input.onAnswer?.(message, facts);
    const results = await Promise.all(this.#calls.map(({ result }) => result));
    const isKept = this.#isKept(); // a call may have started at the moment of the refusal
    return {
      ...facts,
      message: isKept ? message : undefined,
      text: this.#text,
      results: isKept ? results : [],
      malformedCalls: this.#malformedCalls,
      malformedTool: this.#calls.length === 1 ? this.#malformedTool : undefined,
      stopReason: this.#stopReason,
      explanation: this.#explanation,
      usage: this.#usage ?? this.#usageSoFar.usage ?? noUsage,
    };
  }

  /** A refused answer is withdrawn, unless one of its calls has started. */
  #isKept(): boolean {
    const isWithdrawn = this.#stopReason === 'refusal' && this.#atWork.size === 0;
    return this.#content.length > 0 && !isWithdrawn;
  }

  /** A call that is still open when the message ends was cut off, even if the stop reason does not say so. */
  #close(stopReason: StopReason | null): void {
    if (stopReason === 'refusal') {
      this.#doubtful = undefined;
      this.#assembler.cut('interrupted');
      this.#dropUnstarted();
    } else if (stopReason === 'max_tokens' || stopReason === 'context_overflow') this.#cutShort('max_tokens');
    else {
      this.#runDoubtful();
      this.#cutShort('stream');
    }
  }

  #runDoubtful(): void {
    const call = this.#doubtful;
    this.#doubtful = undefined;
    if (!call) return;
    if ('problem' in call) this.#malformedTool = call.name;
    this.#run(call);
  }

  #cutShort(reason: 'max_tokens' | 'stream'): void {
    const last = this.#doubtful;
    this.#doubtful = undefined;
    if (last) {
      const rawText = 'problem' in last ? last.rawText : '';
      const wasCut = 'problem' in last ? last.truncated : last.assumedEmpty;
      this.#run(wasCut ? cutCall({ ...last, rawText }, reason) : last);
    }
    for (const call of this.#assembler.cut(reason)) this.#run(call);
  }

  #run(call: CompleteCall | MalformedCall): void {
    const isMalformed = 'problem' in call;
    if (isMalformed) this.#malformedCalls += 1;
    // Providers accept only an object here; the result quotes the input that was really sent.
    const input = isMalformed ? {} : call.input;
    this.#content.push({ type: 'tool_use', id: call.id, name: call.name, input });
    const display = this.#environment.findTool(call.name)?.displayCall(input) ?? { title: call.name };
    this.#emit({ type: 'tool_call', callId: call.id, tool: call.name, input, display });

    const controller = new AbortController();
    const signal = AbortSignal.any([this.#input.signal, controller.signal]);
    this.#calls.push({ result: runCall(call, this.#environment, signal), controller });
  }

  #dropUnstarted(): void {
    const reason = new CallDropped('The answer was withdrawn before this call started, so it was not run.');
    const ids = this.#content.filter((block) => block.type === 'tool_use').map(({ id }) => id);
    this.#calls.forEach(({ controller }, index) => {
      if (!this.#atWork.has(ids[index] ?? '')) controller.abort(reason);
    });
  }

  #keepUnfinishedText(): void {
    if (this.#unfinishedText.trim() !== '') this.#content.push({ type: 'text', text: this.#unfinishedText });
    this.#unfinishedText = '';
  }

  #emit(happening: AgentHappening): void {
    this.#input.environment.emit(happening);
  }
}
