import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Commands } from './agent/commands/commands.js';
import type { RunOwnCall } from './agent/commands/expand-command.js';
import { createAuditLog } from './agent/observe/audit-log.js';
import { type Observer, observedHooks } from './agent/observe/observe.js';
import { readDeferral, ServerTools } from './agent/server-tools.js';
import { Session } from './agent/session.js';
import { createSessionPolicy, type SessionPolicy } from './agent/session-policy.js';
import { ToolPool } from './agent/tool-pool.js';
import { watchedLedger } from './agent/watched-ledger.js';
import type { ToolCall } from './calls/assemble.js';
import type { CallEnvironment } from './calls/environment.js';
import { runCall } from './calls/run-call.js';
import type { Effect } from './contract/effect.js';
import type { AgentHappening } from './contract/event.js';
import type { ToolResultBlock } from './contract/message.js';
import {
  type AskPermission,
  type Decide,
  type Decision,
  type PermissionMode,
  permissionModes,
} from './contract/permission.js';
import type { AskUser } from './contract/question.js';
import type { Tool } from './contract/tool.js';
import type { SandboxWish, SeenFile, ServerResources, ToolContext, ToolSetMode } from './contract/tool-context.js';
import type { WebAccess } from './contract/web.js';
import { lazyHooks } from './hooks/lazy-hooks.js';
import type { HookCallbacks } from './hooks/run-hooks.js';
import type { ConfiguredHook } from './hooks/schema.js';
import type { ServerState } from './mcp/client.js';
import type { ConfiguredServer } from './mcp/config.js';
import { LazyMcpClient, type SettleOptions } from './mcp/lazy-client.js';
import { providers } from './models/catalogue-data.js';
import type { RuleLists } from './permissions/rule.js';
import { randomId } from './platform/crypto.js';
import { recoverIfNeeded } from './platform/files/lazy-changes.js';
import { dataFolderOf, homeFolder, realPathSync } from './platform/files/paths.js';
import { reapedLeftovers } from './platform/shell/leftovers.js';
import type { Settings } from './settings/settings.js';
import { toolPins } from './settings/tool-pins.js';
import type { WatchedSettings } from './settings/watch.js';
import { createFileLedger } from './tools/editing/file-ledger.js';
import { builtInTools, ownCallTools, simpleToolNames } from './tools/index.js';

const SESSION_END_MS = 15_000; // beyond what the hooks themselves are given
const NAMED_SERVERS_MS = 30_000; // for servers that whoever starts the session has named: they want their tools
const OTHER_SERVERS_MS = 5_000; // for those of settings that are wanted from the first request on

export interface EngineOptions {
  /** The project. Default: the process's working directory. */
  root?: string;
  /** Folders that count as part of the project when it comes to reading. */
  additionalDirectories?: readonly string[];
  permissionMode?: PermissionMode;
  /** Who answers when a call needs permission. Left out: such a call is denied. */
  askPermission?: AskPermission;
  /** Who answers a tool's own questions, such as what to do about a conflict. Left out: nobody. */
  askUser?: AskUser;
  /** Rules beside those of settings. */
  permissions?: RuleLists;
  /** What settings files say, watched; see `loadSettings`. Left out: nothing. */
  settings?: WatchedSettings;
  /** Keeps a rule that a person wants to hold always. Left out: it holds for the session. */
  saveRule?: (rule: string) => Promise<void>;
  /** Takes up a session under its own id. */
  sessionId?: string;
  /** Is told what the model gets to see of files. */
  onSeen?: (real: string, seen: SeenFile) => void;
  /** Walls around commands. Default: as settings say, else none. */
  sandbox?: SandboxWish;
  /** What may be reached on the web, and where is searched. Default: as settings say. */
  web?: WebAccess;
  /** Hooks inside the program, beside those of settings. */
  hooks?: HookCallbacks;
  /** Tools beside the built-in ones. */
  tools?: readonly Tool[];
  /** MCP servers beside those of settings, by name, as `.mcp.json` describes them. The first prompt waits for them. */
  mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** No MCP servers but those. */
  strictMcp?: boolean;
  /** The first prompt waits for those of settings too, within bounds. */
  awaitServers?: boolean;
  /** Tokens that fit into one request, to judge how much of it tools may take. */
  contextTokens?: number;
  toolSet?: ToolSetMode;
  /** Built-in tools to have or not to have, by name, beside what settings say; what settings switch off stays off. */
  toolSwitches?: Readonly<Record<string, boolean>>;
  /** How the model was trained to change files. Default: by replacing text. */
  editStyle?: 'text' | 'patch';
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that tools and commands do not get, beside the keys of the built-in providers. */
  hiddenVariables?: readonly string[];
  /** What `~` stands for in commands. Default: the home folder of the user. */
  home?: string;
  /** Where Helve keeps its own files. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** Whether calls and decisions are kept in the session's audit log. Default: true. */
  audit?: boolean;
  /** Commands and skills of the person and the project, from their files and from MCP servers. Default: none. */
  commands?: boolean;
  /** For a command that names its model: that one answers until what is returned is called. Left out: no other can. */
  useModel?: (name: string) => Promise<() => void>;
  /** Those who watch what happens and change nothing of it. The list may grow until the first prompt. */
  observers?: readonly Observer[];
}

