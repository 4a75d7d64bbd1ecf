// Step 8 of the path: judges the effects of a call by the rules, the permission mode, the hooks' answers and the
// workspace folders, and returns the decision with its whole trail. Pure: it reads no files and asks no questions.
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';
import {
  type Behavior,
  type Confinement,
  type Decision,
  type DecisionBasis,
  type DecisionRequest,
  decisionBases,
  type PermissionMode,
  type TrailEntry,
  type Walls,
} from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isInside } from '../platform/files/paths.js';
import { amount, inWords, shownPath, whyAsked } from './effect-words.js';
import { type PathStyle, thisPathStyle } from './match-path.js';
import {
  allowsCall,
  allowsEffect,
  mayMeanEffect,
  meansCall,
  meansEffect,
  namesOf,
  rulesForNames,
} from './match-rule.js';
import { isAcceptedEdit, planAnswer } from './modes.js';
import { criticalPlace, protectedPlace } from './protected-paths.js';
import type { Rule } from './rule.js';
import { isHeldBySandbox, type PolicySandbox } from './sandboxed-call.js';
import { familyOf } from './tool-names.js';

export interface Policy {
  mode: PermissionMode;
  /** The project and the folders added to it, each as written and with symlinks resolved. */
  workspace: readonly string[];
  /** Where this session saves long results: free to read. */
  resultsFolder: string;
  /** Other folders that are free to read, as written and resolved: those of skills in use. */
  readable?: readonly string[];
  /** Helve's own data, as written and resolved. No tool may touch it, apart from the folders above. */
  dataFolders: readonly string[];
  /** What the tools declare about rules. */
  tools: ToolTable;
  /** From all sources. Their order doesn't matter. */
  rules?: readonly Rule[];
  /** The home folder, as written and resolved. */
  home?: readonly string[];
  /** Whether the kernel can confine commands that were not approved. Default: `none`. */
  walls?: Walls;
  /** The sandbox configured in settings; absent if it is off. */
  sandbox?: PolicySandbox | undefined;
  /** How file names are compared. Default: as on this machine. */
  style?: PathStyle;
}

/** A judgement of one part of a call; the strongest finding decides about the part. */
type Finding = Omit<TrailEntry, 'decided'>;

