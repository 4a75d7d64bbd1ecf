// Step 7 of the path: judges the effects of a call by the rules, the permission mode, the hooks' answers and the
// workspace folders, and returns the decision with its whole trail. Pure: it reads no files and asks no questions.
import type { Effect, FileEffect } from '../contract/effect.js';
import {
  type Behavior,
  type Confinement,
  type Decision,
  type DecisionBasis,
  type DecisionRequest,
  decisionBases,
  type TrailEntry,
  type Walls,
} from '../contract/permission.js';
import { byRule, type CallFinding, type JudgedCall } from './call-finding.js';
import { detectInjection } from './detect-injection.js';
import { isNullDevice, judgeEffect, looserRules } from './judge-effect.js';
import { thisPathStyle } from './match-path.js';
import { allowsCall, meansCall, meansEffect } from './match-rule.js';
import { isFreeToRead, isOwnData, type Policy } from './policy.js';
import { isHeldBySandbox } from './sandboxed-call.js';
import { withProjectNames } from './worktree-paths.js';

/**
 * Returns the filter for files of a tree that a call may read. It leaves out only denied files: whether the tree may be
 * read at all was decided with the call.
 */
export function showing(policy: Policy): (real: string) => boolean {
  const { style = thisPathStyle(), rules = [] } = policy;
  const denying = rules.filter(({ list }) => list === 'deny');
  return (real) => {
    const read: FileEffect = { kind: 'file', access: 'read', path: real, real };
    if (isOwnData(real, policy) && !isFreeToRead(read, policy)) return false;
    const effects = withProjectNames([read], policy.worktrees);
    const request = { tool: '', input: {}, effects };
    const isDenied = (effect: Effect) =>
      denying.some((rule) => meansEffect(rule, effect, request, { style, tools: policy.tools }));
    return !effects.some(isDenied);
  };
}

/**
 * The strictest answer over all effects; the order of effects and of rules doesn't matter. A call that is allowed
 * without the sandbox is decided without it, since it is then confined more tightly.
 */
export function decide(asked: DecisionRequest, policy: Policy): Decision {
  const request = { ...asked, effects: withProjectNames(asked.effects, policy.worktrees) };
  const decision = judge(request, policy, { bySandbox: false });
  if (decision.behavior === 'allow' || !isHeldBySandbox(request, policy)) return decision;
  return judge(request, policy, { bySandbox: true });
}

function judge(request: DecisionRequest, policy: Policy, { bySandbox }: { bySandbox: boolean }): Decision {
  const { rules = [] } = policy;
  const looser = rules.filter(({ list }) => list === 'allow');
  const unconfined: JudgedCall = {
    request,
    policy,
    stricter: rules.filter(({ list }) => list !== 'allow'),
    looser,
    trusted: looser.filter(({ trusted }) => trusted),
    allowing: new Set(looser.filter((rule) => allowsCall(rule, request, policy.tools))),
    style: policy.style ?? thisPathStyle(),
    commands: request.effects.filter((effect) => effect.kind === 'command'),
    walls: 'none',
    bySandbox,
  };
  const judged: JudgedCall = bySandbox ? unconfined : { ...unconfined, walls: wallsFor(unconfined) };
  const parts = [judgeCall(judged), ...request.effects.map((effect, index) => judgeEffect(effect, index, judged))];
  const answers = parts.map(strongest).filter((answer) => answer !== undefined);
  const deciding = tellingOf(strictest(answers) ?? touchesNothing(request), answers, request);
  const injected = detectInjection(deciding, answers, judged);
  const decided = injected?.answer ?? deciding;
  const trail = (answers.length === 0 ? [[deciding]] : parts)
    .flat()
    .map((finding): TrailEntry => ({ ...finding, decided: finding === decided }));
  const { behavior, reason } = withoutAsking(decided, injected?.reason ?? decided.because, policy);
  const held = answers.filter(({ basis }) => basis === 'sandbox').flatMap(({ effect = [] }) => effect);
  const isHeld = behavior === 'allow' && held.length > 0;
  const runsCommands = judged.commands.length > 0 || isHeld;
  return {
    behavior,
    reason,
    ...(injected && { injection: injected.injection }),
    ...(runsCommands && { confinement: isHeld ? 'sandbox' : confinementOf(behavior, answers, judged) }),
    ...(isHeld && { notOpened: held }),
    trail,
  };
}

/**
 * A call is confined as a whole. If a rule or a hook allows a part that is not harmless, the call runs unconfined, as
 * that part needs; so does a command that reports facts about the machine, which confinement would hide.
 */
function wallsFor(judged: JudgedCall): Walls {
  const { policy, request } = judged;
  if (policy.walls !== 'full' || policy.mode === 'bypassPermissions') return 'none';
  const needsMore = request.effects.some((effect, index) => {
    if (effect.kind === 'command' && effect.observes === 'machine') return true;
    if (effect.kind === 'file' || effect.kind === 'session') return false;
    if (effect.kind === 'command' && effect.harmless) return false;
    return looserRules(effect, index, judged).some(({ basis }) => basis !== 'untrusted');
  });
  return needsMore ? 'none' : 'full';
}