/** The tools with their gate, their permissions and their session, without a model: bring your own loop. */
export interface Engine {
  readonly session: Session;
  /** The call environment that sends its events to `emit`. */
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** By the same rules as a call of the session, as if this were the mode: for children, whose rights are narrower. */
  decideIn(mode: PermissionMode): Decide;
  /** Runs the calls of one message; the results come in the order of the calls. */
  runCalls(calls: readonly ToolCall[], options?: RunCallsOptions): Promise<ToolResultBlock[]>;
  /** What a tool gets to see of the session, for one call. */
  contextFor(callId: string, signal: AbortSignal, approved?: readonly Effect[]): ToolContext;
  /** Takes over what has changed in settings; whoever begins a turn calls it. */
  refresh(emit: (happening: AgentHappening) => void): Promise<void>;
  readonly servers: EngineServers;
  /** Absent where nobody asked for them. */
  readonly commands: Commands | undefined;
  /** What commands have brought for a prompt no longer counts: what they allow and refuse, and their model. */
  endCommands(): void;
  /** Whether a person has trusted the project with all that it brings. */
  isTrusted(): boolean;
  /** From now on the folder counts as part of the project when it comes to reading. Throws where there is none. */
  addDirectory(path: string): void;
  /** Tells the person something, now or with the next turn. */
  notify(text: string): void;
  /** Ends everything that calls have left running. Once more does nothing. */
  end(): Promise<void>;
}

/** The MCP servers of a session. Nothing of them is loaded or started before somebody asks for it here. */
export interface EngineServers {
  /** Begins to connect, where there is anything to connect to. */
  start(): Promise<void>;
  /** A request goes to the model: tools that come after it are news. */
  requested(): void;
  /** Connects, and settles when each has connected or failed. */
  settled(options?: SettleOptions): Promise<void>;
  /** Waits for those that the first request should not be without, within bounds. */
  beforePrompt(options: { signal: AbortSignal; isResumed: boolean }): Promise<void>;
  states(): readonly ServerState[];
  /** Begins anew with a server. Settles when it has connected or failed; rejects where there is none of that name. */
  reconnect(name: string): Promise<void>;
  /** What the model was told of them has left its context. */
  announceAgain(): void;
  /** The run is over: what is to be said waits for the next one. */
  rest(): void;
}

export interface RunCallsOptions {
  signal?: AbortSignal;
  onEvent?: (happening: AgentHappening) => void;
}

