// Checks the options of programs without types when an agent is created: a mistyped name would silently leave out a rule,
// or a hook that guards something.

import {
  abortSignal,
  anything,
  callback,
  checkKind,
  checkKinds,
  count,
  fields,
  flag,
  type Kinds,
  list,
  mustBe,
  numberFrom,
  object,
  oneOf,
  path,
  positive,
  record,
  shown,
  text,
  valueOr,
  variable,
} from '../compose/option-kinds.js';
import { type BudgetLimits, type BudgetOptions, budgetScopes, budgetUnits } from '../contract/budget.js';
import type { ContextOptions } from '../contract/context.js';
import { hookEvents } from '../contract/hook.js';
import { type Model, toolProfileNames } from '../contract/model.js';
import type { AgentOptions, EngineOptions, HookGroup, PermissionRules } from '../contract/options.js';
import { permissionModes } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import type { SandboxConfig } from '../contract/tool-context.js';
import { searchProviders, type WebAccess } from '../contract/web.js';
import { worktreeEnds } from '../contract/worktree.js';
import { isMcpName } from '../platform/text/mcp-names.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { builtInTools } from '../tools/index.js';
import type { ResumeOptions } from './agent.js';
import type { ConnectOptions, HttpOptions, ServeOptions } from './mcp.js';
import { mcpServer } from './mcp-server-kind.js';
import type { ListOptions } from './sessions.js';
import type { SettingsOptions } from './settings.js';
import type { FinishOptions, WorktreeOptions } from './worktree.js';

const texts = list(text);

const sandbox: Kinds<SandboxConfig> = {
  network: valueOr(['off', 'on'], fields({ allowed: texts, denied: texts })),
  allowWrite: texts,
  denyWrite: texts,
  denyRead: texts,
  unreadable: anything,
  allowRead: texts,
  excluded: texts,
  failIfUnavailable: flag,
  autoAllow: flag,
  mode: oneOf(['effects', 'workspace']),
  allowUnsandboxed: flag,
  disposable: flag,
};

const search = fields({ provider: oneOf(searchProviders), url: text, key: text, keyVariable: text });
const web: Kinds<WebAccess> = { localHosts: texts, search };

const rules: Kinds<PermissionRules> = { allow: texts, ask: texts, deny: texts };

/** Each option of an engine with its type. Whether tools, hooks, servers and rules make sense is checked apart. */
export const engineOptions: Kinds<EngineOptions> = {
  root: path,
  worktree: object,
  additionalDirectories: texts,
  dataFolder: path,
  permissionMode: oneOf(permissionModes),
  permissions: fields(rules),
  canUseTool: callback,
  askPermission: callback,
  askUser: callback,
  hooks: record(anything),
  tools: list(anything),
  toolSwitches: record(flag),
  toolSet: oneOf(['simple', 'all']),
  editStyle: oneOf(['text', 'patch']),
  toolProfile: oneOf(toolProfileNames),
  mcpServers: record(mcpServer),
  strictMcp: flag,
  settings: object,
  sandbox: fields(sandbox, ['network', 'allowWrite', 'denyWrite', 'denyRead', 'failIfUnavailable']),
  web: fields(web, ['localHosts']),
  env: record(variable),
  hiddenVariables: texts,
  home: text,
  audit: flag,
};

const context: Kinds<ContextOptions> = { windowTokens: count, compactAtPercent: numberFrom(0, 100) };

const retries: Kinds<Exclude<NonNullable<AgentOptions['retries']>, false>> = {
  maxRetries: count,
  baseMs: count,
  idleMs: count,
  answerMs: count,
  answerChars: count,
  maxRequests: count,
  wait: callback,
  random: callback,
};

const limits: Kinds<BudgetLimits> = { usd: anything, tokens: anything, turns: anything, minutes: anything };

const budget: Kinds<BudgetOptions> = { run: fields(limits), session: fields(limits), day: fields(limits) };

const agentOptions: Kinds<AgentOptions> = {
  ...engineOptions,
  model: anything,
  fallbackModels: list(anything),
  retries: valueOr([false], fields(retries)),
  maxTurns: anything,
  maxTimeMs: anything,
  budget: fields(budget),
  goal: fields({ text, until: text }),
  childModel: callback,
  sideModel: callback,
  context: fields(context),
  keepSession: flag,
  onStoreProblem: callback,
  systemPrompt: text,
  appendSystemPrompt: text,
  instructions: flag,
  commands: flag,
};

