import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Session } from './agent/session.js';
import { ToolPool } from './agent/tool-pool.js';
import type { ToolCall } from './calls/assemble.js';
import type { CallEnvironment } from './calls/environment.js';
import { runCall } from './calls/run-call.js';
import type { AgentHappening } from './contract/event.js';
import type { ToolResultBlock } from './contract/message.js';
import { type AskPermission, type PermissionMode, permissionModes } from './contract/permission.js';
import type { Tool } from './contract/tool.js';
import type { ToolContext, ToolSetMode } from './contract/tool-context.js';
import { providers } from './models/catalogue-data.js';
import { decideBy } from './permissions/engine.js';
import { homeFolder, realPathSync } from './platform/files/paths.js';
import { createFileLedger } from './tools/editing/file-ledger.js';
import { builtInTools, simpleToolNames } from './tools/index.js';

export interface EngineOptions {
  /** The project. Default: the process's working directory. */
  root?: string;
  /** Folders that count as part of the project when it comes to reading. */
  additionalDirectories?: readonly string[];
  permissionMode?: PermissionMode;
  /** Who answers when a call needs permission. Left out: such a call is denied. */
  askPermission?: AskPermission;
  /** Tools beside the built-in ones. */
  tools?: readonly Tool[];
  toolSet?: ToolSetMode;
  /** How the model was trained to change files. Default: by replacing text. */
  editStyle?: 'text' | 'patch';
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that tools and commands do not get, beside the keys of the built-in providers. */
  hiddenVariables?: readonly string[];
  /** Where Helve keeps its own files. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
}

/** The tools with their gate, their permissions and their session, without a model: bring your own loop. */
export interface Engine {
  readonly session: Session;
  /** The call environment that sends its events to `emit`. */
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** Runs the calls of one message; the results come in the order of the calls. */
  runCalls(calls: readonly ToolCall[], options?: RunCallsOptions): Promise<ToolResultBlock[]>;
  /** What a tool gets to see of the session, for one call. */
  contextFor(callId: string, signal: AbortSignal): ToolContext;
  /** Ends everything that calls have left running. */
  end(): Promise<void>;
}

export interface RunCallsOptions {
  signal?: AbortSignal;
  onEvent?: (happening: AgentHappening) => void;
}

export function createEngine(options: EngineOptions = {}): Engine {
  const env = options.env ?? process.env;
  const root = realFolder(options.root ?? process.cwd(), 'root');
  const writtenDataFolder = resolve(
    options.dataFolder || env['HELVE_HOME'] || join(homeFolder() ?? tmpdir(), '.helve'),
  );
  const dataFolder = realPathSync(writtenDataFolder);
  const tools = new ToolPool({
    builtIn: builtInTools(),
    added: options.tools ?? [],
    mode: options.toolSet ?? (options.askPermission ? 'repl' : 'headless'),
    simpleNames: simpleToolNames,
    root,
    ...(options.editStyle && { editStyle: options.editStyle }),
  });
  const mode = options.permissionMode ?? 'default';
  if (!permissionModes.includes(mode)) {
    throw new TypeError(`There is no permission mode "${mode}". There are: ${permissionModes.join(', ')}.`);
  }
  const visibleEnv = withoutSecrets(env, options.hiddenVariables);
  const session = new Session({ root, dataFolder, mode, env: visibleEnv, ledger: createFileLedger(), tools });
  const workspace = withRealNames([options.root ?? root, ...(options.additionalDirectories ?? [])]);
  const policy = { workspace, resultsFolder: session.resultsFolder, dataFolders: [dataFolder, writtenDataFolder] };
  const decide = decideBy(() => ({ ...policy, mode: session.mode }));
  const mayRead = (real: string): boolean => {
    const effects = [{ kind: 'file', access: 'read', path: real, real }] as const;
    return decide({ tool: '', input: {}, effects }).behavior !== 'deny';
  };
  const contextFor = (callId: string, signal: AbortSignal): ToolContext => session.contextFor(callId, signal, mayRead);

  const environment = (emit: (happening: AgentHappening) => void): CallEnvironment => ({
    findTool: (name) => tools.find(name),
    toolNames: () => tools.names,
    gate: session.gate,
    slots: session.slots,
    decide,
    askPermission: options.askPermission,
    contextFor,
    emit: (happening) => tell(emit, happening),
  });

  return {
    session,
    environment,
    contextFor,
    async runCalls(calls, { signal = new AbortController().signal, onEvent = () => {} } = {}) {
      const calling = environment(onEvent);
      return await Promise.all(calls.map((call) => runCall(call, calling, signal)));
    },
    end: () => session.end(),
  };
}

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

/** A folder is known by its written name and by its real one. */
function withRealNames(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const written = resolve(folder);
    const real = realFolder(written, 'additionalDirectories');
    return real === written ? [real] : [written, real];
  });
}

/** A listener's own error is its author's affair: it must not turn a call that worked into one that failed. */
function tell(emit: (happening: AgentHappening) => void, happening: AgentHappening): void {
  try {
    emit(happening);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

function realFolder(path: string, option: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new TypeError(`${option} names the folder ${path}, which can't be found.`, { cause: error });
  }
}