export function createEngine(options: EngineOptions = {}): Engine {
  const env = options.env ?? process.env;
  const home = options.home ?? homeFolder();
  const root = realFolder(options.root ?? process.cwd(), 'root');
  const writtenDataFolder = options.dataFolder ? resolve(options.dataFolder) : dataFolderOf({ env, home });
  const dataFolder = realPathSync(writtenDataFolder);
  const toolSet = options.toolSet ?? (options.askPermission ? 'repl' : 'headless');
  const tools = new ToolPool({
    builtIn: builtInTools(),
    added: options.tools ?? [],
    mode: toolSet,
    simpleNames: simpleToolNames,
    root,
    switchOf(name) {
      const written = options.settings?.current.tools.get(name)?.value;
      return written === false ? false : (options.toolSwitches?.[name] ?? written);
    },
    isOffBySetting: (name) => options.settings?.current.tools.get(name)?.value === false,
    isAnswered: (name) => isAnswered(name, options),
    hasSetting: (name) => name === 'webSearch' && webAccess(options, env).search !== undefined,
    ...(options.editStyle && { editStyle: options.editStyle }),
  });
  const mode = options.permissionMode ?? 'default';
  if (!permissionModes.includes(mode)) {
    throw new TypeError(`There is no permission mode "${mode}". There are: ${permissionModes.join(', ')}.`);
  }
  const searchKey = webAccess(options, env).search?.keyVariable;
  const visibleEnv = withoutSecrets(env, [...(options.hiddenVariables ?? []), ...(searchKey ? [searchKey] : [])]);
  const settings = (): Settings | undefined => options.settings?.current;
  // A session that is taken up may be at home in another folder than the one that settings were read for.
  const isTrusted = (): boolean => {
    const { state, folder } = settings()?.trust ?? {};
    return state === 'trusted' && folder === root;
  };
  let giveBackModel: (() => void) | undefined;
  const commands: Commands | undefined =
    options.commands && toolSet !== 'simple'
      ? new Commands({
          root,
          home,
          dataFolder,
          env,
          sessionId: () => session.id,
          isTrusted,
          mayRead: (real) => policy.reader()(real),
          list: (listings) => tools.setListings(listings),
          grant: (lists, by) => policy.grant(lists, by),
          isManagedOnly: () => isOn('allowManagedPermissionRulesOnly', settings()),
          allowReading: (folder) => policy.allowReading(folder),
          run: (what, signal) => runOwnCall(what, signal),
          ...(options.useModel && {
            useModel: async (name) => {
              giveBackModel = await options.useModel?.(name);
            },
          }),
          notify: (text) => notices.say(text),
          prompts: {
            now: () => mcp.prompts(),
            waitFor: (command, signal) =>
              mcp.settled({ signal, isEnough: () => mcp.prompts().some((prompt) => prompt.command === command) }),
            get: (prompt, args, signal) => mcp.getPrompt(prompt, args, { signal, session }),
          },
        })
      : undefined;
  const session: Session = new Session({
    root,
    dataFolder,
    mode,
    env: visibleEnv,
    ...(options.sessionId !== undefined && { id: options.sessionId }),
    ledger: options.onSeen ? watchedLedger(createFileLedger(), options.onSeen) : createFileLedger(),
    tools,
    interactive: toolSet === 'repl',
    home,
    workspace: () => policy.workspace(),
    sandbox: () => withRules(options.sandbox ?? sandboxOf(settings()), policy),
    resources: () => (mcp.isNeeded ? resources : undefined),
    web: () => webAccess(options, env),
    commands,
    ...(options.askUser && { askUser: options.askUser }),
  });
  const policy = createSessionPolicy({
    session,
    folders: [options.root ?? root, ...(options.additionalDirectories ?? []).map((folder) => checkedFolder(folder))],
    dataFolders: [dataFolder, writtenDataFolder],
    home,
    lists: options.permissions ?? {},
    settings: () => ({
      rules: settings()?.rules ?? [],
      folders: settings()?.additionalDirectories.map(({ value }) => value) ?? [],
    }),
    saveRule: options.saveRule,
    knownTools: builtInTools().map(({ name }) => name),
  });
  const notices = createNotices();
  const mcp: LazyMcpClient = new LazyMcpClient({
    root,
    env: visibleEnv,
    dataFolder,
    roots: () => policy.workspace(),
    askUser: options.askUser,
    pins: toolPins(dataFolder),
    whileRunning: (kill) => session.whileRunning(kill),
    onChange: () => serverTools.update(),
    onNotice: notices.say,
  });
  const resources: ServerResources = {
    list: (server) => mcp.resources(server),
    read: (server, uri, signal) => mcp.readResource(server, uri, { signal, session }),
  };
  const serverTools = new ServerTools({
    pool: tools,
    session,
    source: {
      states: () => mcp.states(),
      tools: (defer) => mcp.tools(defer),
      instructions: () => mcp.instructions(),
    },
    isDenied: (tool) => isDeniedOutright(policy.decide({ tool, input: {}, effects: [anything] })),
    deferral: () => readDeferral(env['ENABLE_TOOL_SEARCH']) ?? readDeferral(settings()?.toolSearch?.value),
    contextTokens: options.contextTokens,
  });
  const configureServers = (): void => {
    if (toolSet === 'simple') return;
    const configured = configuredServers(options, settings());
    mcp.configure(configured.servers);
    for (const { name } of configured.refused) {
      notices.say(`The MCP server ${name} is not used: only managed servers are permitted here.`);
    }
    if (mcp.isNeeded && !mcp.hasStarted) serverTools.update(); // they are known of, if no more
  };
  configureServers();

  const ownHooks = lazyHooks(() => settings()?.hooks ?? noneConfigured, {
    root,
    env: visibleEnv,
    sessionId: session.id,
    transcriptPath: join(dataFolder, 'sessions', session.id, 'session.jsonl'),
    situation: () => ({ cwd: session.cwd, mode: session.mode }),
    matchesRule: policy.matchesRule,
    whileRunning: (kill) => session.whileRunning(kill),
    ...(options.hooks && { callbacks: options.hooks }),
  });
  const hooks = options.observers ? observedHooks(ownHooks, options.observers) : ownHooks;
  const contextFor: Engine['contextFor'] = (callId, signal, approved) => {
    let reader: ((real: string) => boolean) | undefined;
    const mayRead = (real: string): boolean => {
      reader ??= policy.reader();
      return reader(real);
    };
    const mayFollow: ToolContext['mayFollow'] = (request) => !isRuledOut(policy.decide(request));
    return session.contextFor(callId, signal, { mayRead, mayFollow, approved });
  };
  const audit = options.audit === false ? undefined : createAuditLog({ dataFolder, sessionId: session.id, root });
  let recovery: Promise<void> | undefined;
  const recover = async (emit: (happening: AgentHappening) => void): Promise<void> => {
    void session.own(reapedLeftovers); // nobody waits for what a killed process left running
    // A data folder that can't be read keeps nobody from reading files; who changes one is told.
    const text = await recoverIfNeeded(dataFolder).catch(() => undefined);
    if (text !== undefined) tell(emit, { type: 'notice', text });
  };

  const refresh = async (emit: (happening: AgentHappening) => void): Promise<void> => {
    const { problems = [], changed = false } = (await options.settings?.refresh()) ?? {};
    for (const { message } of problems) emit({ type: 'notice', text: message });
    notices.tell((text) => tell(emit, { type: 'notice', text }));
    if (!changed) return;
    configureServers();
    mcp.rootsChanged();
  };

  const servers: EngineServers = {
    start: () => mcp.start(),
    requested: () => serverTools.begin(),
    settled: (wait) => mcp.settled(wait),
    states: () => mcp.states(),
    reconnect: (name) => mcp.reconnect(name),
    announceAgain: () => serverTools.announceAgain(),
    rest: () => notices.hold(),
    async beforePrompt({ signal, isResumed }) {
      if (!mcp.isNeeded) return;
      const { servers } = configuredServers(options, settings());
      const named = servers.filter(({ source }) => source === 'flag').map(({ name }) => name);
      // A conversation that is taken up again may call at once what it had before.
      const waitsForAll = isResumed || options.awaitServers === true || env['MCP_CONNECTION_NONBLOCKING'] === '0';
      const others = servers.filter(({ entry }) => waitsForAll || entry['alwaysLoad'] === true).map(({ name }) => name);
      await Promise.all([
        named.length > 0 &&
          mcp.settled({ names: named, withinMs: Number(env['MCP_TIMEOUT']) || NAMED_SERVERS_MS, signal }),
        others.length > 0 &&
          mcp.settled({
            names: others,
            withinMs: Number(env['MCP_CONNECT_TIMEOUT_MS']) || OTHER_SERVERS_MS,
            signal,
          }),
      ]);
    },
  };

  const environment = (emit: (happening: AgentHappening) => void): CallEnvironment => ({
    ready() {
      recovery ??= recover(emit);
      return recovery;
    },
    findTool: (name) => tools.find(name),
    toolNames: () => tools.names,
    whyAbsent: (name) => tools.whyAbsent(name),
    gate: session.gate,
    slots: session.slots,
    decide: policy.decide,
    hooks,
    suggestRules: policy.suggest,
    remember: policy.remember,
    onRemembered: policy.onRemembered,
    askPermission: options.askPermission,
    chooseMode: (mode) => {
      session.mode = mode;
    },
    agreed: (callId) => session.planning.agreed(callId),
    contextFor,
    emit(happening) {
      audit?.take(happening);
      tell(emit, happening);
    },
  });

  const runCalls: Engine['runCalls'] = async (
    calls,
    { signal = new AbortController().signal, onEvent = () => {} } = {},
  ) => {
    await refresh((happening) => tell(onEvent, happening));
    // Without a prompt before it, such a call is the first that anybody hears of its server.
    const fromServers = calls.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
    if (fromServers.length > 0) {
      await mcp.settled({ signal, isEnough: () => fromServers.every((name) => tools.names.includes(name)) });
    }
    const calling = environment(onEvent);
    for (const { id: callId, name: tool, input } of calls) {
      audit?.take({ type: 'tool_call', callId, tool, input, display: { title: tool } });
    }
    return await Promise.all(calls.map((call) => runCall(call, calling, signal)));
  };

  /** A call on behalf of a command: judged, kept and told like any other, but for that it is none of the model's. */
  const runOwnCall: RunOwnCall = async (what, signal) => {
    const [name, input] =
      'shell' in what ? [ownCallTools.shell, { command: what.shell }] : [ownCallTools.file, { file_path: what.file }];
    let refused: string | undefined;
    const onEvent = (event: AgentHappening): void => {
      const isRefused = event.type === 'tool_result' && event.failure !== undefined && event.failure !== 'exception';
      if (isRefused) refused = textOf(event.result.content);
    };
    const [result] = await runCalls([{ id: session.claimCallId(randomId()), name, input }], { signal, onEvent });
    return { content: result?.content ?? '', ...(refused !== undefined && { refused }) };
  };

  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    if (hooks.has('SessionEnd')) {
      const signal = AbortSignal.timeout(SESSION_END_MS);
      await hooks.run('SessionEnd', { reason: 'other' }, { signal }).catch(() => {}); // nobody is there to be told
    }
    audit?.close();
    await Promise.all([session.end(), hooks.end(), mcp.close()]);
  };

  return {
    session,
    environment,
    decideIn: policy.decideIn,
    contextFor,
    refresh,
    servers,
    isTrusted,
    addDirectory(path) {
      policy.addFolder(checkedFolder(path));
      mcp.rootsChanged();
    },
    commands,
    endCommands() {
      policy.endGrants();
      giveBackModel?.();
      giveBackModel = undefined;
    },
    notify: notices.say,
    runCalls,
    end: () => {
      ended ??= end();
      return ended;
    },
  };
}

