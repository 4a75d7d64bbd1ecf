import type { Decide, Decision, DecisionRequest, PermissionMode, Risk } from '../contract/permission.js';
import type { UnreadableFiles } from '../contract/tool-context.js';
import { deniedReads } from '../permissions/denied-reads.js';
import { decide, showing } from '../permissions/engine.js';
import type { Anchors } from '../permissions/match-path.js';
import { thisPathStyle } from '../permissions/match-path.js';
import { isDeniedOutright, mayConcernCall } from '../permissions/match-rule.js';
import { parseRule, parseRules } from '../permissions/parse-rule.js';
import type { Policy } from '../permissions/policy.js';
import type { Rule, RuleLists } from '../permissions/rule.js';
import { describeConfinement, policySandbox } from '../permissions/sandboxed-call.js';
import {
  asInProject,
  unreadableInWorktrees,
  type WorktreePlace,
  withProjectNames,
} from '../permissions/worktree-paths.js';
import { folderNames, realName } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { toolTable } from '../tools/index.js';
import type { Session } from './session.js';

export interface SessionPolicyOptions {
  session: Session;
  /** The project and the folders that were added to it by options, with symlinks not resolved. */
  folders: readonly string[];
  /** Helve's data folder, with symlinks resolved and not resolved. */
  dataFolders: readonly string[];
  home: string | undefined;
  /** Rules of options, in addition to those of settings. */
  lists: RuleLists;
  /** The rules and folders of the current settings. */
  settings(): { rules: readonly Rule[]; folders: readonly string[] };
  /** Saves a rule for later sessions. */
  saveRule?: ((rule: string) => Promise<void>) | undefined;
  knownTools: readonly string[];
}

/** The permissions of one session: rules and folders from all sources, and rules that a person has added meanwhile. */
export interface SessionPolicy {
  /** The project and the folders that were added to it, with symlinks resolved and not resolved. */
  workspace(): readonly string[];
  readonly decide: Decide;
  /** Describes for the person how the command of a call would be confined once approved; undefined if it runs none. */
  describeConfinement(request: DecisionRequest): string | undefined;
  /** Decides by the same rules, as if the session were in this mode. */
  decideIn(mode: PermissionMode): Decide;
  /** All rules that apply now, from all sources. */
  rules(): readonly Rule[];
  /** Which tools are denied for every input, by the rules that apply now. */
  deniedTools(): (tool: string) => boolean;
  /** Which files of a tree may be shown, by the rules that apply now. */
  reader(): (real: string) => boolean;
  /** The files that sandboxed commands can't read, by the rules that apply now; undefined if there are none. */
  unreadable(): UnreadableFiles | undefined;
  /** The rules that the answer "always" would save. */
  suggest(request: DecisionRequest, decision: Decision, options: { risks: readonly Risk[] }): Promise<string[]>;
  /** Why there is no such rule, for the person. */
  whyNoRule(
    request: DecisionRequest,
    decision: Decision,
    options: { risks: readonly Risk[] },
  ): Promise<string | undefined>;
  /** What a call puts at risk. Loaded with the first question. */
  risks(request: DecisionRequest): Promise<Risk[]>;
  /** The rules apply from now on; with `always` they are saved for later sessions, too. */
  remember(rules: readonly string[], scope: 'session' | 'always'): Promise<void>;
  /** Calls the listener whenever a rule is remembered, until the returned function is called. */
  onRemembered(listener: () => void): () => void;
  /**
   * Adds rules of a command, which apply until `endGrants`. Returns sentences about rules that can't be
   * used.
   */
  grant(lists: RuleLists, by: string): string[];
  endGrants(): void;
  /** Rules of a command that the model has called: those that only a person's call may grant are named, with the reason. */
  withoutBroad(rules: readonly string[]): Promise<{ rules: string[]; broad: string[] }>;
  /**
   * Files in a worktree of the project are judged as those of the project. `isOpen`: they also count as part of it, for
   * calls of child agents, until the returned function is called.
   */
  addWorktree(place: WorktreePlace, options?: { isOpen?: boolean }): () => void;
  /** From now on the folder is part of the project. */
  addFolder(folder: string): void;
  /** From now on, files in this folder may be read. */
  allowReading(folder: string): void;
  /** The folders of `allowReading`. */
  readable(): readonly string[];
  /** Whether a rule, as it is written in settings, matches a call. */
  matchesRule(rule: string, request: DecisionRequest): boolean;
}

