import type { RecordedCall } from '../../agent/replay/replay-calls.js';
import type { FailureKind } from '../../contract/failure.js';
import type { ToolResultBlock } from '../../contract/message.js';
import { sha256 } from '../../platform/crypto.js';
import { unifiedPatch } from '../../platform/text/diff.js';
import { toolTable } from '../../tools/index.js';
import { withoutVolatile } from './volatile-parts.js';

export interface PlayedCall {
  call: RecordedCall;
  /** Why it was not played; if undefined, `now` is the outcome. */
  notPlayed?: string;
  now?: { result: Pick<ToolResultBlock, 'content' | 'is_error'>; failure?: FailureKind | undefined };
}

export type Comparison =
  | { verdict: 'same' }
  /** Equal except for these kinds of volatile parts. */
  | { verdict: 'alike'; butFor: readonly string[] }
  | { verdict: 'different'; recorded: string; now: string; diff: string }
  | { verdict: 'not_played'; why: string };

/** The new result already uses the names of the recorded session. */
export function compare(
  { call, now, notPlayed = '' }: PlayedCall,
  { strict = false }: { strict?: boolean } = {},
): Comparison {
  if (!now) return { verdict: 'not_played', why: notPlayed };
  // The text of a refusal depends on who could be asked.
  if (call.failure === 'permission_denied' && now.failure === 'permission_denied') return { verdict: 'same' };
  // For an input that could not be parsed, the session has only the error and not the input itself.
  if (call.failure === 'invalid_input' && now.failure === 'invalid_input' && isEmpty(call.input)) {
    return { verdict: 'same' };
  }
  const [recorded, current] = [shown(call.result), shown(now.result)];
  if (recorded === current) return { verdict: 'same' };
  if (!strict) {
    const traits = toolTable().traits.get(call.tool) ?? {};
    const [before, after] = [withoutVolatile(recorded, traits), withoutVolatile(current, traits)];
    if (before.text === after.text) return { verdict: 'alike', butFor: before.found };
  }
  return { verdict: 'different', recorded, now: current, diff: patch(recorded, current) };
}

const isEmpty = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && Object.keys(input).length === 0;

/** A failure differs from a success with the same text. */
function shown({ content, is_error }: PlayedResult): string {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const texts = blocks.map((block) => {
    if (block.type === 'text') return block.text;
    const hash = sha256().update(block.source.data).digest('hex');
    return `[an image of the type ${block.source.media_type}, ${hash}]`;
  });
  return `${is_error ? '(failed)\n' : ''}${texts.join('\n')}`;
}

type PlayedResult = Pick<ToolResultBlock, 'content' | 'is_error'>;

/** The header names both sides; differences in line endings count. */
function patch(recorded: string, now: string): string {
  const text = unifiedPatch('result', `${recorded}\n`, `${now}\n`);
  return text.replace(/^--- .*\n\+\+\+ .*\n/m, '--- recorded\n+++ now\n');
}
