// What rules, hooks, the mode, protected paths and the effect itself say about one effect of a call.
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';
import type { Behavior, DecisionBasis, DecisionRequest } from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { byRule, type CallFinding, type JudgedCall, placeOf } from './call-finding.js';
import { amount, inWords, shownPath, whyAsked } from './effect-words.js';
import { allowsEffect, mayMeanEffect, meansEffect, namesOf, rulesForNames } from './match-rule.js';
import { isAcceptedEdit, planAnswer } from './modes.js';
import { isFreeToRead, isInWorkspace, isOwnData, isUnder, type Policy } from './policy.js';
import { criticalPlace, protectedPlace } from './protected-paths.js';
import type { Rule } from './rule.js';
import { familyOf } from './tool-names.js';

export function judgeEffect(effect: Effect, index: number, judged: JudgedCall): CallFinding[] {
  const about = inWords(effect);
  const finding = (behavior: Behavior, basis: DecisionBasis, because: string): CallFinding => ({
    about,
    effect: index,
    behavior,
    because,
    basis,
  });
  const itself = byItself(effect, judged, finding);
  const findings = [
    ...ownData(effect, judged.policy, finding),
    ...stricterRules(effect, index, judged),
    ...planned(effect, judged, finding),
    ...guarded(effect, judged, finding),
    ...looserRules(effect, index, judged),
    ...(itself.length === 0 ? byMode(effect, judged, finding) : itself),
  ];
  const hasAnswer = findings.some(({ basis }) => basis !== 'untrusted');
  if (hasAnswer) return findings;
  const held = inSandbox(effect, judged, finding);
  if (held.length > 0) return [...findings, ...held];
  const why = `${whyAsked(effect)}${whereOutside(effect, judged)}${whyUnconfined(effect, judged)}`;
  return [...findings, finding('ask', 'default', why)];
}

/** Words for a write outside the project, which only bypassPermissions accepts without a question. */
function whereOutside(effect: Effect, { policy, request, commands }: JudgedCall): string {
  const isOutside = (file: FileEffect): boolean =>
    file.access === 'write' && !isNullDevice(file) && !isInWorkspace(file, policy) && file.unresolved === undefined;
  if (effect.kind === 'file') return isOutside(effect) ? ', which is outside the project' : '';
  if (effect.kind !== 'command') return '';
  const position = commands.indexOf(effect);
  const files = request.effects.filter((file) => file.kind === 'file');
  const outside = files.find((file) => file.by?.command === position && file.by.as === 'operand' && isOutside(file));
  if (!outside) return '';
  return `, which ${outside.removes ? 'removes' : 'writes'} ${amount(outside)}${shownPath(outside)} outside the project`;
}

export const isNullDevice = (effect: FileEffect): boolean => namesOf(effect).every((name) => name === '/dev/null');

/** For a command that would need no question if it were confined: why it is not confined. */
function whyUnconfined(effect: Effect, { policy, walls }: JudgedCall): string {
  if (effect.kind !== 'command' || !effect.needsWalls || walls === 'full') return '';
  const why =
    policy.walls === 'full'
      ? 'another part of the call has to run unconfined'
      : 'commands are not confined here (helve doctor says why)';
  return `, which needs no question only where it runs confined, and ${why}`;
}

type Find = (behavior: Behavior, basis: DecisionBasis, because: string) => CallFinding;

function ownData(effect: Effect, policy: Policy, finding: Find): CallFinding[] {
  if (effect.kind !== 'file' || isFreeToRead(effect, policy)) return [];
  const isOurs = namesOf(effect).some((name) => isOwnData(name, policy));
  if (!isOurs) return [];
  return [finding('deny', 'own_data', `${effect.path} belongs to Helve's own data, which no tool may touch`)];
}

/** The kinds of rules that can match an effect. */
const speaksOf: Readonly<Record<Effect['kind'], ReadonlyArray<Rule['subject']['kind']>>> = {
  file: ['path', 'tool'],
  command: ['command'],
  network: ['domain'],
  session: [],
  unknown: [],
};

function stricterRules(
  effect: Effect,
  index: number,
  { stricter, request, commands, style, policy }: JudgedCall,
): CallFinding[] {
  const findings: CallFinding[] = [];
  const kinds = speaksOf[effect.kind];
  for (const rule of stricter) {
    if (!kinds.includes(rule.subject.kind)) continue;
    if (meansEffect(rule, effect, request, { style, tools: policy.tools })) {
      findings.push(byRule(rule, inWords(effect), { effect: index }));
    } else if (mayMeanEffect(rule, effect, commands, style)) {
      const because = `the rule "${rule.text}"${placeOf(rule)} ${rule.list === 'deny' ? 'denies' : 'asks about'} what ${inWords(effect)} may come to`;
      const found = byRule(rule, inWords(effect), { effect: index });
      findings.push({ ...found, behavior: 'ask', basis: 'ask_rule', because });
    }
  }
  return findings;
}

function planned(effect: Effect, { policy, request }: JudgedCall, finding: Find): CallFinding[] {
  const answer = policy.mode === 'plan' ? planAnswer(effect, request.readOnlyHint === true) : undefined;
  if (answer === undefined) return [];
  return [finding(answer, 'plan_mode', `${whyAsked(effect)}, and plan mode only reads`)];
}

