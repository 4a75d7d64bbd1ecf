// The MCP servers of a session, with what they bring: tools, resources, prompts, instructions.
import { readDeferral, ServerTools } from '../agent/server-tools.js';
import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { ServerResources } from '../contract/tool-context.js';
import type { ServerState } from '../mcp/client/client.js';
import { SessionServers, type SettleOptions } from '../mcp/client/session-servers.js';
import { plainLine } from '../mcp/plain-text.js';
import { toolPins } from '../settings/tool-pins.js';
import { configuredServers } from './configured-servers.js';
import { type IdleRule, idleRules } from './idle-rules.js';
import type { Notices } from './notices.js';
import type { ResolvedOptions } from './resolve-options.js';

const NAMED_SERVERS_MS = 10_000; // for servers that were named for this session
const START_MS = 300; // for servers of settings that are about to be ready
const MAX_NAME = 40;
const SILENT_MS = 2_000; // a longer wait is reported
const OTHER_SERVERS_MS = 5_000; // for servers of settings that the first request waits for

/** The MCP servers of a session. Nothing is loaded or started before one of these functions is called. */
export interface EngineServers {
  /** Begins to connect, if a server is configured. */
  start(): Promise<void>;
  /** A request is sent to the model: tools that are added from now on are announced. */
  requested(): void;
  /** Connects, and resolves once each has connected or failed. */
  settled(options?: SettleOptions): Promise<void>;
  /** Waits for the servers that the first request needs, within limits. */
  beforePrompt(options: {
    signal: AbortSignal;
    isResumed: boolean;
    /** Called once, with the reason for a wait of more than two seconds. */
    onWait?(sentence: string): void;
  }): Promise<void>;
  states(): readonly ServerState[];
  /** Sentences about rules that ask or deny and name a server or tool that does not exist. */
  idleRules(): readonly string[];
  /** Connects to a server again. Resolves once it has connected or failed; rejects if no server has that name. */
  reconnect(name: string): Promise<void>;
  /** The announcements have left the model's context, so they are made again. */
  announceAgain(): void;
  /** The run is over: notices wait for the next one. */
  rest(): void;
}

interface ServerParts {
  resolved: ResolvedOptions;
  session: Session;
  policy: SessionPolicy;
  notices: Notices;
  /** No server is connected to, whatever is configured. */
  isOff: boolean;
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

export function createServers({ resolved, session, policy, notices, isOff }: ServerParts): ConnectedServers {
  const { options, answers, env, visibleEnv, settings } = resolved;
  const client: SessionServers = new SessionServers({
    root: session.root,
    env: visibleEnv,
    dataFolder: session.dataFolder,
    roots: () => policy.workspace(),
    askUser: answers.askUser,
    pins: toolPins(session.dataFolder),
    whileRunning: (kill) => session.whileRunning(kill),
    onChange: () => {
      serverTools.update();
      reportIdleRules();
    },
    onNotice: notices.say,
  });
  const resources: ServerResources = {
    list: (server) => client.resources(server),
    read: (server, uri, signal) => client.readResource(server, uri, { signal, session }),
  };
  const serverTools = new ServerTools({
    pool: session.tools,
    session,
    source: {
      states: () => client.states(),
      tools: (defer) => client.tools(defer),
      instructions: () => client.instructions(),
    },
    deniedTools: () => policy.deniedTools(),
    deferral: () => readDeferral(env['ENABLE_TOOL_SEARCH']) ?? readDeferral(settings()?.toolSearch?.value),
    contextTokens: options.contextTokens,
  });
  const findIdleRules = (): IdleRule[] =>
    idleRules(policy.rules(), {
      states: client.states(),
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
  const configure = (): void => {
    if (isOff) return;
    const configured = configuredServers(options, settings());
    client.configure(configured.servers);
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
    states: () => client.states(),
    idleRules: () => findIdleRules().map(({ text }) => text),
    reconnect: (name) => client.reconnect(name),
    announceAgain: () => serverTools.announceAgain(),
    rest: () => notices.hold(),
    async beforePrompt({ signal, isResumed, onWait }) {
      if (!client.isNeeded || hasWaited) return;
      hasWaited = true;
      const { servers } = configuredServers(options, settings());
      const named = servers.filter(({ source }) => source === 'flag').map(({ name }) => name);
      // A conversation that is resumed may call at once the tools that it had before.
      const waitsForAll = isResumed || options.awaitServers === true || env['MCP_CONNECTION_NONBLOCKING'] === '0';
      const others = servers.filter(({ entry }) => waitsForAll || entry['alwaysLoad'] === true).map(({ name }) => name);
      const startMs = settings()?.mcp.startWaitMs?.value ?? START_MS;
      const namedMs = Number(env['MCP_TIMEOUT']) || NAMED_SERVERS_MS;
      const timer = setTimeout(() => {
        const waitedFor = pendingOf(client, [...named, ...others]);
        if (waitedFor.length > 0) onWait?.(`Waiting for ${serversNamed(waitedFor)} before the first request.`);
      }, SILENT_MS);
      await Promise.all([
        startMs > 0 && client.settled({ withinMs: startMs, signal }),
        named.length > 0 && client.settled({ names: named, withinMs: namedMs, signal }),
        others.length > 0 &&
          client.settled({
            names: others,
            withinMs: Number(env['MCP_CONNECT_TIMEOUT_MS']) || OTHER_SERVERS_MS,
            signal,
          }),
      ]);
      clearTimeout(timer);
      const late = pendingOf(client, [...named, ...others]);
      if (late.length > 0) notices.say(`Going on without ${serversNamed(late)}, not ready yet.`);
      const pending = pendingOf(client);
      if (pending.length > 0) {
        session.remind(
          `Not ready yet: ${serversNamed(pending)}. A notice follows when there are tools of ${pending.length === 1 ? 'it' : 'them'}.`,
        );
      }
    },
  };
  return { client, servers, resources: () => (client.isNeeded ? resources : undefined), configure };
}

const pendingOf = (client: SessionServers, names?: readonly string[]): string[] =>
  client
    .states()
    .filter(({ name, status }) => status === 'pending' && (names === undefined || names.includes(name)))
    .map(({ name }) => plainLine(name, MAX_NAME));

const serversNamed = (names: readonly string[]): string =>
  `the MCP ${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`;