const QUESTION_EVENTS = ['PreToolUse', 'PermissionRequest'] as const;

/** Whether a person, a program or a hook that names the tool can answer for it. */
function isAnswered(name: string, { askUser, askPermission, hooks, settings }: EngineOptions): boolean {
  if (askUser ?? askPermission) return true;
  const matchers = QUESTION_EVENTS.flatMap((event) => [
    ...(hooks?.[event]?.map(({ matcher }) => matcher) ?? []),
    ...(settings?.current.hooks.filter((hook) => hook.event === event && hook.trusted) ?? []).map(
      ({ matcher }) => matcher,
    ),
  ]);
  return matchers.some((matcher) => matcher?.split('|').includes(name));
}

const textOf = (content: ToolResultBlock['content']): string =>
  typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

const anything: Effect = { kind: 'unknown', why: '' };

/** By a rule, whatever the input: a mode may change. */
const isDeniedOutright = ({ behavior, trail = [] }: Decision): boolean =>
  behavior === 'deny' && trail.some(({ decided, basis }) => decided && basis === 'deny_rule');

/** Denied, or to be asked about by a rule, as against what is asked about because no rule says anything. */
const isRuledOut = ({ behavior, trail = [] }: Decision): boolean =>
  behavior === 'deny' || trail.some(({ basis }) => basis === 'deny_rule' || basis === 'ask_rule');

