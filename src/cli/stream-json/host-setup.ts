// What a host says about the conversation in `initialize`, before it begins.
import type { AgentType } from '../../agent/children/agent-types.js';
import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import { isObject } from '../../platform/is-object.js';
import type { Line } from './control-channel.js';
import { RequestRefused } from './host-requests.js';
import { type ToolPolicies, toolPolicies } from './tool-policies.js';

/** The part of `initialize` that the conversation is created with. */
export interface HostSetup {
  systemPrompt?: string;
  appendSystemPrompt?: string;
  planModeInstructions?: string;
  /** The facts about the machine are left out of the system prompt. */
  withoutFacts?: true;
  agents: readonly AgentType[];
  jsonSchema?: Readonly<Record<string, unknown>>;
  /** The only skills of the conversation. */
  skills?: readonly string[];
  /** Built-in tools that a tool of the host replaces. */
  replacedTools: readonly string[];
  title?: string;
  /** Entries for the MCP servers in the host. */
  servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Rules about single tools of these servers. */
  policies: ToolPolicies;
  /** Messages of child agents are not sent to the host. */
  hidesChildText: boolean;
}

export const noSetup: HostSetup = {
  agents: [],
  replacedTools: [],
  servers: {},
  policies: { ask: [], deny: [] },
  hidesChildText: false,
};

/** Fields that are accepted without effect, each with the reason. */
const withoutEffect: Readonly<Record<string, string>> = {
  promptSuggestions: 'Helve suggests no prompts',
  agentProgressSummaries: 'Helve writes no summaries of child agents at work',
  supportedDialogKinds: 'Helve opens no dialogs beside its questions',
  perTaskStopAffordance: 'an interrupt ends all tasks; stop_task ends one',
  systemPromptSnapshot: 'the system prompt stays the same within a conversation anyway',
  plugins: 'plugins are loaded before it; give them by --plugin-dir, which is the default of the SDK',
};

/** Reads the fields. Throws `RequestRefused` if one that the host relies on can't be used. */
export function readSetup(request: Line): { setup: HostSetup; notices: string[] } {
  const { toolAliases, skills, jsonSchema, forwardSubagentText } = request;
  const systemPrompt = textIn(request, 'systemPrompt', { isList: true });
  const replacedTools = toolAliases === undefined ? [] : Object.keys(objectIn(toolAliases, 'toolAliases'));
  const setup: HostSetup = {
    ...given('systemPrompt', systemPrompt),
    ...given('appendSystemPrompt', textIn(request, 'appendSystemPrompt')),
    ...given('planModeInstructions', textIn(request, 'planModeInstructions')),
    ...given('title', textIn(request, 'title')),
    ...(request['excludeDynamicSections'] === true && { withoutFacts: true }),
    ...(jsonSchema !== undefined && jsonSchema !== null && { jsonSchema: objectIn(jsonSchema, 'jsonSchema') }),
    ...(Array.isArray(skills) && { skills: skills.map(String) }),
    agents: readAgents(request['agents']),
    replacedTools,
    ...readServers(request),
    hidesChildText: forwardSubagentText === false,
  };
  return { setup, notices: [...ignoredFields(request), ...replacedNotice(replacedTools)] };
}

const knownFields: ReadonlySet<string> = new Set([
  ...['subtype', 'hooks', 'systemPrompt', 'appendSystemPrompt', 'planModeInstructions', 'title', 'skills', 'agents'],
  ...['excludeDynamicSections', 'jsonSchema', 'toolAliases', 'forwardSubagentText'],
  ...['sdkMcpServers', 'sdkMcpServerConfigs'],
  ...['sdkMcpServerManifests', 'sdkMcpServerManifestsOrigin'], // they save requests, and change nothing else
]);

function ignoredFields(request: Line): string[] {
  const names = Object.keys(request).filter((name) => !knownFields.has(name) && !isBlank(request[name]));
  return names.map((name) => {
    const reason = Object.hasOwn(withoutEffect, name) ? withoutEffect[name] : 'Helve does not know it';
    return `The field ${name} of initialize has no effect: ${reason}.`;
  });
}

function replacedNotice(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`The built-in tools ${names.join(', ')} are switched off, because toolAliases replaces them by other tools.`];
}

/** Hosts send many empty fields. */
const isBlank = (value: unknown): boolean => /^(?:null|false|""|\[\]|\{\})$/.test(JSON.stringify(value) ?? 'null');

