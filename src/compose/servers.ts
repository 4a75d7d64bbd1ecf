// The MCP servers of a session, with their tools, resources, prompts and instructions.
import { readDeferral, ServerTools } from '../agent/server-tools.js';
import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { ServerResources } from '../contract/tool-context.js';
import type { SignedOut, SignInOptions } from '../mcp/auth/sign-ins.js';
import type { ServerState } from '../mcp/client/client.js';
import type { ToolChange } from '../mcp/client/pins.js';
import { SessionServers, type SettleOptions } from '../mcp/client/session-servers.js';
import { STARTS_AT_ONCE } from '../mcp/client/start-queue.js';
import { lazy } from '../platform/lazy.js';
import { fullyVisible } from '../platform/text/visible.js';
import { configuredServers } from './configured-servers.js';
import { profileOf } from './create-tool-pool.js';
import { type IdleRule, idleRules } from './idle-rules.js';
import type { Notices } from './notices.js';
import { withoutPluginSecrets } from './plugin-parts.js';
import type { ResolvedOptions } from './resolve-options.js';
import { type ServerWait, waitForServers } from './wait-for-servers.js';

const TASK_WAIT_MS = 60_000;

/** The MCP servers of a session. Nothing is loaded or started before one of these functions is called. */
export interface EngineServers {
  /** Begins to connect, if a server is configured. */
  start(): Promise<void>;
  /** To be called when a request is sent to the model: tools that are added later are announced. */
  requested(): void;
  /** Connects, and resolves once each has connected or failed. */
  settled(options?: SettleOptions): Promise<void>;
  /** Waits for the servers that the first request needs, within limits. */
  beforePrompt(wait: ServerWait): Promise<void>;
  states(): readonly ServerState[];
  /** Those that are configured and left out. */
  readonly unused: readonly string[];
  /** Sentences about rules that ask or deny and name a server or tool that does not exist. */
  idleRules(): readonly string[];
  /** Connects to a server again. Resolves once it has connected or failed; rejects if no server has that name. */
  reconnect(name: string): Promise<void>;
  /** Signs a person in to a server, and connects to it. Rejects with a message for the user. */
  signIn(name: string, options: SignInOptions): Promise<void>;
  /** Whether a sign-in to it waits for the browser. */
  isSigningIn(name: string): boolean;
  /** Passes on the address that the browser ended at, to a sign-in that waits. */
  pasteAddress(name: string, text: string): void;
  /** Forgets a sign-in, here and at the authorization server. */
  signOut(name: string, signal: AbortSignal): Promise<SignedOut>;
  /** Pins definitions that a person has approved; their tools are no longer held back. */
  approve(name: string, changes: readonly ToolChange[]): Promise<void>;
  /** Replaces the servers that were added during the session, by name. */
  setAdded(entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>): {
    added: string[];
    removed: string[];
  };
  /** Uses a server, or leaves it out for the rest of the session. Rejects if no server has that name. */
  toggle(name: string, isUsed: boolean): Promise<void>;
  /** To be called when the announcements are no longer in the model's context: they are repeated. */
  announceAgain(): void;
  /** To be called at the end of a run: notices are queued until the next run. */
  rest(): void;
}

interface ServerParts {
  resolved: ResolvedOptions;
  session: Session;
  policy: SessionPolicy;
  notices: Notices;
  /** Connects to no server, even if some are configured. */
  isOff: boolean;
  /** Whether calls may continue as tasks in the background. */
  keepsTasks: boolean;
}

/** The servers for the other parts of a session. */
export interface ConnectedServers {
  client: SessionServers;
  servers: EngineServers;
  /** Undefined if no server is configured. */
  resources(): ServerResources | undefined;
  /** Applies the servers that are configured now. */
  configure(): void;
}