/** What is said about the web: by whoever started the session, else by settings. */
function webAccess({ web, settings }: EngineOptions, env: Readonly<Record<string, string | undefined>>): WebAccess {
  if (web) return web;
  const { webFetch, webSearch } = settings?.current ?? {};
  const localHosts = webFetch?.localHosts ?? [];
  if (!webSearch) return { localHosts };
  const { provider, url, apiKeyEnv: keyVariable } = webSearch.value;
  const key = keyVariable === undefined ? undefined : env[keyVariable];
  return { localHosts, search: { provider, url, key, keyVariable } };
}

/** The servers that count, and those that an administrator keeps from counting. */
function configuredServers(
  { mcpServers = {}, strictMcp = false }: EngineOptions,
  settings: Settings | undefined,
): { servers: ConfiguredServer[]; refused: ConfiguredServer[] } {
  const given = Object.entries(mcpServers).map(([name, entry]) => ({ name, entry, source: 'flag' as const }));
  const managedOnly = isOn('allowManagedMcpServersOnly', settings);
  const written = [...(settings?.mcpServers ?? [])].map(([name, { value, origin }]) => ({
    name,
    entry: value,
    source: origin.kind,
  }));
  const managed = written.filter(({ source }) => source === 'managed');
  const all = new Map<string, ConfiguredServer>();
  for (const server of strictMcp ? managed : written) all.set(server.name, server);
  const taken = new Set(managed.map(({ name }) => name));
  for (const server of managedOnly ? [] : given) if (!taken.has(server.name)) all.set(server.name, server);
  return { servers: [...all.values()], refused: managedOnly ? given : [] };
}

