// Merges the answers of all hooks of an event. Pure, and independent of which hook finished first: replies come in
// configuration order.
import { isDeepStrictEqual } from 'node:util';
import type { HookOutcome } from '../contract/hook.js';
import type { Behavior, HookAnswer } from '../contract/permission.js';

/** The answer of one hook. */
export interface HookReply {
  /** The name of the hook for people. */
  name: string;
  behavior?: Behavior;
  reason?: string;
  /** The whole input as the hook wants it. */
  updatedInput?: Readonly<Record<string, unknown>>;
  block?: { reason: string };
  additionalContext?: string;
  updatedOutput?: { value: unknown };
  worktreePath?: string;
  stop?: { reason: string };
  message?: string;
  reports: readonly string[];
}

const strictness: Readonly<Record<Behavior, number>> = { allow: 1, ask: 2, deny: 3 };

/** The stricter of two answers; either may be missing. */
export function stricter(one: Behavior | undefined, other: Behavior | undefined): Behavior | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return strictness[other] > strictness[one] ? other : one;
}

/** `originalInput` is the input that every hook received. */
export function mergeAnswers(given: readonly HookReply[], originalInput?: unknown): HookOutcome {
  const updatedInput = mergeInputs(
    originalInput,
    given.map((reply) => reply.updatedInput).filter((input) => input !== undefined),
  );
  const replies = given.map((reply) => withoutStaleAllow(reply, originalInput, updatedInput));
  const behavior = replies.map((reply) => reply.behavior).reduce(stricter, undefined);
  const blocks = replies.map(({ block }) => block).filter((block) => block !== undefined);
  const updatedOutput = replies.findLast((reply) => reply.updatedOutput)?.updatedOutput;
  const stop = replies.find((reply) => reply.stop)?.stop;
  const worktreePath = replies.findLast((reply) => reply.worktreePath !== undefined)?.worktreePath;
  return {
    answers: replies.map(answerOf).filter((answer) => answer !== undefined),
    ...(behavior && { behavior }),
    ...(updatedInput && { updatedInput, changedBy: given.filter((one) => one.updatedInput).map(({ name }) => name) }),
    ...(blocks.length > 0 && { block: { reason: blocks.map(({ reason }) => reason).join('\n') } }),
    additionalContext: replies.map((reply) => reply.additionalContext).filter((text) => text !== undefined),
    ...(updatedOutput && { updatedOutput }),
    ...(worktreePath !== undefined && { worktreePath }),
    ...(stop && { stop }),
    messages: replies.map(({ message }) => message).filter((message) => message !== undefined),
    reports: replies.flatMap(({ reports }) => reports),
  };
}

function answerOf({ name, behavior, reason }: HookReply): HookAnswer | undefined {
  return behavior && { behavior, name, ...(reason !== undefined && { reason }) };
}

/** An allow covers the input that the hook received or returned, but not changes by other hooks. */
function withoutStaleAllow(reply: HookReply, original: unknown, final: unknown): HookReply {
  if (reply.behavior !== 'allow' || final === undefined) return reply;
  if (isDeepStrictEqual(reply.updatedInput ?? original, final)) return reply;
  const { behavior: _, reason: __, ...rest } = reply;
  const report = `The hook "${reply.name}" allowed a call that another hook changed at the same time, so its answer does not count.`;
  return { ...rest, reports: [...reply.reports, report] };
}

/**
 * Every hook received the original input, so its changes are the differences from that, including fields it left out.
 * Changes are applied in order, and if two hooks change the same field, the later wins. The input of a single hook is
 * used exactly as returned.
 */
function mergeInputs(
  original: unknown,
  inputs: ReadonlyArray<Readonly<Record<string, unknown>>>,
): Record<string, unknown> | undefined {
  if (inputs.length === 0) return undefined;
  const before = new Map(typeof original === 'object' && original !== null ? Object.entries(original) : []);
  const merged = new Map(before);
  for (const input of inputs) {
    for (const [field, value] of Object.entries(input)) {
      if (!before.has(field) || !isDeepStrictEqual(before.get(field), value)) merged.set(field, value);
    }
    for (const field of before.keys()) if (!Object.hasOwn(input, field)) merged.delete(field);
  }
  return Object.fromEntries(merged);
}
