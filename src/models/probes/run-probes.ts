import { type Effort, type Model, ModelFailure } from '../../contract/model.js';
import { collectAnswer, type ProbeAnswer } from './collect-answer.js';
import { type Probe, probes } from './probes.js';

/** What a probe showed. */
export interface ProbeResult {
  id: Probe['id'];
  title: string;
  works: boolean;
  /** What was wrong. */
  problem?: string;
  /** Absent if there was no answer. */
  answer?: ProbeAnswer;
}

export interface ProbeOptions {
  signal: AbortSignal;
  /** How long one answer may take. */
  timeoutMs: number;
}

/** The failures that every other request would have too. */
const FINAL: readonly ModelFailure['kind'][] = ['auth', 'unreachable', 'unknown_model'];

/**
 * Sends the probes one after the other, since local servers answer one request at a time, and yields each result.
 * Throws the `ModelFailure` if no request can succeed, and the signal's reason when aborted.
 */
export async function* runProbes(
  modelWith: (effort: Effort | undefined) => Promise<Model>,
  { signal, timeoutMs }: ProbeOptions,
): AsyncGenerator<ProbeResult> {
  const usual = await modelWith(undefined);
  for (const probe of probes) {
    const { id, title, effort } = probe;
    try {
      const answer = await answerTo(probe, effort ? await modelWith(effort) : usual, signal, timeoutMs);
      const problem = probe.problem(answer);
      yield { id, title, works: problem === undefined, ...(problem !== undefined && { problem }), answer };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelFailure) || FINAL.includes(error.kind)) throw error;
      yield { id, title, works: false, problem: error.message };
    }
  }
}

async function answerTo(
  { request }: Probe,
  model: Model,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ProbeAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await collectAnswer(model, request, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new ModelFailure('broken_stream', `There was no complete answer after ${Math.round(timeoutMs / 1000)} s.`);
  }
}