const resumeOptions: Kinds<Omit<ResumeOptions, keyof AgentOptions>> = {
  session: text,
  fork: flag,
  beforePrompt: count,
};

const settingsOptions: Kinds<SettingsOptions> = {
  root: path,
  env: record(variable),
  home: text,
  file: text,
  trust: flag,
};
const connectOptions: Kinds<ConnectOptions> = {
  root: path,
  dataFolder: path,
  env: record(variable),
  askUser: callback,
  withinMs: positive,
  onNotice: callback,
};
const serveOptions: Kinds<ServeOptions & HttpOptions & { signal?: AbortSignal }> = {
  ...withoutQuestions(engineOptions),
  name: text,
  version: text,
  instructions: text,
  offer: anything,
  onProblem: callback,
  port: count,
  token: text,
  signal: abortSignal,
};
const listOptions: Kinds<ListOptions> = { root: path, dataFolder: path };
const worktreeOptions: Kinds<WorktreeOptions> = {
  root: path,
  dataFolder: path,
  name: text,
  setUp: text,
  setUpTimeoutMs: positive,
  trust: flag,
  env: record(variable),
};
const finishOptions: Kinds<FinishOptions> = { end: oneOf(worktreeEnds), message: text };

function withoutQuestions({ canUseTool: _, askPermission: __, askUser: ___, ...rest }: Kinds<EngineOptions>) {
  return rest;
}

const hookGroup: Kinds<HookGroup> = {
  matcher: text,
  hooks: anything,
  timeout: positive,
  onFailure: oneOf(['continue', 'block']),
};

/** The names that other agents have for these options. */
const otherNames: Readonly<Record<string, string>> = {
  cwd: 'root',
  allowedTools: 'permissions.allow',
  disallowedTools: 'permissions.deny',
  resume: 'resumeAgent',
};

export function checkAgentOptions(options: AgentOptions): void {
  checkKinds(options, agentOptions, 'createAgent', otherNames);
  for (const model of [options.model, ...checkList<Model>(options.fallbackModels, 'fallbackModels')]) checkModel(model);
  checkBudget(options.budget);
  const { maxTurns, maxTimeMs } = options;
  if (maxTimeMs !== undefined && !(typeof maxTimeMs === 'number' && maxTimeMs > 0)) {
    throw new TypeError(
      `maxTimeMs takes a number of milliseconds above 0, but was ${shown(maxTimeMs)}. Leave it out for no limit.`,
    );
  }
  if (
    maxTurns !== undefined &&
    !(Number.isInteger(maxTurns) && maxTurns > 0) &&
    maxTurns !== Number.POSITIVE_INFINITY
  ) {
    throw new TypeError(
      `maxTurns takes a whole number above 0, but was ${shown(maxTurns)}. Leave it out for no limit.`,
    );
  }
}

function checkBudget(given: BudgetOptions = {}): void {
  for (const scope of budgetScopes) {
    for (const unit of budgetUnits) {
      const limit = given[scope]?.[unit];
      const isWhole = unit === 'tokens' || unit === 'turns';
      if (limit === undefined || (Number.isFinite(limit) && limit > 0 && (!isWhole || Number.isInteger(limit))))
        continue;
      throw new TypeError(
        `budget.${scope}.${unit} takes a ${isWhole ? 'whole number' : 'number'} above 0, but was ${shown(limit)}. Leave it out for no limit.`,
      );
    }
  }
}

export const checkResumeOptions = (options: object): void =>
  checkKinds(options, { ...resumeOptions, ...agentOptions }, 'resumeAgent', otherNames);

export const checkEngineOptions = (options: EngineOptions): void =>
  checkKinds(options, engineOptions, 'createEngine', otherNames);

export const checkSettingsOptions = (options: unknown): void => checkKinds(options, settingsOptions, 'loadSettings');
export const checkConnectOptions = (servers: unknown, options: unknown): void => {
  checkKind(servers, engineOptions.mcpServers, 'servers');
  checkKinds(options, connectOptions, 'connectMcpServers');
};
export const checkServeOptions = (options: unknown): void => checkKinds(options, serveOptions, 'An MCP server');
export const checkProjectOptions = (options: unknown): void =>
  checkKinds(options, engineOptions, 'temporaryProject', otherNames);
