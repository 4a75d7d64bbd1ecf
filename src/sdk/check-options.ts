// What a program without types can get wrong is told when the agent is made, and not by what does not happen later: a
// mistyped name would leave out a rule, or a hook that guards something.
import { hookEvents } from '../contract/hook.js';
import type { Model } from '../contract/model.js';
import { type PermissionMode, permissionModes } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { builtInTools } from '../tools/index.js';
import type { AgentOptions } from './agent.js';
import type { EngineOptions } from './options.js';

const engineOptions: Readonly<Record<keyof EngineOptions, true>> = {
  root: true,
  additionalDirectories: true,
  dataFolder: true,
  permissionMode: true,
  permissions: true,
  canUseTool: true,
  askPermission: true,
  askUser: true,
  hooks: true,
  tools: true,
  toolSwitches: true,
  toolSet: true,
  editStyle: true,
  mcpServers: true,
  strictMcp: true,
  settings: true,
  sandbox: true,
  web: true,
  env: true,
  hiddenVariables: true,
  home: true,
  audit: true,
};

const agentOptions: Readonly<Record<keyof AgentOptions, true>> = {
  ...engineOptions,
  model: true,
  fallbackModels: true,
  retries: true,
  maxTurns: true,
  maxTimeMs: true,
  childModel: true,
  sideModel: true,
  context: true,
  keepSession: true,
  onStoreProblem: true,
  systemPrompt: true,
  appendSystemPrompt: true,
  instructions: true,
  commands: true,
};

/** What others call the same. */
const otherNames: Readonly<Record<string, string>> = {
  cwd: 'root',
  allowedTools: 'permissions.allow',
  disallowedTools: 'permissions.deny',
  resume: 'resumeAgent',
};

export function checkAgentOptions(options: AgentOptions): void {
  checkNames(options, agentOptions, 'createAgent');
  for (const model of [options.model, ...checkList<Model>(options.fallbackModels, 'fallbackModels')]) checkModel(model);
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

export const checkEngineOptions = (options: EngineOptions): void => checkNames(options, engineOptions, 'createEngine');

export function checkMode(mode: PermissionMode): PermissionMode {
  if (permissionModes.includes(mode)) return mode;
  throw new TypeError(`There is no permission mode ${shown(mode)}. There are: ${permissionModes.join(', ')}.`);
}

/** What every place that takes these options has in common. */
export function checkParts(options: EngineOptions): void {
  const { tools, hooks, permissions, canUseTool, askPermission, askUser, toolSwitches, toolSet, editStyle } = options;
  for (const [name, value] of Object.entries({ canUseTool, askPermission, askUser })) {
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`${name} must be a function, but was ${shown(value)}.`);
    }
  }
  for (const name of ['additionalDirectories', 'hiddenVariables'] as const) checkList(options[name], name);
  for (const name of ['permissions', 'hooks', 'toolSwitches', 'mcpServers', 'sandbox', 'web', 'env'] as const) {
    const value: unknown = options[name];
    if (value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))) continue;
    throw new TypeError(`${name} must be an object, but was ${shown(value)}.`);
  }
  if (toolSet !== undefined && toolSet !== 'simple' && toolSet !== 'all') {
    throw new TypeError(`toolSet takes simple or all, but was ${shown(toolSet)}.`);
  }
  if (editStyle !== undefined && editStyle !== 'text' && editStyle !== 'patch') {
    throw new TypeError(`editStyle takes text or patch, but was ${shown(editStyle)}.`);
  }
  checkTools(checkList(tools, 'tools'));
  for (const name of Object.keys(toolSwitches ?? {})) checkSwitch(name, tools);
  for (const [name, rules] of Object.entries(permissions ?? {})) {
    const known = ['allow', 'ask', 'deny'];
    if (!known.includes(name))
      throw new TypeError(`There is no list permissions.${name}. There are: allow, ask, deny.`);
    for (const rule of checkList(rules, `permissions.${name}`)) {
      if (typeof rule !== 'string')
        throw new TypeError(`A rule of permissions.${name} is no text, but ${shown(rule)}.`);
    }
  }
  for (const [event, groups] of Object.entries(hooks ?? {})) checkHooks(event, groups);
}

export function checkPrompt(prompt: unknown): void {
  if (typeof prompt === 'string') return;
  const isBlock = (block: unknown): boolean => typeof block === 'object' && block !== null && 'type' in block;
  if (Array.isArray(prompt) && prompt.every(isBlock)) return;
  throw new TypeError(`A prompt is a text, or a list of blocks of text and images, but this is ${shown(prompt)}.`);
}

function checkNames(options: object, known: Readonly<Record<string, true>>, taker: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${taker} takes an object with options, but was given ${shown(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (name in known || value === undefined) continue;
    const meant = otherNames[name] ?? nearestWords(name, Object.keys(known))[0];
    const advice = meant === undefined ? 'docs/api.md lists those that there are.' : `Did you mean ${meant}?`;
    throw new TypeError(`${taker} has no option "${name}". ${advice}`);
  }
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
    if (!isTool(tool)) throw new TypeError(`${shown(tool)} among tools is no tool. Make it with defineTool.`);
    const twin = builtIn.find(({ name }) => name === tool.name);
    if (twin && twin !== tool) {
      throw new TypeError(`There is a built-in tool named "${twin.name}", so yours would not be called. Rename it.`);
    }
  }
}

/** For who runs one by itself. */
export function checkTool(tool: unknown): void {
  if (isTool(tool)) return;
  throw new TypeError(`${shown(tool)} is no tool. Make one with defineTool, or take one of builtInTools().`);
}

const isTool = (tool: unknown): tool is Pick<Tool, 'name' | 'accept'> =>
  typeof tool === 'object' && tool !== null && 'accept' in tool && 'name' in tool;

/** Who switches a tool off by a name that is not its own has it all the same. */
function checkSwitch(name: string, own: EngineOptions['tools'] = []): void {
  const names = [...builtInTools(), ...own].map((tool) => tool.name);
  if (names.includes(name) || name.startsWith('mcp__')) return;
  const [meant] = nearestWords(name, names);
  const advice = meant === undefined ? 'helve tools --all lists those that there are.' : `Did you mean ${meant}?`;
  throw new TypeError(`toolSwitches has "${name}", but no tool has that name. ${advice}`);
}

function checkHooks(event: string, groups: unknown): void {
  if (!hookEvents.some((known) => known === event)) {
    const [meant] = nearestWords(event, hookEvents);
    const advice = meant === undefined ? `There are: ${hookEvents.join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`There is no moment "${event}" for hooks, so they would never be called. ${advice}`);
  }
  const form = `Write hooks: { ${event}: [{ hooks: [function] }] }.`;
  for (const group of checkList(groups, `hooks.${event}`, ` ${form}`)) {
    const callbacks = typeof group === 'object' && group !== null && 'hooks' in group ? group.hooks : undefined;
    const isGroup = Array.isArray(callbacks) && callbacks.every((callback) => typeof callback === 'function');
    if (!isGroup) throw new TypeError(`A group in hooks.${event} has no list of functions as its hooks. ${form}`);
  }
}

/** An empty one where there is none. */
export function checkList<Entry = unknown>(
  value: readonly Entry[] | unknown,
  name: string,
  advice = '',
): readonly Entry[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new TypeError(`${name} must be a list, but was ${shown(value)}.${advice}`);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null)
    return 'name' in value ? `an object named "${String(value.name)}"` : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