function guarded(effect: Effect, { policy, style }: JudgedCall, finding: Find): CallFinding[] {
  if (effect.kind !== 'file' || effect.access !== 'write') return [];
  const { workspace, home = [] } = policy;
  const isUnclear = effect.unresolved !== undefined;
  const critical = effect.removes && !isUnclear ? criticalPlace(effect, { workspace, home, style }) : undefined;
  const guardedBecause = protectedPlace(effect, style);
  return [
    ...(effect.removes && isUnclear ? [finding('ask', 'critical_path', whyAsked(effect))] : []),
    ...(critical
      ? [
          finding(
            'ask',
            'critical_path',
            `it removes ${amount(effect)}${shownPath(effect)}, ${effect.found ? critical.replace(/^it /, 'which ') : `and ${critical}`}`,
          ),
        ]
      : []),
    ...(guardedBecause ? [finding('ask', 'protected_path', `${whyAsked(effect)}, and ${guardedBecause}`)] : []),
  ];
}

export function looserRules(effect: Effect, index: number, judged: JudgedCall): CallFinding[] {
  const { looser, trusted, allowing, request, commands } = judged;
  const inWorkspace = effect.kind === 'file' && isInWorkspace(effect, judged.policy);
  const isFree = (name: string): boolean =>
    effect.kind === 'file' && effect.access === 'read' && isUnder(judged.policy.workspace, name);
  const together = effect.kind === 'file' ? rulesForNames(trusted, effect, isFree) : [];
  const surroundings = { commands, inWorkspace, request, tools: judged.policy.tools };
  const findings = looser
    .filter((rule) => together.includes(rule) || allowing.has(rule) || allowsEffect(rule, effect, surroundings))
    .map((rule) => byRule(rule, inWords(effect), { effect: index }));
  const hook = request.hooks?.find(({ behavior }) => behavior === 'allow');
  if (!hook) return findings;
  const because = `${hook.name ? `the hook "${hook.name}"` : 'a hook'} allows it${hook.reason ? `: ${hook.reason}` : ''}`;
  return [...findings, { about: inWords(effect), effect: index, behavior: 'allow', because, basis: 'allow_hook' }];
}

function byMode(effect: Effect, { policy, request, commands, stricter }: JudgedCall, finding: Find): CallFinding[] {
  if (policy.mode === 'bypassPermissions') {
    if (mayBeRuledOut(effect, request, { stricter, tools: policy.tools })) return [];
    return [finding('allow', 'mode', `${whyAsked(effect)}, but the mode bypassPermissions allows it`)];
  }
  if (policy.mode !== 'acceptEdits') return [];
  const accepted = (what: string) => [finding('allow', 'mode', `the mode acceptEdits allows ${what} in the project`)];
  if (effect.kind === 'file') {
    return effect.access === 'write' && isInWorkspace(effect, policy) ? accepted('writes') : [];
  }
  if (effect.kind !== 'command') return [];
  const position = commands.indexOf(effect);
  const files = request.effects
    .filter((file) => file.kind === 'file')
    .filter(({ by }) => by?.command === position && by.as === 'operand')
    .map((file) => ({ effect: file, isInWorkspace: isInWorkspace(file, policy) }));
  return isAcceptedEdit(effect, files) ? accepted('this command') : [];
}

/** A command that can't be parsed may be one that a rule on commands or paths asks about or denies, so the mode can't allow it. */
const mayBeRuledOut = (
  effect: Effect,
  { tool }: DecisionRequest,
  { stricter, tools }: { stricter: readonly Rule[]; tools: ToolTable },
): boolean =>
  effect.kind === 'unknown' &&
  familyOf(tools, tool) === 'command' &&
  stricter.some(({ subject }) => subject.kind === 'path' || (subject.kind === 'command' && subject.tool === tool));

/** An effect that nothing else allows or refuses needs no approval in the sandbox. */
function inSandbox(effect: Effect, { bySandbox, request, stricter, policy }: JudgedCall, finding: Find): CallFinding[] {
  // What may not be read is hidden there.
  const notHidden = stricter.filter(
    ({ list, subject }) => list !== 'deny' || subject.kind !== 'path' || subject.access !== 'read',
  );
  if (!bySandbox || effect.kind === 'session') return [];
  if (mayBeRuledOut(effect, request, { stricter: notHidden, tools: policy.tools })) return [];
  return [finding('allow', 'sandbox', `${whyAsked(effect)}, but in the sandbox, where settings allow commands`)];
}

function byItself(effect: Effect, { policy, commands, walls }: JudgedCall, finding: Find): CallFinding[] {
  switch (effect.kind) {
    case 'command':
      if (walls === 'none' && effect.needsWalls) return [];
      if (effect.harmless) return [finding('allow', 'harmless', whyHarmless(effect, commands))];
      if (!effect.needsWalls || commands.some(({ observes }) => observes)) return [];
      return [finding('allow', 'harmless', `${inWords(effect)} runs read-only and offline`)];
    case 'session':
      if (effect.what === 'memory' && effect.access === 'write') return []; // later sessions would believe it
      return [finding('allow', 'session', 'it concerns this session alone')];
    case 'file':
      if (isNullDevice(effect)) {
        return [finding('allow', 'harmless', 'nothing is kept in /dev/null')];
      }
      if (isFreeToRead(effect, policy))
        return [finding('allow', 'workspace', 'it reads a saved result, or what belongs to a skill, of this session')];
      if (effect.access === 'write' || !isInWorkspace(effect, policy)) return [];
      return [finding('allow', 'workspace', 'it reads inside the project')];
    case 'network':
    case 'unknown':
      return [];
  }
}

/** In `timeout 9 rm x` only the wrapper is harmless: the wrapped command is judged on its own. */
function whyHarmless(command: CommandEffect, commands: readonly CommandEffect[]): string {
  const position = commands.indexOf(command);
  const wraps = commands.some(({ wrappedBy }) => wrappedBy === position);
  return wraps
    ? `"${command.argv?.[0] ?? command.text}" adds nothing to what it runs, which is judged by itself`
    : `${inWords(command)} is harmless`;
}