interface Judged {
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

/**
 * Returns the filter for files of a tree that a call may read. It leaves out only denied files: whether the tree may be
 * read at all was decided with the call.
 */
export function showing(policy: Policy): (real: string) => boolean {
  const { style = thisPathStyle(), rules = [] } = policy;
  const denying = rules.filter(({ list }) => list === 'deny');
  return (real) => {
    const effect: FileEffect = { kind: 'file', access: 'read', path: real, real };
    if (isUnder(policy.dataFolders, real) && !isSavedResult(effect, policy)) return false;
    const request = { tool: '', input: {}, effects: [effect] };
    return !denying.some((rule) => meansEffect(rule, effect, request, { style, tools: policy.tools }));
  };
}

/**
 * The strictest answer over all effects; the order of effects and of rules doesn't matter. A call that is allowed
 * without the sandbox is decided without it, since it is then confined more tightly.
 */
export function decide(request: DecisionRequest, policy: Policy): Decision {
  const decision = judge(request, policy, { bySandbox: false });
  if (decision.behavior === 'allow' || !isHeldBySandbox(request, policy)) return decision;
  return judge(request, policy, { bySandbox: true });
}

function judge(request: DecisionRequest, policy: Policy, { bySandbox }: { bySandbox: boolean }): Decision {
  const { rules = [] } = policy;
  const looser = rules.filter(({ list }) => list === 'allow');
  const unconfined: Judged = {
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
  const judged: Judged = bySandbox ? unconfined : { ...unconfined, walls: wallsFor(unconfined) };
  const parts = [aboutCall(judged), ...request.effects.map((effect, index) => aboutEffect(effect, index, judged))];
  const answers = parts.map(strongest).filter((answer) => answer !== undefined);
  const deciding = tellingOf(strictest(answers) ?? touchesNothing(request), answers, request);
  const injected = injectedPart(deciding, answers, judged);
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
function wallsFor(judged: Judged): Walls {
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
function confinementOf(behavior: Behavior, answers: readonly Finding[], judged: Judged): Confinement {
  const { request, policy, commands, walls } = judged;
  const isApproved = ({ basis, effect }: Finding): boolean =>
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

const isNullDevice = (effect: FileEffect): boolean => namesOf(effect).every((name) => name === '/dev/null');

const touchesNothing = ({ tool }: DecisionRequest): Finding => ({
  about: tool,
  behavior: 'allow',
  because: 'it touches nothing',
  basis: 'harmless',
});

const strength = (basis: DecisionBasis): number => decisionBases.indexOf(basis);

function strongest(findings: readonly Finding[]): Finding | undefined {
  const counted = findings.filter(({ basis }) => basis !== 'untrusted');
  return counted.toSorted((one, other) => strength(one.basis) - strength(other.basis))[0];
}

const strictness: Readonly<Record<Behavior, number>> = { deny: 0, ask: 1, allow: 2 };

function strictest(answers: readonly Finding[]): Finding | undefined {
  return answers.toSorted(
    (one, other) =>
      strictness[one.behavior] - strictness[other.behavior] || strength(one.basis) - strength(other.basis),
  )[0];
}

/** For a file that is read and written, reports the write: a refused change is not refused for reading. */
function tellingOf(deciding: Finding, answers: readonly Finding[], { effects }: DecisionRequest): Finding {
  const effectOf = ({ effect }: Finding): Effect | undefined => effects[effect ?? -1]; // -1 for the call as a whole
  const read = effectOf(deciding);
  if (read?.kind !== 'file' || read.access !== 'read') return deciding;
  const isItsWrite = (answer: Finding): boolean => {
    const effect = effectOf(answer);
    const isSamePlace = effect?.kind === 'file' && effect.access === 'write' && effect.real === read.real;
    return isSamePlace && answer.behavior === deciding.behavior && answer.basis === deciding.basis;
  };
  return answers.find(isItsWrite) ?? deciding;
}

function withoutAsking(
  { behavior }: Finding,
  reason: string,
  { mode }: Policy,
): { behavior: Behavior; reason: string } {
  if (mode !== 'dontAsk' || behavior !== 'ask') return { behavior, reason };
  return { behavior: 'deny', reason: `${reason}, and the mode dontAsk refuses whatever would be asked` };
}

/**
 * A rule allows the first command, but no rule allows another command in the same call: the usual shape of an attack
 * through an allow rule, so it is reported under a name of its own.
 */
function injectedPart(
  deciding: Finding,
  answers: readonly Finding[],
  { request, commands }: Judged,
): { answer: Finding; reason: string; injection: NonNullable<Decision['injection']> } | undefined {
  if (deciding.behavior !== 'ask' || deciding.basis !== 'default') return undefined;
  const commandOf = ({ effect }: Finding) => commands.indexOf(request.effects[effect ?? -1] as CommandEffect); // -1 for others
  const beginning = firstCommand(request, commands);
  const isFirst = (index: number): boolean =>
    index === beginning || (index >= 0 && isFirst(commands[index]?.wrappedBy ?? -1));
  const first = answers.find((answer) => isFirst(commandOf(answer)) && answer.basis === 'allow_rule');
  const added = answers.find(
    (answer) => commandOf(answer) >= 0 && !isFirst(commandOf(answer)) && answer.basis === 'default',
  );
  if (!first?.rule || !added) return undefined;
  const part = commands[commandOf(added)]?.text ?? added.about;
  return {
    answer: added,
    injection: { code: 'command_injection_detected', part },
    reason: `command_injection_detected: the rule "${first.rule.text}" allows ${first.about}, but no rule covers "${part}", which comes with it`,
  };
}

/** The command at the start of the text. It need not be the first effect, since substitutions in it run before it. */
function firstCommand({ input }: DecisionRequest, commands: readonly CommandEffect[]): number {
  const hasText =
    typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string';
  const text = hasText ? String(input.command).trimStart() : '';
  return Math.max(
    commands.findIndex((command) => command.text !== '' && text.startsWith(command.text)),
    0,
  );
}

/** Findings about the call as a whole: from rules on the tool and its input, hooks, and the tool's own check. */
function aboutCall({ request, stricter }: Judged): Finding[] {
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

function aboutEffect(effect: Effect, index: number, judged: Judged): Finding[] {
  const about = inWords(effect);
  const finding = (behavior: Behavior, basis: DecisionBasis, because: string): Finding => ({
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
function whereOutside(effect: Effect, { policy, request, commands }: Judged): string {
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

/** For a command that would need no question if it were confined: why it is not confined. */
function whyUnconfined(effect: Effect, { policy, walls }: Judged): string {
  if (effect.kind !== 'command' || !effect.needsWalls || walls === 'full') return '';
  const why =
    policy.walls === 'full'
      ? 'another part of the call has to run unconfined'
      : 'commands are not confined here (helve doctor says why)';
  return `, which needs no question only where it runs confined, and ${why}`;
}

type Find = (behavior: Behavior, basis: DecisionBasis, because: string) => Finding;

function ownData(effect: Effect, policy: Policy, finding: Find): Finding[] {
  if (effect.kind !== 'file' || isSavedResult(effect, policy)) return [];
  const isOurs = namesOf(effect).some((name) => isUnder(policy.dataFolders, name));
  if (!isOurs) return [];
  return [finding('deny', 'own_data', `${effect.path} belongs to Helve's own data, which no tool may touch`)];
}

const isSavedResult = (effect: FileEffect, { resultsFolder, readable = [] }: Policy): boolean =>
  effect.access === 'read' && namesOf(effect).every((name) => isUnder([resultsFolder, ...readable], name));

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
  { stricter, request, commands, style, policy }: Judged,
): Finding[] {
  const findings: Finding[] = [];
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

function planned(effect: Effect, { policy, request }: Judged, finding: Find): Finding[] {
  const answer = policy.mode === 'plan' ? planAnswer(effect, request.readOnlyHint === true) : undefined;
  if (answer === undefined) return [];
  return [finding(answer, 'plan_mode', `${whyAsked(effect)}, and plan mode only reads`)];
}

function guarded(effect: Effect, { policy, style }: Judged, finding: Find): Finding[] {
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

function looserRules(effect: Effect, index: number, judged: Judged): Finding[] {
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

function byMode(effect: Effect, { policy, request, commands, stricter }: Judged, finding: Find): Finding[] {
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
function inSandbox(effect: Effect, { bySandbox, request, stricter, policy }: Judged, finding: Find): Finding[] {
  // What may not be read is hidden there.
  const notHidden = stricter.filter(
    ({ list, subject }) => list !== 'deny' || subject.kind !== 'path' || subject.access !== 'read',
  );
  if (!bySandbox || effect.kind === 'session') return [];
  if (mayBeRuledOut(effect, request, { stricter: notHidden, tools: policy.tools })) return [];
  return [finding('allow', 'sandbox', `${whyAsked(effect)}, but in the sandbox, where settings allow commands`)];
}

function byItself(effect: Effect, { policy, commands, walls }: Judged, finding: Find): Finding[] {
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
      if (isSavedResult(effect, policy))
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

const isInWorkspace = (effect: FileEffect, { workspace }: Policy): boolean =>
  namesOf(effect).every((name) => isUnder(workspace, name));

const isUnder = (folders: readonly string[], name: string): boolean => folders.some((folder) => isInside(folder, name));

function byRule(rule: Rule, about: string, { effect }: { effect?: number }): Finding {
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

const placeOf = ({ source: { file, line } }: Rule): string => ` (${line === undefined ? file : `${file}:${line}`})`;