function textIn(request: Line, name: string, { isList = false } = {}): string | undefined {
  const value = request[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (isList && Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join('\n\n');
  throw new RequestRefused(`"${name}" of initialize must be ${isList ? 'a text or a list of texts' : 'a text'}.`);
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new RequestRefused(`"${name}" of initialize must be an object.`);
}

/** An entry for each server in the host, as `.mcp.json` has them. */
function readServers({ sdkMcpServers, sdkMcpServerConfigs }: Line): Pick<HostSetup, 'servers' | 'policies'> {
  const configs =
    sdkMcpServerConfigs === undefined || sdkMcpServerConfigs === null
      ? {}
      : objectIn(sdkMcpServerConfigs, 'sdkMcpServerConfigs');
  const policies = Object.entries(configs).map(([name, config]) =>
    toolPolicies(name, objectIn(config, `sdkMcpServerConfigs.${name}`)['tools']),
  );
  const rules = { ask: policies.flatMap(({ ask }) => ask), deny: policies.flatMap(({ deny }) => deny) };
  if (sdkMcpServers === undefined || sdkMcpServers === null) return { servers: {}, policies: rules };
  if (!Array.isArray(sdkMcpServers) || !sdkMcpServers.every((name) => typeof name === 'string')) {
    throw new RequestRefused('"sdkMcpServers" of initialize must be a list of names.');
  }
  const servers = Object.fromEntries(
    sdkMcpServers.map((name: string) => {
      const config = configs[name];
      const timeout = isObject(config) ? config['timeout'] : undefined;
      return [name, { type: 'sdk', alwaysLoad: true, ...(typeof timeout === 'number' && { timeout }) }];
    }),
  );
  return { servers, policies: rules };
}

/** The types of agents of `initialize` or `--agents`. An invalid field is refused, since it may restrict the agent. */
export function readAgents(value: unknown): AgentType[] {
  if (value === undefined || value === null) return [];
  return Object.entries(objectIn(value, 'agents')).map(([name, agent]) => readAgent(name, agent));
}

/** Fields of an agent that change nothing here, and restrict nothing. */
const harmlessAgentFields: ReadonlySet<string> = new Set([
  'background',
  'autoCompactWindow',
  'effort',
  'observerMessage',
]);

const usedAgentFields: ReadonlySet<string> = new Set([
  ...['description', 'prompt', 'tools', 'disallowedTools', 'model', 'maxTurns', 'permissionMode', 'omitClaudeMd'],
]);

function readAgent(name: string, agent: unknown): AgentType {
  const refuse = (what: string): never => {
    throw new RequestRefused(`The agent "${name}" can't be used: ${what}`);
  };
  if (!isObject(agent)) return refuse('it must be an object.');
  const { description, prompt, tools, disallowedTools, model, maxTurns, permissionMode, omitClaudeMd } = agent;
  if (typeof description !== 'string' || typeof prompt !== 'string') {
    return refuse('"description" and "prompt" must be texts.');
  }
  const others = Object.keys(agent).filter((field) => !isAbsent(agent[field]) && !usedAgentFields.has(field));
  const unknown = others.filter((field) => !harmlessAgentFields.has(field));
  if (unknown.length > 0) {
    return refuse(
      `Helve does not use ${unknown.map((field) => `"${field}"`).join(', ')} of an agent, which may restrict it or be needed by its prompt. Leave them out.`,
    );
  }
  if (!isAbsent(model) && typeof model !== 'string') return refuse('"model" must be the name of a model.');
  if (!isAbsent(maxTurns) && !(typeof maxTurns === 'number' && Number.isInteger(maxTurns) && maxTurns > 0)) {
    return refuse(`"maxTurns" must be a whole number, 1 or more, but was ${JSON.stringify(maxTurns)}.`);
  }
  if (!isAbsent(omitClaudeMd) && typeof omitClaudeMd !== 'boolean') {
    return refuse('"omitClaudeMd" must be true or false.');
  }
  const names = (field: string, list: unknown): readonly string[] | undefined => {
    if (isAbsent(list)) return undefined;
    if (Array.isArray(list) && list.every((tool) => typeof tool === 'string')) return list;
    return refuse(`"${field}" must be a list of names of tools.`);
  };
  const [allowed, denied] = [names('tools', tools), names('disallowedTools', disallowedTools)];
  return {
    name,
    description,
    prompt,
    ...(allowed && { tools: allowed }),
    ...(denied && { disallowedTools: denied }),
    ...(typeof model === 'string' && model !== 'inherit' && { model }),
    ...(typeof maxTurns === 'number' && { maxTurns }),
    ...(!isAbsent(permissionMode) && { mode: modeIn(permissionMode, refuse) }),
    ...(omitClaudeMd === true && { withoutInstructions: true }),
  };
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

function modeIn(value: unknown, refuse: (what: string) => never): PermissionMode {
  return (
    permissionModes.find((mode) => mode === value) ??
    refuse(`"permissionMode" must be one of ${permissionModes.join(', ')}.`)
  );
}

const given = <Name extends string>(name: Name, value: string | undefined) =>
  // The compiler types a computed name as any string; here it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: string };