export function createServers({
  resolved,
  session,
  policy,
  notices,
  isOff,
  keepsTasks,
}: ServerParts): ConnectedServers {
  const { options, answers, env, visibleEnv, settings } = resolved;
  const hideSecrets = withoutPluginSecrets(options.plugins);
  // An error of the system names the command, which may be the text of a plugin.
  const shown = (text: string): string => fullyVisible(hideSecrets(text));
  const states = (): ServerState[] =>
    client.states().map((state) => (state.detail === undefined ? state : { ...state, detail: shown(state.detail) }));
  const pins = lazy(async () => (await import('../settings/tool-pins.js')).toolPins(session.dataFolder));
  const client: SessionServers = new SessionServers({
    root: session.root,
    env: visibleEnv,
    isWithheld: (name) => env[name] !== undefined && visibleEnv[name] === undefined,
    dataFolder: session.dataFolder,
    roots: () => policy.workspace(),
    askUser: answers.askUser,
    pins: {
      review: async (...list) => await (await pins()).review(...list),
      approve: async (...changes) => await (await pins()).approve(...changes),
    },
    eras: async () => (await import('../settings/server-eras.js')).serverEras(session.dataFolder),
    whileRunning: (kill) => session.whileRunning(kill),
    onChange: () => {
      serverTools.update();
      reportIdleRules();
    },
    onNotice: (text) => notices.say(shown(text)),
    hostServers: options.hostServers,
    tasks: keepsTasks ? { session, waitMs: () => settings()?.mcp.taskWaitMs?.value ?? TASK_WAIT_MS } : undefined,
  });
  const resources: ServerResources = {
    list: (server) => client.resources(server),
    read: (server, uri, signal) => client.readResource(server, uri, { signal, session }),
  };
  const serverTools = new ServerTools({
    pool: session.tools,
    session,
    source: {
      states,
      tools: (defer) => client.tools(defer),
      instructions: () => client.instructions(),
    },
    deniedTools: () => policy.deniedTools(),
    deferral: () =>
      readDeferral(env['ENABLE_TOOL_SEARCH']) ??
      readDeferral(settings()?.toolSearch?.value) ??
      readDeferral(profileOf(options) && 'true'),
    contextTokens: options.contextTokens,
  });
  const findIdleRules = (): IdleRule[] =>
    idleRules(policy.rules(), {
      states: states(),
      offered: client.tools(() => false),
      tools: session.tools.all.map(({ tool }) => tool.name),
    });
  const reported = new Set<string>();
  const reportIdleRules = (): void => {
    for (const { text, isSlip } of findIdleRules()) {
      if (!isSlip || reported.has(text)) continue;
      reported.add(text);
      notices.say(text);
    }
  };
  let added: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {};
  let known: readonly string[] = [];
  const unused = new Set<string>();
  const configure = (): void => {
    if (isOff) return;
    const configured = configuredServers({ ...options, mcpServers: { ...options.mcpServers, ...added } }, settings());
    known = configured.servers.map(({ name }) => name);
    client.configure(configured.servers.filter(({ name }) => !unused.has(name)));
    for (const { name } of configured.refused) {
      notices.say(`The MCP server ${name} is not used: only managed servers are permitted here.`);
    }
    if (client.isNeeded && !client.hasStarted) serverTools.update(); // so that the model knows that they exist
  };
  let hasWaited = false;
  const servers: EngineServers = {
    start: () => client.start(),
    requested: () => serverTools.begin(),
    settled: (wait) => client.settled(wait),
    states,
    get unused() {
      return known.filter((name) => unused.has(name));
    },
    idleRules: () => findIdleRules().map(({ text }) => text),
    reconnect: (name) => client.reconnect(name),
    signIn: (name, signIn) => client.signIn(name, signIn),
    isSigningIn: (name) => client.isSigningIn(name),
    pasteAddress: (name, text) => client.pasteAddress(name, text),
    signOut: (name, signal) => client.signOut(name, signal),
    approve: (name, changes) => client.approve(name, changes),
    setAdded(entries) {
      const before = Object.keys(added);
      added = entries;
      configure();
      void client.start();
      return {
        added: Object.keys(entries).filter((name) => !before.includes(name)),
        removed: before.filter((name) => !Object.hasOwn(entries, name)),
      };
    },
    async toggle(name, isUsed) {
      if (!known.includes(name)) throw new Error(`There is no MCP server "${name}".`);
      if (isUsed) unused.delete(name);
      else unused.add(name);
      configure();
      if (isUsed) await client.settled({ names: [name] });
    },
    announceAgain: () => serverTools.announceAgain(),
    rest() {
      client.limitStarts(STARTS_AT_ONCE); // a run may end without a request
      notices.hold();
    },
    async beforePrompt(wait) {
      if (!client.isNeeded || hasWaited) return;
      hasWaited = true;
      await waitForServers({ client, resolved, session, notices }, wait);
    },
  };
  return { client, servers, resources: () => (client.isNeeded ? resources : undefined), configure };
}
