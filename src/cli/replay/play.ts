// Plays the calls of a recorded session again, down the whole path of a call, in a copy of its project.
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RecordedCall, RecordedSession } from '../../agent/replay/replay-calls.js';
import { runCall } from '../../calls/run-call.js';
import { createEngine } from '../../compose/create-engine.js';
import type { FullEngine } from '../../compose/engine.js';
import type { AgentHappening } from '../../contract/event.js';
import type { FailureKind } from '../../contract/failure.js';
import type { Decide, PermissionMode } from '../../contract/permission.js';
import type { SandboxConfig } from '../../contract/tool-context.js';
import type { ToolTraits } from '../../contract/tool-traits.js';
import { homeFolder, isInside, realPathSync } from '../../platform/files/paths.js';
import { isMcpName } from '../../platform/text/mcp-names.js';
import type { WatchedSettings } from '../../settings/watch.js';
import { toolTable } from '../../tools/index.js';
import type { PlayedCall } from './compare.js';
import { type Renaming, renamed, renamedIn } from './rename.js';

export interface PlayOptions {
  session: RecordedSession;
  /** The project, as the session names it and where it is now. */
  root: string;
  realRoot: string;
  /** Where the copy is, and where Helve keeps its own files of this replay. */
  copy: string;
  dataFolder: string;
  /** Of the recorded session. */
  recordedDataFolder: string;
  settings: WatchedSettings;
  env: Readonly<Record<string, string | undefined>>;
  hiddenVariables: readonly string[];
  /** Whether commands get walls, where this machine has some. */
  sandbox: boolean;
  signal: AbortSignal;
  onEngine?: (engine: FullEngine) => void;
  onNotice?: (text: string) => void;
}

export interface Played {
  calls: readonly PlayedCall[];
  /** Calls that would have been asked about, and were allowed because they were then. */
  allowedAgain: readonly string[];
}

export async function play(options: PlayOptions): Promise<Played> {
  const { session, copy, signal } = options;
  const recorded = new Map(session.turns.flatMap(({ calls }) => calls).map((call) => [call.id, call]));
  const allowedAgain = new Set<string>();
  const { traits } = toolTable();
  const engine = createEngine({
    root: copy,
    dataFolder: options.dataFolder,
    sessionId: session.id,
    settings: options.settings,
    env: options.env,
    hiddenVariables: options.hiddenVariables,
    interactive: false,
    editStyle: [...recorded.values()].some(({ tool }) => traits.get(tool)?.editStyle === 'patch') ? 'patch' : 'text',
    audit: false,
    ...(options.sandbox && { sandbox: wallsAround(options) }),
    async askPermission({ callId }) {
      const call = recorded.get(callId);
      if (!call?.began || call.failure === 'permission_denied') return { behavior: 'deny' };
      allowedAgain.add(callId);
      return { behavior: 'allow' };
    },
  });
  options.onEngine?.(engine);
  const names = new Names(options);
  const failures = new Map<string, FailureKind>();
  const data = new Map<string, unknown>();
  const emit = (event: AgentHappening): void => {
    if (event.type === 'notice') options.onNotice?.(event.text);
    if (event.type !== 'tool_result') return;
    data.set(event.callId, event.data);
    if (event.failure) failures.set(event.callId, event.failure);
  };
  const environment = engine.environment(emit);
  const guarded = { ...environment, decide: withinCopy(environment.decide, options) };
  const playCall = async (call: RecordedCall): Promise<PlayedCall> => {
    const notPlayed = whyNotPlayed(call, traits.get(call.tool));
    if (notPlayed !== undefined) return { call, notPlayed };
    const input = withoutWayOut(names.inCopy(call.input));
    const { content, is_error } = await runCall({ id: call.id, name: call.tool, input }, guarded, signal);
    names.learn(call, data.get(call.id));
    const result = { content: names.asRecorded(content), ...(is_error && { is_error }) };
    return { call, now: { result, failure: failures.get(call.id) } };
  };
  const played: PlayedCall[] = [];
  try {
    for (const { calls, mode } of session.turns) {
      signal.throwIfAborted();
      await engine.refresh(emit);
      engine.session.mode = withoutFreedom(mode);
      played.push(...(await Promise.all(calls.map(playCall))));
    }
  } finally {
    await engine.end();
  }
  signal.throwIfAborted();
  return { calls: played, allowedAgain: [...allowedAgain] };
}