const isOn = (name: string, settings: Settings | undefined): boolean =>
  settings?.entries.some(({ key, value }) => key === name && value === true) ?? false;

/** Notices that come at any time, kept until somebody can be told. */
function createNotices(): { say(text: string): void; tell(to: (text: string) => void): void; hold(): void } {
  let listener: ((text: string) => void) | undefined;
  let unsaid: string[] = [];
  return {
    say(text) {
      if (listener) listener(text);
      else unsaid.push(text);
    },
    hold() {
      listener = undefined;
    },
    tell(to) {
      listener = to;
      const waiting = unsaid;
      unsaid = [];
      for (const text of waiting) to(text);
    },
  };
}

function sandboxOf(settings: Settings | undefined): SandboxWish | undefined {
  if (!settings?.sandbox.enabled?.value) return undefined;
  const { allowWrite, denyWrite, denyRead, allowRead, excludedCommands, ...rest } = settings.sandbox;
  const { allowedDomains: allowed, deniedDomains: denied } = rest;
  return {
    network: allowed.length > 0 ? { allowed, denied } : 'off',
    allowWrite,
    denyWrite,
    denyRead,
    allowRead,
    excluded: excludedCommands,
    failIfUnavailable: rest.failIfUnavailable?.value ?? false,
    noWayOut: rest.allowUnsandboxedCommands?.value === false,
  };
}

function withRules(
  wish: SandboxWish | undefined,
  policy: Pick<SessionPolicy, 'unreadable' | 'readable'>,
): SandboxWish | undefined {
  if (!wish) return undefined;
  const allowRead = [...(wish.allowRead ?? []), ...policy.readable()];
  return { ...wish, allowRead, unreadable: policy.unreadable() ?? wish.unreadable };
}

const noneConfigured: readonly ConfiguredHook[] = [];

/** What tools and their processes get: not the keys that pay for the model, unless `HELVE_PASS_ENV` names them. */
function withoutSecrets(
  env: Readonly<Record<string, string | undefined>>,
  alsoHidden: readonly string[] = [],
): Record<string, string | undefined> {
  const passed = (env['HELVE_PASS_ENV'] ?? '').split(',').map((name) => name.trim());
  const keys = providers.flatMap((provider) => provider.keys.map(({ variable }) => variable));
  const hidden = [...keys, ...alsoHidden].filter((name) => !passed.includes(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.includes(name)));
}

/** A listener's own error is its author's affair: it must not turn a call that worked into one that failed. */
function tell(emit: (happening: AgentHappening) => void, happening: AgentHappening): void {
  try {
    emit(happening);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

function checkedFolder(path: string): string {
  realFolder(path, 'additionalDirectories');
  return path;
}

function realFolder(path: string, option: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new TypeError(`${option} names the folder ${path}, which can't be found.`, { cause: error });
  }
}
