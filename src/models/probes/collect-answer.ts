import type { Model, ModelRequest, StopReason, Usage } from '../../contract/model.js';

/** One answer of a model, as a probe judges it. */
export interface ProbeAnswer {
  text: string;
  thinking: string;
  calls: ReadonlyArray<ProbeCall>;
  stopReason: StopReason | null;
  usage: Usage;
  /** In how many pieces the text or the arguments arrived. */
  pieces: number;
  /** Until the first piece arrived. */
  firstPieceMs: number;
  totalMs: number;
}

/** A call of the answer, before anything was corrected. */
export interface ProbeCall {
  name: string;
  id: string;
  /** The arguments as they were sent. */
  json: string;
  /** Undefined if the arguments are not valid JSON. */
  input: unknown;
}

/** Sends one request and collects its answer. Throws what `stream` throws. */
export async function collectAnswer(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ProbeAnswer> {
  const startedAt = performance.now();
  let firstPieceMs: number | undefined;
  let answer = emptyAnswer();
  for await (const event of model.stream(request, signal)) {
    switch (event.type) {
      case 'restart':
        answer = emptyAnswer();
        break;
      case 'text_delta':
      case 'thinking_delta':
        firstPieceMs ??= performance.now() - startedAt;
        answer.pieces += 1;
        answer[event.type === 'text_delta' ? 'text' : 'thinking'] += event.text;
        break;
      case 'call_start':
        firstPieceMs ??= performance.now() - startedAt;
        answer.open.set(event.index, { name: event.name, id: event.id, json: '' });
        break;
      case 'call_input': {
        answer.pieces += 1;
        const call = answer.open.get(event.index);
        if (call) call.json += event.json;
        break;
      }
      case 'message_end':
        answer.stopReason = event.stopReason;
        answer.usage = event.usage;
        break;
    }
  }
  const { open, ...rest } = answer;
  const totalMs = performance.now() - startedAt;
  const calls = [...open.values()].map((call) => ({ ...call, input: inputOf(call.json) }));
  return { ...rest, calls, firstPieceMs: firstPieceMs ?? totalMs, totalMs };
}

const emptyAnswer = () => ({
  text: '',
  thinking: '',
  pieces: 0,
  stopReason: null as StopReason | null,
  usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  open: new Map<number, { name: string; id: string; json: string }>(),
});

/** Calls without arguments may come with none at all. */
function inputOf(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