function whyNotPlayed({ tool, failure }: RecordedCall, traits: ToolTraits | undefined): string | undefined {
  if (failure === 'interrupted') return 'it was interrupted then, so there is nothing to compare';
  // Servers act on the world, and of that there is no copy.
  const isOfServer = isMcpName(tool) || traits?.asksServers === true;
  return isOfServer ? 'it went to an MCP server, which is no part of the copy' : undefined;
}

const wallsAround = ({ root, realRoot, recordedDataFolder, settings }: PlayOptions): SandboxConfig => {
  const { denyRead } = settings.current.sandbox;
  return {
    network: 'off',
    allowWrite: [],
    denyWrite: [...new Set([root, realRoot, recordedDataFolder])],
    denyRead,
    failIfUnavailable: false,
    allowUnsandboxed: false,
    disposable: true,
  };
};

/** What such a mode let through is let through again by name, call by call, and nothing else is. */
const withoutFreedom = (mode: PermissionMode): PermissionMode =>
  mode === 'acceptEdits' || mode === 'bypassPermissions' ? 'default' : mode;

/** Whatever rules and people say: nothing outside of the copy is changed, but for what is temporary. */
function withinCopy(decide: Decide, { copy, root, realRoot, recordedDataFolder }: PlayOptions): Decide {
  const temporary = [tmpdir(), '/tmp'].map((folder) => realPathSync(folder));
  const notTemporary = [root, realRoot, recordedDataFolder, dirname(copy)]; // even where they lie among temporary files
  const isFree = (real: string): boolean =>
    isInside(copy, real) ||
    real === '/dev/null' ||
    (temporary.some((folder) => isInside(folder, real)) && !notTemporary.some((folder) => isInside(folder, real)));
  return (request) => {
    const outside = request.effects.find(
      (effect) => effect.kind === 'file' && effect.access === 'write' && !isFree(effect.real),
    );
    if (outside?.kind !== 'file') return decide(request);
    return { behavior: 'deny', reason: `a replay changes nothing outside of its copy, as ${outside.path} is` };
  };
}

/** A command that asked to run without walls gets them here. */
function withoutWayOut(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { dangerouslyDisableSandbox: _, ...rest } = input;
  return rest;
}

/** What is called one thing in the recorded session, and another in the copy. */
class Names {
  readonly #intoCopy: Renaming[];
  readonly #back: Renaming[];

  constructor({ root, copy, dataFolder, recordedDataFolder, session }: PlayOptions) {
    const [kept, own] = [recordedDataFolder, dataFolder].map((folder) => join(folder, 'sessions', session.id));
    const home = homeFolder();
    const fromHome = home !== undefined && home !== root && isInside(home, root) ? root.slice(home.length) : undefined;
    const inShell = (path: string): string => path.replaceAll(' ', '\\ ');
    this.#intoCopy = [
      { from: root, to: copy },
      { from: inShell(root), to: inShell(copy) },
      { from: kept ?? '', to: own ?? '' },
      ...(fromHome === undefined ? [] : ['~', '$HOME', `\${HOME}`]).map((word) => ({
        from: word + fromHome,
        to: copy,
      })),
    ];
    this.#back = [
      { from: copy, to: root },
      { from: own ?? '', to: kept ?? '' },
    ];
  }

  /** What is no object is no input: a session holds none such. */
  inCopy(input: unknown): Readonly<Record<string, unknown>> {
    const fields = Object.entries(typeof input === 'object' && input !== null ? input : {});
    return Object.fromEntries(fields.map(([name, value]) => [name, renamedIn(value, this.#intoCopy)]));
  }

  asRecorded(content: PlayedContent): PlayedContent {
    if (typeof content === 'string') return renamed(content, this.#back);
    return content.map((block) =>
      block.type === 'text' ? { ...block, text: renamed(block.text, this.#back) } : block,
    );
  }

  /** Commands in the background get a new id each time, which later calls name. */
  learn({ result: { content } }: RecordedCall, data: unknown): void {
    if (typeof data !== 'object' || data === null || !('backgroundId' in data)) return;
    const then = typeof content === 'string' ? /\bwith ID: (\w+)/.exec(content)?.[1] : undefined;
    const now = data.backgroundId;
    if (then === undefined || typeof now !== 'string') return;
    this.#intoCopy.push({ from: then, to: now });
    this.#back.push({ from: now, to: then });
  }
}

type PlayedContent = RecordedCall['result']['content'];
