// A permission rule, and where it comes from.
import type { Behavior } from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import type { CommandPattern } from './match-command.js';
import type { Anchors, PathPattern, PathStyle } from './match-path.js';
import type { TextPattern } from './match-text.js';
import type { DomainPattern } from './match-url.js';

export interface RuleSource {
  /** The settings file or flag, as shown to people. */
  file: string;
  line?: number;
}

export interface RuleOptions {
  list: Behavior;
  source: RuleSource;
  anchors: Anchors;
  /** What the tools declare about rules. */
  tools: ToolTable;
  /** Whether the source may loosen the policy: false for an untrusted project. Default true. */
  trusted?: boolean;
  /** The existing tools. If absent, rules that name other tools are not reported. */
  knownTools?: readonly string[];
  /** The existing types of agents; called only if a rule names one. */
  knownAgents?: () => readonly string[];
  style?: PathStyle;
}

export interface Rule {
  text: string;
  list: Behavior;
  source: RuleSource;
  trusted: boolean;
  subject: RuleSubject;
}

/** What a rule is about. */
export type RuleSubject =
  /** Every use of a tool. */
  | {
      kind: 'tool';
      isTool: (name: string) => boolean;
      tool: string;
      /**
       * The file accesses that it matches, whichever tool or command causes them: `reads` all, `edits` all changes,
       * `commands` changes by commands and by tools that work as this one.
       */
      covers?: 'reads' | 'edits' | 'commands';
      /** For a rule that allows an editing tool: the files that commands may change by it, the same as for `Edit(*)`. */
      files?: PathPattern;
    }
  /** Files, whichever tool or command touches them. */
  | { kind: 'path'; access: 'read' | 'edit'; pattern: PathPattern }
  | { kind: 'command'; tool: string; pattern: CommandPattern }
  | { kind: 'domain'; pattern: DomainPattern }
  | ({ kind: 'input'; isTool: (name: string) => boolean; or?: InputPatterns } & InputPatterns);

/** Fields of a tool's input, as one text. */
export interface InputPatterns {
  fields: readonly string[];
  patterns: readonly TextPattern[];
}

export interface RuleProblem {
  /** `fatal`: the file must not be used. `dropped`: the rule is ignored. `warning`: the rule counts, but looks wrong. */
  severity: 'fatal' | 'dropped' | 'warning';
  rule: string;
  list: Behavior;
  source: RuleSource;
  /** The problem, its consequence, and how to fix it. */
  message: string;
  /** The same without the location and the consequence. */
  reason: string;
  /** The rule names a tool that neither Helve nor another agent is known to have. */
  isUnknownTool?: boolean;
}

export interface RuleLists {
  allow?: readonly unknown[];
  ask?: readonly unknown[];
  deny?: readonly unknown[];
}
