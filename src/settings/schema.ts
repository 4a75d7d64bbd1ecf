// Every setting: its description, its valid values, which sources may set it, and what a broken value does.
// The loader, the merge, `helve config`, the JSON Schema and the table in docs/settings.md all use this list.
import * as z from 'zod';
import { efforts, toolProfileNames } from '../contract/model.js';
import { permissionModes } from '../contract/permission.js';
import { worktreeEnds } from '../contract/worktree.js';
import { hooksSchema } from '../hooks/schema.js';
import { type KeyAction, keyActionNames, keyActions } from './key-actions.js';
import { pluginSettings } from './plugin-settings.js';
import { sandboxSettings } from './sandbox-settings.js';
import type { Setting } from './setting.js';
import { always, isFalse, isTrue, ownSources } from './setting-sources.js';
import {
  budgetLimits,
  domain,
  keys,
  model,
  models,
  path,
  rule,
  serverSchema,
  size,
  statusLineSchema,
  text,
  truth,
  variable,
  webSearchSchema,
} from './setting-values.js';

const notificationWays = ['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'] as const;

const keySetting = (action: KeyAction) => ({
  about: `The key, or the list of keys, to ${keyActions[action].about}; ${keyActions[action].keys.map((one) => `\`${one}\``).join(' or ')} by default.`,
  shape: 'one' as const,
  schema: keys,
  from: ownSources,
});

// The type of Object.fromEntries has any string for a key; these are exactly the names of the actions.
const keySettings = Object.fromEntries(keyActionNames.map((action) => [`keys.${action}`, keySetting(action)])) as {
  readonly [Action in KeyAction as `keys.${Action}`]: ReturnType<typeof keySetting>;
};

export const settingTable = {
  'permissions.allow': {
    about: 'Rules for calls that run without a question.',
    shape: 'list',
    schema: rule,
    loosens: always,
  },
  'permissions.ask': {
    about: 'Rules for calls that always need a question.',
    shape: 'list',
    schema: rule,
    broken: 'refuse',
  },
  'permissions.deny': {
    about: 'Rules for calls that are refused.',
    shape: 'list',
    schema: rule,
    broken: 'refuse',
  },
  'permissions.defaultMode': {
    about:
      "The mode that a session starts in; an invalid value means `default`. A project can't set `bypassPermissions`.",
    shape: 'one',
    schema: z
      .enum([...permissionModes, 'manual'], `must be one of ${permissionModes.join(', ')}`)
      .transform((mode) => (mode === 'manual' ? 'default' : mode)), // another agent's name for it
    loosens: always,
    order: ['bypassPermissions', 'acceptEdits', 'default', 'dontAsk', 'plan'],
    broken: { as: 'default' },
  },
  'permissions.additionalDirectories': {
    about: 'Folders that count as part of the project; relative paths start at the project.',
    shape: 'list',
    schema: path,
    loosens: always,
  },
  'permissions.disableBypassPermissionsMode': {
    about: '`"disable"`: `bypassPermissions` can\'t be switched on.',
    shape: 'one',
    schema: z.literal(['disable', true], 'must be "disable"').transform(() => 'disable' as const),
    broken: { as: 'disable' },
    strictest: 'disable',
  },
  hooks: {
    about: 'Commands that run on events, by the name of the event.',
    shape: 'hooks',
    schema: hooksSchema,
    loosens: always,
    isSecret: true,
  },
  disableAllHooks: {
    about: 'No hooks run. Managed hooks still run, and a project can only disable its own hooks.',
    shape: 'one',
    schema: truth,
    switchesGuardsOff: true,
  },
  mcpServers: {
    about: 'MCP servers by name.',
    shape: 'map',
    schema: serverSchema,
    loosens: always,
    isSecret: true,
  },
  'mcp.startWaitMs': {
    about: 'How long the first request waits for MCP servers that are nearly ready, in milliseconds; default 300.',
    shape: 'one',
    schema: z.int('must be a whole number').nonnegative('must not be below 0'),
    loosens: always,
  },
  'mcp.taskWaitMs': {
    about:
      'How long a call that an MCP server has turned into a task is waited for before it continues in the background, in milliseconds; default 60,000.',
    shape: 'one',
    schema: z.int('must be a whole number').nonnegative('must not be below 0'),
    loosens: always,
  },
  toolSearch: {
    about:
      'When tools of MCP servers are sent by name only: `auto` (from 10 % of the context window or 10,000 characters on), `auto:N` (from N % on), `on`, `off`.',
    shape: 'one',
    schema: z.stringFormat('toolSearch', /^(?:auto(?::\d{1,3})?|on|off)$/, 'must be auto, auto:N, on or off'),
  },
  tools: {
    about:
      'Switches built-in tools on (`true`) or off (`false`), by name. Off by default: MemoryRead, MemoryWrite, Architect. `false` applies from any source.',
    shape: 'map',
    schema: truth,
    loosens: isTrue,
    broken: { as: false },
    strictest: false,
  },
  'webFetch.localHosts': {
    about: 'Hosts of this machine or its network that WebFetch may reach, such as `localhost:3000`; default none.',
    shape: 'list',
    schema: domain.refine((host) => !/^\s*\*(?::|\s*$)/.test(host), 'must name a host: "*" would be all of them'),
    loosens: always,
  },
  webSearch: {
    about:
      'The search service of WebSearch: `provider` is `searxng`, `brave` or `tavily`, `url` the address, `apiKeyEnv` the variable with the key. Without it, WebSearch is off.',
    shape: 'one',
    schema: webSearchSchema,
    loosens: always,
  },
  disabledMcpjsonServers: {
    about: 'Servers of `.mcp.json` that are not started.',
    shape: 'list',
    schema: text,
    broken: 'refuse',
  },
  env: {
    about: 'Environment variables for Helve and what it runs.',
    shape: 'map',
    schema: variable,
    loosens: always,
    isSecret: true,
  },
  model: { about: 'The model to use: `PROVIDER/NAME`, or a short name.', shape: 'one', schema: model, loosens: always },
  smallModel: { about: 'The model for small tasks.', shape: 'one', schema: model, loosens: always },
  fallbackModel: {
    about: 'At most three models to use in turn while the one before is overloaded.',
    shape: 'one',
    schema: models,
    loosens: always,
  },
  agentModels: {
    about: 'Models for the short names that child agents use: `sonnet`, `opus`, `haiku`, or any other.',
    shape: 'map',
    schema: model,
    loosens: always,
  },
  'agents.maxTurns': {
    about: 'How many requests one child agent may make; default 200.',
    shape: 'one',
    schema: z.int('must be a whole number').positive('must be above 0'),
    loosens: always,
  },
  'agents.maxTokens': {
    about: 'How many tokens one child agent may use, over all its requests; default 30 million.',
    shape: 'one',
    schema: z.int('must be a whole number').positive('must be above 0'),
    loosens: always,
  },
  'agents.maxCostUsd': {
    about: 'What one child agent may cost, in US dollars, if the prices of its model are known.',
    shape: 'one',
    schema: z.number('must be a number').positive('must be above 0'),
    loosens: always,
  },
  'budget.run': {
    about: 'What one prompt may use: `usd`, `tokens`, `turns` (requests to a model) and `minutes`.',
    shape: 'one',
    schema: budgetLimits,
    from: ownSources,
    broken: 'refuse',
  },
  'budget.session': {
    about: 'What one session may use, with what it used before it was resumed, in the same units.',
    shape: 'one',
    schema: budgetLimits,
    from: ownSources,
    broken: 'refuse',
  },
  'budget.day': {
    about: 'What all sessions of a day may use together, in the same units.',
    shape: 'one',
    schema: budgetLimits,
    from: ownSources,
    broken: 'refuse',
  },
  maxRunMinutes: {
    about: 'How many minutes one prompt may take, like `--max-time`; default no limit.',
    shape: 'one',
    schema: z.number('must be a number').positive('must be above 0'),
    loosens: always,
  },
  'background.answerMinutes': {
    about:
      'How many minutes a question of a background session waits for an answer before it is denied; default 1440, which is a day.',
    shape: 'one',
    schema: z.number('must be a number').positive('must be above 0'),
    loosens: always,
  },
  'bash.maxBackground': {
    about:
      'How many commands of a session may run in the background at once; default 32. `HELVE_MAX_BACKGROUND` takes precedence.',
    shape: 'one',
    schema: z.int('must be a whole number').positive('must be above 0'),
    loosens: always,
  },
  'bash.maxSessionOutput': {
    about:
      'How much output all commands of a session may keep in files together, such as `512M`; default `1G`. `HELVE_MAX_SESSION_OUTPUT` takes precedence.',
    shape: 'one',
    schema: size,
    loosens: always,
  },
  effort: {
    about: 'How much the model should think.',
    shape: 'one',
    schema: z.enum(efforts, `must be one of ${efforts.join(', ')}`),
  },
  toolProfile: {
    about: '`small`: the model gets a handful of tools in few words, and the others when it asks for them.',
    shape: 'one',
    schema: z.enum(toolProfileNames, `must be one of ${toolProfileNames.join(', ')}`),
  },
  apiKeyHelper: {
    about:
      "A command that prints the key for Anthropic's models, if no key is set or stored. The key is kept for five minutes, and asked for again when it is refused.",
    shape: 'one',
    schema: text,
    loosens: always,
    isSecret: true,
  },
  statusLine: {
    about: 'A command whose output is the status line.',
    shape: 'one',
    schema: statusLineSchema,
    loosens: always,
    isSecret: true,
  },
  'worktree.setup': {
    about:
      'A command for bash that prepares a new git worktree, such as `npm ci`. It runs in the worktree, before the session; if it fails, there is no worktree.',
    shape: 'one',
    schema: text,
    loosens: always,
    isSecret: true,
  },
  'worktree.setupTimeoutMs': {
    about: 'How long that command may take, in milliseconds; default 600,000.',
    shape: 'one',
    schema: z.int('must be a whole number').positive('must be above 0'),
  },
  'worktree.end': {
    about:
      'What happens to a worktree with changes when its session or child agent has ended: `keep` (the default) keeps it with its branch; `merge` merges its branch into that of the project, if git can without a conflict. The changes are committed in both cases.',
    shape: 'one',
    schema: z.enum(worktreeEnds, `must be one of ${worktreeEnds.join(', ')}`),
    loosens: (value) => value === 'merge',
  },
  instructions: {
    about: '`false`: HELVE.md, AGENTS.md and CLAUDE.md are not given to the model.',
    shape: 'one',
    schema: truth,
    loosens: isFalse,
  },
  outputStyle: {
    about: 'The style of answers: the name of a file in `output-styles`, `PLUGIN:NAME`, or `default`.',
    shape: 'one',
    schema: text,
  },
  theme: {
    about: 'The colours of the terminal: `auto`, `dark`, `light`, `colorblind` or `none`.',
    shape: 'one',
    schema: z.enum(
      ['auto', 'dark', 'light', 'colorblind', 'none'],
      'must be "auto", "dark", "light", "colorblind" or "none"',
    ),
  },
  editorMode: {
    about: '`vim`: the prompt is edited with vi keys.',
    shape: 'one',
    schema: z
      .enum(['normal', 'vim', 'vi'], 'must be "normal" or "vim"')
      .transform((mode) => (mode === 'vi' ? 'vim' : mode)),
    from: ownSources,
  },
  notifications: {
    about:
      'How you are notified when a question waits or long work ends: `auto` (what the terminal supports, else the bell), `bell`, `osc9`, `osc777`, `osc99` or `off`. `HELVE_NOTIFY` overrides it for one run.',
    shape: 'one',
    schema: z.enum(notificationWays, `must be one of ${notificationWays.join(', ')}`),
    from: ownSources,
  },
  ...keySettings,
  includeCoAuthoredBy: {
    about:
      'Only `false`, which is how Helve works: commits do not name it. A co-author needs an address, and Helve has none.',
    shape: 'one',
    schema: z.literal(false, 'can only be false: a co-author needs a mail address, and Helve has none'),
  },
  cleanupPeriodDays: {
    about: 'How many days sessions are kept after they were last written to; default 30.',
    shape: 'one',
    schema: z.int('must be a whole number of days').nonnegative('must not be below 0'),
    loosens: always,
  },
  trustedFolders: {
    about: 'Folders that are trusted, with everything below them, whatever their settings say.',
    shape: 'list',
    schema: path.regex(/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/]|\\\\)/, 'must be a full path, or one that begins with ~/'),
    from: ownSources,
  },
  ...sandboxSettings,
  ...pluginSettings,
  allowManagedPermissionRulesOnly: {
    about: 'Only managed allow rules apply.',
    shape: 'one',
    schema: truth,
    broken: { as: true },
    strictest: true,
    from: ['managed'],
  },
  allowManagedHooksOnly: {
    about: 'Only managed hooks run.',
    shape: 'one',
    schema: truth,
    broken: { as: true },
    strictest: true,
    from: ['managed'],
  },
  allowManagedMcpServersOnly: {
    about: 'Only managed MCP servers are started.',
    shape: 'one',
    schema: truth,
    broken: { as: true },
    strictest: true,
    from: ['managed'],
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settingTable;

/** The type of a setting's value, or of one element of it. */
export type SettingValue<Name extends SettingName> = z.output<(typeof settingTable)[Name]['schema']>;

export const settings: Readonly<Record<SettingName, Setting>> = settingTable;

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(settingTable, name);

// The type of Object.keys is string[]; the table is a constant, so its keys are exactly these.
export const settingNames = Object.keys(settingTable) as readonly SettingName[];

/** Names that only contain other settings: `permissions`, `sandbox.network`. */
export const sectionNames: readonly string[] = [
  ...new Set(
    settingNames.flatMap((name) => {
      const parts = name.split('.');
      return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
    }),
  ),
];
