// A call while it is judged, and a judgement of one part of it.
import type { CommandEffect } from '../contract/effect.js';
import type { DecisionRequest, TrailEntry, Walls } from '../contract/permission.js';
import type { PathStyle } from './match-path.js';
import type { Policy } from './policy.js';
import type { Rule } from './rule.js';

/** A judgement of one part of a call; the strongest finding decides about the part. */
export type CallFinding = Omit<TrailEntry, 'decided'>;

export interface JudgedCall {
  request: DecisionRequest;
  policy: Policy;
  /** Ask and deny rules, and allow rules. */
  stricter: readonly Rule[];
  looser: readonly Rule[];
  /** Allow rules from trusted sources, and allow rules that cover the whole call whatever it touches. */
  trusted: readonly Rule[];
  allowing: ReadonlySet<Rule>;
  style: PathStyle;
  commands: readonly CommandEffect[];
  /** Whether the commands of this call would be confined. */
  walls: Walls;
  /** Whether running in the sandbox counts as approval. */
  bySandbox: boolean;
}

export function byRule(rule: Rule, about: string, { effect }: { effect?: number }): CallFinding {
  const { text, list, source, trusted } = rule;
  const isCounted = list !== 'allow' || trusted;
  const verbs = { allow: 'allows', ask: 'wants to be asked about', deny: 'denies' };
  return {
    about,
    ...(effect !== undefined && { effect }),
    behavior: list,
    because: `the rule "${text}"${placeOf(rule)} ${verbs[list]} ${about}${isCounted ? '' : ', but the folder that it comes from is not trusted'}`,
    basis: isCounted ? `${list}_rule` : 'untrusted',
    rule: { text, list, ...source },
  };
}

export const placeOf = ({ source: { file, line } }: Rule): string =>
  ` (${line === undefined ? file : `${file}:${line}`})`;
