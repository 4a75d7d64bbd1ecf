// The effective settings: each value with its source.
import type { BudgetLimits } from '../contract/budget.js';
import type { Effort, ToolProfileName } from '../contract/model.js';
import type { PermissionMode, SandboxMode } from '../contract/permission.js';
import type { SearchProvider } from '../contract/web.js';
import type { WorktreeEnd } from '../contract/worktree.js';
import type { ConfiguredHook } from '../hooks/schema.js';
import type { Rule } from '../permissions/rule.js';
import type { KeyAction } from './key-actions.js';
import type { Origin, SourceKind } from './locations.js';
import type { SettingsProblem } from './settings-problem.js';
import type { TrustReport } from './trust.js';

export interface Sourced<Value> {
  value: Value;
  origin: Origin;
}

export interface Settings {
  /** From all sources. Rules of an untrusted project are marked: they can only make decisions stricter. */
  readonly rules: readonly Rule[];
  /** Absolute. */
  readonly additionalDirectories: ReadonlyArray<Sourced<string>>;
  readonly defaultMode?: Sourced<PermissionMode>;
  /** The source that forbids bypassPermissions. */
  readonly bypassDisabledBy?: Origin;
  /** In order of precedence; hooks of an untrusted project are marked. */
  readonly hooks: readonly ConfiguredHook[];
  readonly mcpServers: ReadonlyMap<string, Sourced<McpServerSettings>>;
  readonly mcp: { readonly startWaitMs?: Sourced<number>; readonly taskWaitMs?: Sourced<number> };
  readonly toolSearch?: Sourced<string>;
  /** Which built-in tools are switched on or off, by name. */
  readonly tools: ReadonlyMap<string, Sourced<boolean>>;
  readonly env: ReadonlyMap<string, Sourced<string>>;
  readonly model?: Sourced<string>;
  readonly smallModel?: Sourced<string>;
  readonly fallbackModel?: Sourced<readonly string[]>;
  /** By short name. */
  readonly agentModels: ReadonlyMap<string, Sourced<string>>;
  /** The limits of one child agent. */
  readonly agents: {
    readonly maxTurns?: Sourced<number>;
    readonly maxTokens?: Sourced<number>;
    readonly maxCostUsd?: Sourced<number>;
  };
  /** What a prompt, a session and a day may use. */
  readonly budget: Readonly<Partial<Record<'run' | 'session' | 'day', Sourced<BudgetLimits>>>>;
  /** The limits of all commands of a session together. */
  readonly bash: {
    readonly maxBackground?: Sourced<number>;
    /** Bytes. */
    readonly maxSessionOutput?: Sourced<number>;
  };
  readonly worktree: {
    readonly setup?: Sourced<string>;
    readonly setupTimeoutMs?: Sourced<number>;
    readonly end?: Sourced<WorktreeEnd>;
  };
  readonly maxRunMinutes?: Sourced<number>;
  readonly answerMinutes?: Sourced<number>;
  readonly effort?: Sourced<Effort>;
  readonly toolProfile?: Sourced<ToolProfileName>;
  readonly apiKeyHelper?: Sourced<string>;
  readonly statusLine?: Sourced<{ command: string; padding?: number | undefined }>;
  readonly instructions?: Sourced<boolean>;
  readonly outputStyle?: Sourced<string>;
  readonly theme?: Sourced<string>;
  readonly editorMode?: Sourced<'normal' | 'vim'>;
  readonly notifications?: Sourced<string>;
  /** Configured keys of the terminal, by action. */
  readonly keys: ReadonlyMap<KeyAction, Sourced<readonly string[]>>;
  readonly includeCoAuthoredBy?: Sourced<boolean>;
  /** Which plugins are switched on or off, by id. */
  readonly enabledPlugins: ReadonlyMap<string, Sourced<boolean>>;
  /** By name. */
  readonly extraKnownMarketplaces: ReadonlyMap<string, Sourced<{ source: Readonly<Record<string, unknown>> }>>;
  readonly strictKnownMarketplaces?: Sourced<ReadonlyArray<Readonly<Record<string, unknown>>>>;
  readonly blockedMarketplaces?: Sourced<ReadonlyArray<Readonly<Record<string, unknown>>>>;
  readonly cleanupPeriodDays?: Sourced<number>;
  readonly sandbox: SandboxSettings;
  readonly webFetch: { readonly localHosts: readonly string[] };
  readonly webSearch?: Sourced<WebSearchSettings>;
  readonly trust: TrustReport;
  readonly problems: readonly SettingsProblem[];
  /** All statements, the highest precedence first, including those that do not apply, with the reason. */
  readonly entries: readonly SettingEntry[];
  /** The files that were read. */
  readonly files: readonly SettingsFile[];
}

/** A server as its file describes it. */
export interface McpServerSettings {
  readonly [field: string]: unknown;
  readonly type?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface WebSearchSettings {
  readonly provider: SearchProvider;
  readonly url?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
}

/** Lists are merged from all sources; paths are absolute. */
interface SandboxSettings {
  readonly enabled?: Sourced<boolean>;
  readonly failIfUnavailable?: Sourced<boolean>;
  readonly mode?: Sourced<SandboxMode>;
  readonly autoAllowBashIfSandboxed?: Sourced<boolean>;
  readonly allowUnsandboxedCommands?: Sourced<boolean>;
  readonly excludedCommands: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
}

export interface SettingEntry {
  /** `permissions.deny`, `env`. */
  key: string;
  /** Which entry of a map, or for which event. */
  name?: string;
  value: unknown;
  origin: Origin;
  /** Why it does not apply; missing if it applies. */
  ignored?: string;
}

export interface SettingsFile {
  kind: SourceKind;
  file: string;
  path?: string;
}

/** The settings without any settings file. */
export const noSettings = (trust: TrustReport, problems: readonly SettingsProblem[] = []): Settings => ({
  rules: [],
  additionalDirectories: [],
  hooks: [],
  mcpServers: new Map(),
  tools: new Map(),
  agentModels: new Map(),
  enabledPlugins: new Map(),
  extraKnownMarketplaces: new Map(),
  agents: {},
  budget: {},
  bash: {},
  worktree: {},
  mcp: {},
  keys: new Map(),
  env: new Map(),
  sandbox: {
    excludedCommands: [],
    allowedDomains: [],
    deniedDomains: [],
    allowWrite: [],
    denyWrite: [],
    denyRead: [],
    allowRead: [],
  },
  webFetch: { localHosts: [] },
  trust,
  problems,
  entries: [],
  files: [],
});

/** Whether a switch is on, from any source. */
export const isOn = (name: string, settings: Settings | undefined): boolean =>
  settings?.entries.some(({ key, value }) => key === name && value === true) ?? false;