export const checkWorktreeOptions = (options: unknown): void => checkKinds(options, worktreeOptions, 'openWorktree');
export const checkFinishOptions = (options: unknown): void => checkKinds(options, finishOptions, 'finish');
export const checkListOptions = (options: unknown): void => checkKinds(options, listOptions, 'listSessions');

/** Checks what types do not express, for every function that takes these options. */
export function checkParts(options: EngineOptions): void {
  const { tools, hooks, toolSwitches } = options;
  checkTools(tools ?? []);
  for (const name of Object.keys(toolSwitches ?? {})) checkSwitch(name, tools);
  for (const [event, groups] of Object.entries(hooks ?? {})) checkHooks(event, groups);
}

function checkModel(model: unknown): void {
  if (model === undefined || model === null) {
    throw new TypeError('createAgent needs a model. Take one from helve/models, as in await chooseModel().');
  }
  if (model instanceof Promise)
    throw new TypeError('The model is a promise. Wait for it: model: await chooseModel(…).');
  if (typeof model === 'object' && 'stream' in model && typeof model.stream === 'function') return;
  const advice = typeof model === 'string' ? `await chooseModel(${shown(model)})` : 'await chooseModel()';
  throw new TypeError(`The model is ${shown(model)}, which can't answer. Take one from helve/models, as in ${advice}.`);
}

function checkTools(tools: readonly unknown[]): void {
  if (tools.length === 0) return;
  const builtIn = builtInTools();
  for (const tool of tools) {
    if (!isTool(tool)) throw new TypeError(`${shown(tool)} among tools is not a tool. Create it with defineTool.`);
    const twin = builtIn.find(({ name }) => name === tool.name);
    if (twin && twin !== tool) {
      throw new TypeError(`There is a built-in tool named "${twin.name}", so yours would not be called. Rename it.`);
    }
  }
}

export function checkTool(tool: unknown): void {
  if (isTool(tool)) return;
  throw new TypeError(`${shown(tool)} is not a tool. Create one with defineTool, or use one of builtInTools().`);
}

const isTool = (tool: unknown): tool is Pick<Tool, 'name' | 'accept'> =>
  typeof tool === 'object' && tool !== null && 'accept' in tool && 'name' in tool;

/** A switch under a wrong name would leave the tool as it is. */
function checkSwitch(name: string, own: EngineOptions['tools'] = []): void {
  const names = [...builtInTools(), ...own].map((tool) => tool.name);
  if (names.includes(name) || isMcpName(name)) return;
  const [meant] = nearestWords(name, names);
  const advice = meant === undefined ? 'helve tools --all lists all of them.' : `Did you mean ${meant}?`;
  throw new TypeError(`toolSwitches has "${name}", but no tool has that name. ${advice}`);
}

function checkHooks(event: string, groups: unknown): void {
  if (!hookEvents.some((known) => known === event)) {
    const [meant] = nearestWords(event, hookEvents);
    const advice = meant === undefined ? `There are: ${hookEvents.join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`There is no hook event "${event}", so its hooks would never be called. ${advice}`);
  }
  const form = `Write hooks: { ${event}: [{ hooks: [function] }] }.`;
  for (const [index, group] of checkList(groups, `hooks.${event}`, ` ${form}`).entries()) {
    const callbacks = typeof group === 'object' && group !== null && 'hooks' in group ? group.hooks : undefined;
    const isGroup = Array.isArray(callbacks) && callbacks.every((callback) => typeof callback === 'function');
    if (!isGroup) throw new TypeError(`A group in hooks.${event} has no list of functions as its hooks. ${form}`);
    checkKind(group, fields(hookGroup), `hooks.${event}[${index}]`);
  }
}

/** Returns an empty list for undefined. */
export function checkList<Entry = unknown>(
  value: readonly Entry[] | unknown,
  name: string,
  advice = '',
): readonly Entry[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new TypeError(`${mustBe(name, 'a list', value)}${advice}`);
}
