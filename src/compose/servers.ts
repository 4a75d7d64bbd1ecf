// The MCP servers of a session, with what they bring: tools, resources, prompts, instructions.
import { readDeferral, ServerTools } from '../agent/server-tools.js';
import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { ServerResources } from '../contract/tool-context.js';
import type { ServerState } from '../mcp/client/client.js';
import { SessionServers, type SettleOptions } from '../mcp/client/session-servers.js';
import { plainLine } from '../mcp/plain-text.js';
import type { Settings } from '../settings/settings.js';
import { toolPins } from '../settings/tool-pins.js';
import type { Answers } from './answers.js';
import { configuredServers } from './configured-servers.js';
import { type IdleRule, idleRules } from './idle-rules.js';
import type { Notices } from './notices.js';
import type { FullEngineOptions } from './options.js';

const NAMED_SERVERS_MS = 10_000; // for servers that were named for this session: their tools are wanted
const START_MS = 300; // for servers of settings that are about to be ready
const MAX_NAME = 40;
const SILENT_MS = 2_000; // a longer wait is reported
const OTHER_SERVERS_MS = 5_000; // for those of settings that are wanted from the first request on

/** The MCP servers of a session. Nothing of them is loaded or started before somebody asks for it here. */
export interface EngineServers {
  /** Begins to connect, where there is anything to connect to. */
  start(): Promise<void>;
  /** A request goes to the model: tools that come after it are news. */
  requested(): void;
  /** Connects, and settles when each has connected or failed. */
  settled(options?: SettleOptions): Promise<void>;
  /** Waits for those that the first request should not be without, within bounds. */
  beforePrompt(options: {
    signal: AbortSignal;
    isResumed: boolean;
    /** Called once, with what a wait of more than two seconds is for. */
    onWait?(sentence: string): void;
  }): Promise<void>;
  states(): readonly ServerState[];
  /** Sentences on rules that ask or deny and name a server or tool that is not there. */
  idleRules(): readonly string[];
  /** Begins anew with a server. Settles when it has connected or failed; rejects where there is none of that name. */
  reconnect(name: string): Promise<void>;
  /** What the model was told of them has left its context. */
  announceAgain(): void;
  /** The run is over: what is to be said waits for the next one. */
  rest(): void;
}

interface ServerSurroundings {
  options: FullEngineOptions;
  answers: Answers;
  session: Session;
  policy: SessionPolicy;
  notices: Notices;
  env: Readonly<Record<string, string | undefined>>;
  /** What processes get of it. */
  visibleEnv: Record<string, string | undefined>;
  settings(): Settings | undefined;
  /** Nobody is to be connected to, whatever is configured. */
  isOff: boolean;
}

/** What the other parts of an engine want of the servers. */
export interface ConnectedServers {
  client: SessionServers;
  servers: EngineServers;
  /** Absent where no server is configured. */
  resources(): ServerResources | undefined;
  /** Takes over which servers there are by now. */
  configure(): void;
}

export function createServers(surroundings: ServerSurroundings): ConnectedServers {
  const { options, session, policy, notices, env, settings } = surroundings;
  const client: SessionServers = new SessionServers({
    root: session.root,
    env: surroundings.visibleEnv,
    dataFolder: session.dataFolder,
    roots: () => policy.workspace(),
    askUser: surroundings.answers.askUser,
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
    if (surroundings.isOff) return;
    const configured = configuredServers(options, settings());
    client.configure(configured.servers);
    for (const { name } of configured.refused) {
      notices.say(`The MCP server ${name} is not used: only managed servers are permitted here.`);
    }
    if (client.isNeeded && !client.hasStarted) serverTools.update(); // they are known of, if no more
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
      // A conversation that is taken up again may call at once what it had before.
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
