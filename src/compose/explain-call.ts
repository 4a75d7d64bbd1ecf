// Decides whether a call would be allowed, and why. The tool names its effects, and the rules decide. Nothing is run:
// no hook, no check, no tool.
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { resolve as resolveCall } from '../calls/resolve.js';
import type { Effect } from '../contract/effect.js';
import { ToolFailure } from '../contract/failure.js';
import {
  type Behavior,
  type Confinement,
  type Decision,
  type PermissionMode,
  permissionModes,
  type Risk,
  type TrailEntry,
  type Walls,
  wallStates,
} from '../contract/permission.js';
import { defineTool, type Tool } from '../contract/tool.js';
import type { SessionPort, ToolContext } from '../contract/tool-context.js';
import { decide } from '../permissions/engine.js';
import type { Policy } from '../permissions/policy.js';
import { assessRisks } from '../permissions/risks/assess-risks.js';
import type { RuleLists } from '../permissions/rule.js';
import { describeConfinement, type PolicySandbox } from '../permissions/sandboxed-call.js';
import { dataFolderOf, folderNames, homeFolder } from '../platform/files/paths.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { chooseSandbox } from '../platform/sandbox/choose.js';
import type { Sandbox } from '../platform/sandbox/sandbox.js';
import { serverPartOf } from '../platform/text/mcp-names.js';
import type { LoadOptions } from '../settings/load.js';
import { builtInTools, toolTable } from '../tools/index.js';
import { composeSession } from './compose-session.js';
import { LocationPolicies, type LocationPolicy, type PolicyProblem, type ProjectLocation } from './location-policy.js';
import type { ToolSession } from './tool-session.js';

export interface ExplainRequest {
  tool: string;
  input: unknown;
  /** The project folder, which the settings apply to. Default: the process's working directory. */
  cwd?: string;
  /** The folder that `~` and `$HOME` expand to. Default: the home folder. */
  home?: string;
  /** Used in place of all settings files, and treated as the settings of a trusted project. */
  settings?: unknown;
  /** Default: what the options or the settings say. */
  mode?: PermissionMode;
  /** Default: from the options, else detected on this machine. */
  walls?: Walls;
}

export interface ExplainerOptions {
  /** Tools in addition to the built-in ones. */
  tools?: readonly Tool[];
  /** For requests that name no mode. */
  mode?: PermissionMode;
  /** For requests that don't say. */
  walls?: Walls;
  /** Rules in addition to those of settings. */
  permissions?: RuleLists;
  /** Folders that count as part of the project. */
  additionalDirectories?: readonly string[];
  /** Where the settings files are, and whether the folder counts as trusted. */
  settings?: Pick<LoadOptions, 'env' | 'flag' | 'managedFolder' | 'trust'>;
}

export interface Explanation {
  decision: Behavior;
  reason: string;
  /** The canonical name, even if the request used an alias. */
  tool: string;
  mode: PermissionMode;
  /** The decision assumes this about the machine. */
  walls: Walls;
  /** How its commands would be confined; absent if it runs no command. */
  confinement?: Confinement;
  /** One sentence: the effect of the configured sandbox on the call once it is approved. Absent if it runs no command. */
  sandbox?: string;
  effects: readonly Effect[];
  /** What the call puts at risk, the worst first. */
  risks: readonly Risk[];
  trail: readonly TrailEntry[];
  injection?: Decision['injection'];
  /** Problems of the rules. */
  problems: readonly PolicyProblem[];
  /** No decision was possible: unknown tool, invalid input, invalid rules. Such a call is denied. */
  invalid?: true;
}