export function createSessionPolicy(options: SessionPolicyOptions): SessionPolicy {
  const { session, home } = options;
  const project = folderNames(session.root);
  const namesOf = (folder: string): string[] => (folder === session.root ? project : folderNames(folder));
  const anchors: Anchors = {
    source: project,
    project,
    home: home === undefined ? [] : folderNames(home),
    realName: realName,
  };
  const tools = toolTable();
  const own = options.folders.flatMap(namesOf);
  const { rules: given, problems } = parseRules(options.lists, {
    source: { file: 'the options of this run' },
    anchors,
    tools,
    knownTools: options.knownTools,
  });
  const broken = problems.find(({ severity, isUnknownTool }) => severity !== 'warning' || isUnknownTool);
  if (broken) throw new TypeError(`permissions.${broken.list}: ${broken.reason}`);
  const agreed: Rule[] = [];
  let granted: readonly Rule[] = [];
  const readable = new Set<string>();
  const worktrees: Array<WorktreePlace & { isOpen: boolean }> = [];
  const listeners = new Set<() => void>();

  const workspace = (): string[] => [...own, ...options.settings().folders.flatMap(folderNames)];
  const allRules = (): Rule[] => [...options.settings().rules, ...given, ...agreed, ...granted];
  const policy = (): Policy => ({
    mode: session.mode,
    workspace: [...workspace(), ...worktrees.flatMap(({ folder, isOpen }) => (isOpen ? [folder] : []))],
    worktrees,
    resultsFolder: session.resultsFolder,
    dataFolders: options.dataFolders,
    readable: [...readable],
    tools,
    rules: allRules(),
    home: anchors.home,
    walls: session.walls,
    sandbox: session.sandbox && policySandbox(session.sandbox, session.sandboxWorks),
  });
  /** A rule that is saved names the files of a child agent's worktree as those of the project. */
  const inProject = (request: DecisionRequest): DecisionRequest => ({
    ...request,
    effects: withProjectNames(request.effects, worktrees).map((effect) => asInProject(effect, project)),
  });
  const parsed = (text: string): Rule | undefined =>
    parseRule(text, { list: 'allow', source: { file: 'an answer in this session' }, anchors, tools }).rule;

  return {
    workspace,
    decide: (request) => decide(request, policy()),
    describeConfinement: (request) => describeConfinement(request, policy()),
    decideIn: (mode) => (request) => decide(request, { ...policy(), mode }),
    rules: allRules,
    deniedTools() {
      const denying = allRules().filter(({ list }) => list === 'deny');
      return (tool) => denying.length > 0 && isDeniedOutright(tool, denying);
    },
    reader: () => showing(policy()),
    unreadable: () => unreadableInWorktrees(deniedReads(allRules()), worktrees),
    // Loaded for the first question, with the tables of risky commands.
    async suggest(request, decision, { risks }) {
      const { suggestRules } = await import('../permissions/remember.js');
      return suggestRules(inProject(request), decision, { project, home: anchors.home, tools, risks });
    },
    async whyNoRule(request, decision, { risks }) {
      const { whyNoRule } = await import('../permissions/remember.js');
      return whyNoRule(inProject(request), decision, { project, home: anchors.home, tools, risks });
    },
    async risks(request) {
      const { assessRisks } = await import('../permissions/risks/assess-risks.js');
      return assessRisks(request, { project, workspace: workspace(), home: anchors.home, tools });
    },
    async remember(rules, scope) {
      for (const text of rules) {
        const rule = parsed(text);
        if (rule) agreed.push(rule);
      }
      for (const listener of listeners) listener();
      if (scope !== 'always') return;
      const failures: unknown[] = [];
      // If one can't be saved, the others still are.
      for (const text of rules) await options.saveRule?.(text).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new Error(failures.map(messageOf).join(' '), { cause: failures[0] });
    },
    onRemembered(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    grant(lists, by) {
      const { rules, problems } = parseRules(lists, { source: { file: by }, anchors, tools });
      granted = [...granted, ...rules];
      return problems.map(({ message }) => message);
    },
    endGrants() {
      granted = [];
    },
    async withoutBroad(rules) {
      const { whyTooBroad } = await import('../permissions/broad-rules.js');
      const judged = rules.map((rule) => ({ rule, why: whyTooBroad(rule, tools) }));
      return {
        rules: judged.flatMap(({ rule, why }) => (why === undefined ? [rule] : [])),
        broad: judged.flatMap(({ rule, why }) => (why === undefined ? [] : [`${rule} (${why})`])),
      };
    },
    addWorktree(place, { isOpen = false } = {}) {
      const added = { ...place, isOpen };
      worktrees.push(added);
      return () => {
        const index = worktrees.indexOf(added);
        if (index >= 0) worktrees.splice(index, 1);
      };
    },
    addFolder(folder) {
      own.push(...folderNames(folder).filter((name) => !own.includes(name)));
    },
    allowReading(folder) {
      for (const name of folderNames(folder)) readable.add(name);
    },
    readable: () => [...readable],
    matchesRule(text, request) {
      const { rule } = parseRule(text, { list: 'ask', source: { file: 'a hook' }, anchors, tools });
      if (!rule) return true; // an invalid rule must not keep a hook from running
      const effects = withProjectNames(request.effects, worktrees);
      return mayConcernCall(rule, { ...request, effects }, { style: thisPathStyle(), tools });
    },
  };
}
