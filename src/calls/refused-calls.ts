// Calls that the person refused take the later calls of their message with them, if these conflict with them.
import type { Effect } from '../contract/effect.js';
import { ToolFailure } from '../contract/failure.js';
import { conflict } from './conflict.js';

const MAX_TITLE_CHARS = 80;

/** The person answered no to the question about a call. */
export class RefusedByPerson extends ToolFailure {}

/** No person answered the question about a call. */
export class LeftUnanswered extends RefusedByPerson {}

interface RefusedCall {
  order: number;
  effects: readonly Effect[];
  /** For messages, such as `Edit src/a.ts`. */
  name: string;
  /** False if the question about it was left unanswered. */
  isAnswered: boolean;
}

/** The calls of one message that the person refused. */
export class RefusedCalls {
  readonly #refused: RefusedCall[] = [];

  add({ tool, title, ...call }: Omit<RefusedCall, 'name'> & { tool: string; title: string }): void {
    const [line = ''] = title.split('\n');
    const short = line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS)}…` : line;
    this.#refused.push({ ...call, name: `${tool} ${short}`.trim() });
  }

  /**
   * Throws if an earlier call that this one had to wait for was refused: it was meant to find that call's work done. A
   * call that only looks is stopped by changes of the files that it looks at, not by a command that could change any.
   */
  check({ order, effects }: Pick<RefusedCall, 'order' | 'effects'>): void {
    const isLook = effects.every(onlyLooks);
    const before = this.#refused.find(
      (one) => one.order < order && conflict(isLook ? one.effects.filter(isKnown) : one.effects, effects),
    );
    if (!before) return;
    throw new ToolFailure(`Not run, because ${before.name} was ${before.isAnswered ? 'refused' : 'not allowed'}.`, {
      kind: 'permission_denied',
      display: { notRun: true },
    });
  }
}

const isKnown = ({ kind }: Effect): boolean => kind === 'file' || kind === 'session';

const onlyLooks = (effect: Effect): boolean =>
  (effect.kind === 'file' || effect.kind === 'session') && effect.access === 'read';