/** Explains calls. Settings that were read for one call are reused for the next. */
export function createExplainer(options: ExplainerOptions = {}): (request: ExplainRequest) => Promise<Explanation> {
  const tools = [...builtInTools(), ...(options.tools ?? [])];
  const knownTools = tools.map(({ name }) => name);
  const policies = new LocationPolicies({ settings: options.settings, knownTools });
  let judge: ToolSession | undefined;
  let tried: Promise<Sandbox> | undefined;
  /** A machine that can confine commands has a sandbox that works; this one is tried unless the request says so. */
  const sandboxAt = async (
    { sandbox }: LocationPolicy,
    walls: Walls | undefined,
  ): Promise<PolicySandbox | undefined> => {
    if (!sandbox) return undefined;
    if (walls !== undefined) return { ...sandbox, works: walls === 'full' };
    tried ??= chooseSandbox({ env: process.env, workspace: [] });
    return { ...sandbox, works: (await tried).kind !== 'none' };
  };

  return async (request) => {
    const cwd = resolve(request.cwd ?? process.cwd());
    const location = { cwd, home: request.home ?? homeFolder() };
    const refused = (reason: string, problems: readonly PolicyProblem[] = []): Explanation => ({
      decision: 'deny',
      reason,
      tool: String(request.tool),
      mode: request.mode ?? options.mode ?? 'default',
      walls: request.walls ?? options.walls ?? 'none',
      effects: [],
      risks: [],
      trail: [],
      problems,
      invalid: true,
    });
    try {
      checkLocation(location);
      const policy = await policies.at(location, request.settings);
      const { problems } = policy;
      const fatal = problems.find(({ severity }) => severity === 'fatal');
      if (fatal) return refused(fatal.message, problems);
      const mode = request.mode ?? options.mode ?? policy.mode ?? 'default';
      if (!permissionModes.includes(mode)) {
        return refused(`There is no permission mode "${String(mode)}". There are: ${permissionModes.join(', ')}.`);
      }
      if (mode === 'bypassPermissions' && policy.bypassDisabledBy !== undefined) {
        return refused(`The mode bypassPermissions is switched off by ${policy.bypassDisabledBy}.`, problems);
      }

      judge ??= composeSession({ ...(options.tools && { tools: options.tools }) }, { as: 'judge' });
      const call = { id: 'explain', name: String(request.tool), input: withHome(request.input, location) };
      const { tool, bound } = await resolveCall(call, {
        ...judge.environment(() => {}),
        findTool: (name) => tools.find((known) => known.name === name) ?? toolOfServer(name),
        toolNames: () => knownTools,
      });
      const off = policy.off?.get(tool.name);
      if (off !== undefined) return refused(`${tool.name} is switched off by the setting tools.${tool.name} (${off}).`);
      const effects = await bound.effects(contextAt(judge, location, policy));
      const walls = request.walls ?? options.walls ?? judge.session.walls;
      if (!wallStates.includes(walls)) {
        return refused(`"walls" takes ${wallStates.join(' or ')}, but was "${String(walls)}".`, problems);
      }
      const folders = [cwd, ...policy.folders, ...(options.additionalDirectories ?? [])];
      const judged = { tool: tool.name, input: bound.input, effects };
      const circumstances: Policy = {
        mode,
        workspace: folders.flatMap(folderNames),
        resultsFolder: judge.session.resultsFolder,
        dataFolders: folderNames(dataFolderAt(location, options)),
        tools: toolTable(),
        rules: [...policy.rules, ...policies.rulesAt(location, options.permissions ?? {})],
        home: location.home === undefined ? [] : folderNames(location.home),
        walls,
        sandbox: await sandboxAt(policy, request.walls ?? options.walls),
      };
      const { behavior, reason, trail = [], injection, confinement } = decide(judged, circumstances);
      const sandbox = confinement && describeConfinement(judged, circumstances);
      const shown = behavior === 'deny' ? effects.map(asNamed) : effects;
      const risks = assessRisks({ ...judged, effects: shown }, { ...circumstances, project: folderNames(cwd) });
      const assumed = { mode, walls, ...(confinement && { confinement }), ...(sandbox !== undefined && { sandbox }) };
      const facts = {
        tool: tool.name,
        ...assumed,
        effects: shown,
        risks,
        trail,
        ...(injection && { injection }),
        problems,
      };
      return { decision: behavior, reason, ...facts };
    } catch (error) {
      if (error instanceof ToolFailure) return refused(error.message);
      return refused(`The effects of ${String(request.tool)} can't be determined: ${messageOf(error)}`);
    }
  };
}

/** The project need not exist. */
function checkLocation({ cwd, home }: ProjectLocation): void {
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) throw new Error(`${cwd} is not a folder.`);
  if (home !== undefined && !isAbsolute(home)) throw new Error(`the home folder "${home}" is not an absolute path.`);
}

const dataFolderAt = ({ home }: ProjectLocation, { settings }: ExplainerOptions): string =>
  dataFolderOf({ ...(settings?.env && { env: settings.env }), ...(home !== undefined && { home }) });

/** The context of a call in a session at another location. */
function contextAt(
  judge: ToolSession,
  { cwd, home }: ProjectLocation,
  { localHosts = [] }: LocationPolicy,
): ToolContext {
  const { session } = judge;
  const port: SessionPort = {
    id: session.id,
    interactive: session.interactive,
    dataFolder: session.dataFolder,
    workspace: session.workspace,
    resultsFolder: session.resultsFolder,
    env: session.env,
    ...(home !== undefined && { home }),
    walls: session.walls,
    changeDirectory: () => {},
    ledger: session.ledger,
    changes: session.changes,
    tools: session.tools,
    todos: session.todos,
    setTodos: () => {},
    planning: session.planning,
    web: { ...session.web, localHosts },
    resultFile: (name) => session.resultFile(name),
    own: (make) => session.own(make),
    atEnd: (cleanUp) => session.atEnd(cleanUp),
    atRest: (release) => session.atRest(release),
    whileRunning: (kill, what) => session.whileRunning(kill, what),
    remind: () => {},
  };
  return { ...judge.contextFor('explain', new AbortController().signal), cwd, root: cwd, session: port };
}

/** Rules match MCP tools by name, so no server is started to check whether it has this tool. */
function toolOfServer(name: string): Tool | undefined {
  const server = serverPartOf(name);
  if (server === undefined) return undefined;
  return defineTool({
    name,
    description: '',
    input: z.looseObject({}),
    effects: () => [{ kind: 'unknown', why: `${name} is a tool of the MCP server ${server}, which may do anything` }],
    execute: async () => '',
    toModel: (text) => text,
  });
}

/** Does not reveal the target of a denied path. */
function asNamed(effect: Effect): Effect {
  if (effect.kind !== 'file') return effect;
  const { identity: _, ...named } = effect;
  return { ...named, real: effect.path };
}

/** Tools expand `~` to the home of the process; here it may be another one. */
function withHome(input: unknown, { home }: ProjectLocation): Record<string, unknown> {
  if (!isObject(input)) throw new ToolFailure('The input must be an object.', { kind: 'invalid_input' });
  if (home === undefined) return input;
  const fields = Object.entries(input).map(([field, value]) => {
    const isPath = ['file_path', 'path', 'notebook_path', 'pattern'].includes(field) && typeof value === 'string';
    return [field, isPath ? value.replace(/^~(?=\/|$)/, () => home) : value];
  });
  return Object.fromEntries(fields);
}
