// Plays the calls of a recorded session again, through the whole path of a call, in a copy of its project.
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RecordedCall, RecordedSession } from '../../agent/replay/replay-calls.js';
import { runCall } from '../../calls/run-call.js';
import { createEngine, type FullEngine } from '../../compose/create-engine.js';
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
  /** The project, by its path in the session and its current real path. */
  root: string;
  realRoot: string;
  /** The copy, and the data folder of this replay. */
  copy: string;
  dataFolder: string;
  /** The data folder of the recorded session. */
  recordedDataFolder: string;
  settings: WatchedSettings;
  env: Readonly<Record<string, string | undefined>>;
  hiddenVariables: readonly string[];
  /** Whether commands are sandboxed, if this machine has a sandbox. */
  sandbox: boolean;
  signal: AbortSignal;
  onEngine?: (engine: FullEngine) => void;
  onNotice?: (text: string) => void;
}

export interface Played {
  calls: readonly PlayedCall[];
  /** Calls that would need a question now, and were allowed because they ran in the recorded session. */
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
    ...(options.sandbox && { sandbox: sandboxAround(options) }),
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
    const input = alwaysSandboxed(names.inCopy(call.input));
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
      engine.session.mode = withoutAutomaticApproval(mode);
      played.push(...(await Promise.all(calls.map(playCall))));
    }
  } finally {
    await engine.end();
  }
  signal.throwIfAborted();
  return { calls: played, allowedAgain: [...allowedAgain] };
}

function whyNotPlayed({ tool, failure }: RecordedCall, traits: ToolTraits | undefined): string | undefined {
  if (failure === 'interrupted') return 'it was interrupted in the session, so there is nothing to compare';
  // Servers act on the outside world, which can't be copied.
  const isOfServer = isMcpName(tool) || traits?.asksServers === true;
  return isOfServer ? 'it was sent to an MCP server, which is not part of the copy' : undefined;
}

const sandboxAround = ({ root, realRoot, recordedDataFolder, settings }: PlayOptions): SandboxConfig => {
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

/** A call that such a mode allowed is allowed again individually, and nothing else is. */
const withoutAutomaticApproval = (mode: PermissionMode): PermissionMode =>
  mode === 'acceptEdits' || mode === 'bypassPermissions' ? 'default' : mode;

/** Regardless of rules and answers, nothing outside of the copy is changed, except for temporary files. */
function withinCopy(decide: Decide, { copy, root, realRoot, recordedDataFolder }: PlayOptions): Decide {
  const temporary = [tmpdir(), '/tmp'].map((folder) => realPathSync(folder));
  const notTemporary = [root, realRoot, recordedDataFolder, dirname(copy)]; // even if they are in a temporary folder
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

/** A command that asked to run without the sandbox runs in it here. */
function alwaysSandboxed(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { dangerouslyDisableSandbox: _, ...rest } = input;
  return rest;
}

/** Names that differ between the recorded session and the copy. */
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

  /** Treats an input that is not an object as empty: sessions contain only objects. */
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

  /** Background commands get a new id each time, which later calls refer to. */
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