/** Depends on what allowed the call; for a question, on what a yes would mean. */
function confinementOf(behavior: Behavior, answers: readonly CallFinding[], judged: JudgedCall): Confinement {
  const { request, policy, commands, walls } = judged;
  const isApproved = ({ basis, effect }: CallFinding): boolean =>
    (basis === 'allow_rule' || basis === 'allow_hook') && request.effects[effect ?? -1]?.kind !== 'file';
  const approved = answers.filter(isApproved).map(({ effect }) => request.effects[effect ?? -1]);
  const all = commands.every((command) => approved.includes(command));
  const isSpecial = approved.some((effect) => !(effect?.kind === 'command' && effect.harmless));
  if (behavior !== 'allow' || policy.mode === 'bypassPermissions' || all || isSpecial) return 'approved';
  if (walls === 'none') return 'none';
  return request.effects.some(writesFile) ? 'edits' : 'reads';
}

const writesFile = (effect: Effect): boolean =>
  effect.kind === 'file' && effect.access === 'write' && !isNullDevice(effect);

const touchesNothing = ({ tool }: DecisionRequest): CallFinding => ({
  about: tool,
  behavior: 'allow',
  because: 'it touches nothing',
  basis: 'harmless',
});

const strength = (basis: DecisionBasis): number => decisionBases.indexOf(basis);

function strongest(findings: readonly CallFinding[]): CallFinding | undefined {
  const counted = findings.filter(({ basis }) => basis !== 'untrusted');
  return counted.toSorted((one, other) => strength(one.basis) - strength(other.basis))[0];
}

const strictness: Readonly<Record<Behavior, number>> = { deny: 0, ask: 1, allow: 2 };

function strictest(answers: readonly CallFinding[]): CallFinding | undefined {
  return answers.toSorted(
    (one, other) =>
      strictness[one.behavior] - strictness[other.behavior] || strength(one.basis) - strength(other.basis),
  )[0];
}

/**
 * For a file that is read and written, reports the write: a refused change is not refused for reading. For a harmless
 * command that is only not confined, reports a part that is not harmless, if there is one.
 */
function tellingOf(deciding: CallFinding, answers: readonly CallFinding[], { effects }: DecisionRequest): CallFinding {
  const effectOf = ({ effect }: CallFinding): Effect | undefined => effects[effect ?? -1]; // -1 for the call as a whole
  const read = effectOf(deciding);
  if (read?.kind === 'command' && read.harmless && deciding.basis === 'default') {
    const isWorse = (answer: CallFinding): boolean => {
      const effect = effectOf(answer);
      const isSame = answer.behavior === deciding.behavior && answer.basis === deciding.basis;
      return isSame && !(effect?.kind === 'command' && effect.harmless);
    };
    return answers.find(isWorse) ?? deciding;
  }
  if (read?.kind !== 'file' || read.access !== 'read') return deciding;
  const isItsWrite = (answer: CallFinding): boolean => {
    const effect = effectOf(answer);
    const isSamePlace = effect?.kind === 'file' && effect.access === 'write' && effect.real === read.real;
    return isSamePlace && answer.behavior === deciding.behavior && answer.basis === deciding.basis;
  };
  return answers.find(isItsWrite) ?? deciding;
}

function withoutAsking(
  { behavior }: CallFinding,
  reason: string,
  { mode }: Policy,
): { behavior: Behavior; reason: string } {
  if (mode !== 'dontAsk' || behavior !== 'ask') return { behavior, reason };
  return { behavior: 'deny', reason: `${reason}, and the mode dontAsk refuses whatever would be asked` };
}

/** Findings about the call as a whole: from rules on the tool and its input, hooks, and the tool's own check. */
function judgeCall({ request, stricter }: JudgedCall): CallFinding[] {
  const { tool, hooks = [], checkAsks } = request;
  const findings = stricter.filter((rule) => meansCall(rule, request)).map((rule) => byRule(rule, tool, {}));
  for (const { behavior, reason, name } of hooks) {
    if (behavior === 'allow') continue;
    const because = `${name ? `the hook "${name}"` : 'a hook'} ${behavior === 'deny' ? 'denies it' : 'wants it asked about'}${reason ? `: ${reason}` : ''}`;
    findings.push({ about: tool, behavior, because, basis: behavior === 'deny' ? 'deny_hook' : 'ask_hook' });
  }
  // A tool's own question is asked in every mode: the tool found something that the user has not agreed to.
  if (checkAsks !== undefined) findings.push({ about: tool, behavior: 'ask', because: checkAsks, basis: 'check' });
  return findings;
}
