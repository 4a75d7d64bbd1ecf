// Puts together tools, permissions, hooks, servers and a session, without a model. What each part wants of options and
// settings is in engine/.
import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Commands } from '../agent/commands/commands.js';
import type { RunOwnCall } from '../agent/commands/expand-command.js';
import { auditComponent } from '../agent/components/audit.js';
import { HookTranscript } from '../agent/hook-transcript.js';
import { createAuditLog } from '../agent/observe/audit-log.js';
import { observedHooks } from '../agent/observe/observe.js';
import { Session } from '../agent/session.js';
import { emitter, type SessionComponent } from '../agent/session-component.js';
import { createSessionPolicy } from '../agent/session-policy.js';
import { movedSpareData } from '../agent/store/moved-spare-data.js';
import { secretsIn } from '../agent/store/redact-secrets.js';
import { ToolPool } from '../agent/tool-pool.js';
import { watchedLedger } from '../agent/watched-ledger.js';
import type { CompleteCall } from '../calls/assemble.js';
import type { CallEnvironment } from '../calls/environment.js';
import { runCall } from '../calls/run-call.js';
import type { RunCallsOptions, ToolResult } from '../contract/engine.js';
import type { AgentHappening } from '../contract/event.js';
import type { ToolResultBlock } from '../contract/message.js';
import { type Decision, type DecisionRequest, permissionModes } from '../contract/permission.js';
import type { ToolContext } from '../contract/tool-context.js';
import type { ConfiguredHook } from '../hooks/schema.js';
import { sessionHooks } from '../hooks/session-hooks.js';
import { randomId } from '../platform/crypto.js';
import { dataFolderOf, homeFolder, realPathSync } from '../platform/files/paths.js';
import type { RollBackUndo } from '../platform/journal/recover-changes.js';
import { recoverIfNeeded, sessionWriters } from '../platform/journal/session-changes.js';
import { reapedLeftovers } from '../platform/shell/leftovers.js';
import { isMcpName } from '../platform/text/mcp-names.js';
import { isOn, type Settings } from '../settings/settings.js';
import { createFileLedger } from '../tools/editing/file-ledger.js';
import { builtInTools, ownCallTools, simpleToolNames, toolTable } from '../tools/index.js';
import { announceCall } from './announce-call.js';
import { isAnswered } from './answered-tools.js';
import { answersOf } from './answers.js';
import { checkCalls, checkFolder, checkMode } from './check-calls.js';
import type { FullEngine } from './engine.js';
import { createHookNotifications } from './hook-notifications.js';
import { createNotices } from './notices.js';
import type { FullEngineOptions } from './options.js';
import { sandboxOf, withRules } from './sandbox-config.js';
import { createSandboxNotice } from './sandbox-notice.js';
import { type ConnectedServers, createServers } from './servers.js';
import { createUnsavedDataNotice } from './unsaved-data-notice.js';
import { withoutSecrets } from './visible-environment.js';
import { webAccess } from './web-access.js';
import { withReminders } from './with-reminders.js';

const SESSION_END_MS = 15_000; // beyond what the hooks themselves are given

export function createEngine(options: FullEngineOptions = {}): FullEngine {
  const env = options.env ?? process.env;
  const home = options.home ?? homeFolder();
  const root = realFolder(options.root ?? process.cwd(), 'root');
  const writtenDataFolder = options.dataFolder ? resolve(options.dataFolder) : dataFolderOf({ env, home });
  const dataFolder = realPathSync(writtenDataFolder);
  const answers = answersOf(options);
  const interactive = options.interactive ?? answers.askPermission !== undefined;
  const toolSet = options.toolSet === 'simple' ? 'simple' : interactive ? 'repl' : 'headless';
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
    isAnswered: (name) => isAnswered(name, options, answers),
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
            now: () => connected.client.prompts(),
            waitFor: (command, signal) =>
              connected.client.settled({
                signal,
                isEnough: () => connected.client.prompts().some((prompt) => prompt.command === command),
              }),
            get: (prompt, args, signal) => connected.client.getPrompt(prompt, args, { signal, session }),
          },
        })
      : undefined;
  const { askUser } = answers;
  const session: Session = new Session({
    root,
    dataFolder,
    onDataProblem: (sentence) => notices.say(sentence),
    mode,
    env: visibleEnv,
    ...(options.sessionId !== undefined && { id: options.sessionId }),
    ledger: options.onSeen ? watchedLedger(createFileLedger(), options.onSeen) : createFileLedger(),
    tools,
    interactive: toolSet === 'repl',
    home,
    workspace: () => policy.workspace(),
    commandBounds: () => ({
      background: settings()?.bash.maxBackground?.value,
      outputBytes: settings()?.bash.maxSessionOutput?.value,
    }),
    sandbox: () => withRules(options.sandbox ?? sandboxOf(settings()), policy),
    onSandboxMissing: (why) => onceWithoutSandbox(why),
    fileRules: () => ({ unreadable: policy.unreadable(), readable: policy.readable() }),
    ...(askUser && { askUser: (...asked) => (audit?.questions(askUser) ?? askUser)(...asked) }),
  });
  session.provide({ commands });
  session.provide(
    {
      get web() {
        return webAccess(options, env);
      },
      get resources() {
        return connected.resources();
      },
    },
    { forChildren: true },
  );
  const builtInNames = builtInTools().map(({ name }) => name);
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
    knownTools: [...builtInNames, ...(options.tools ?? []).map(({ name }) => name)],
  });
  tools.hideDenied(policy.deniedTools());
  const notices = createNotices();
  let isToldAutoAllow = false;
  const onceWithoutSandbox = (why: string): void => {
    if (isToldAutoAllow || !session.sandbox?.autoAllow) return;
    isToldAutoAllow = true;
    notices.say(`"sandbox.autoAllowBashIfSandboxed" has no effect on this machine. ${why}`);
  };
  const connected: ConnectedServers = createServers({
    options,
    answers,
    session,
    policy,
    notices,
    env,
    visibleEnv,
    settings,
    isOff: toolSet === 'simple',
  });
  const { client: mcp, servers } = connected;
  connected.configure();

  const transcript = new HookTranscript({
    file: join(dataFolder, 'sessions', session.id, 'transcript.jsonl'),
    sessionId: session.id,
    cwd: () => session.cwd,
    transcript: session.transcript,
  });
  const ownHooks = sessionHooks(() => settings()?.hooks ?? noneConfigured, {
    root,
    env: visibleEnv,
    sessionId: session.id,
    transcriptPath: transcript.file,
    beforeRun: () => {
      if (options.keepTranscript) transcript.update();
    },
    rewake: (text) => session.remind(text),
    situation: () => ({ cwd: session.cwd, mode: session.mode }),
    matchesRule: policy.matchesRule,
    tools: toolTable(),
    toolNames: () => tools.all.map(({ tool }) => tool.name),
    whileRunning: (kill) => session.whileRunning(kill),
    announceWriter: (name) => session.own(sessionWriters).begin({ name }),
    ...(options.hooks && { callbacks: options.hooks }),
  });
  const hooks = options.observers ? observedHooks(ownHooks, options.observers) : ownHooks;
  const hookNotifications = createHookNotifications(hooks, (text) => notices.say(text));
  let toldCwd: string | undefined;
  const tellCwd = (): void => {
    const before = toldCwd;
    toldCwd = session.cwd;
    if (before !== undefined && before !== toldCwd)
      hookNotifications.note('CwdChanged', { old_cwd: before, new_cwd: toldCwd });
  };
  const contextFor: FullEngine['contextFor'] = (callId, signal, approval) => {
    let reader: ((real: string) => boolean) | undefined;
    const mayRead = (real: string): boolean => {
      reader ??= policy.reader();
      return reader(real);
    };
    const mayFollow: ToolContext['mayFollow'] = (request) => !isRuledOut(policy.decide(request));
    return session.contextFor(callId, signal, { mayRead, mayFollow, approval });
  };
  const audit =
    options.audit === false
      ? undefined
      : auditComponent(
          createAuditLog({
            dataFolder,
            sessionId: session.id,
            root,
            secrets: secretsIn(env),
            onProblem: (sentence) => session.dataProblem(sentence),
          }),
        );
  const askPermission = answers.askPermission && (audit?.permission(answers.askPermission) ?? answers.askPermission);
  const workingDirectory: SessionComponent = {
    name: 'working directory',
    onEvent: ({ type }) => {
      if (type === 'tool_result') tellCwd();
    },
  };
  /** These see every call of the session and of its child agents, also one that no model made. */
  const watchers: readonly SessionComponent[] = [...(audit ? [audit] : []), workingDirectory];
  let recovery: Promise<void> | undefined;
  const recover = async (emit: (happening: AgentHappening) => void): Promise<void> => {
    void session.own(reapedLeftovers); // nobody waits for what a killed process left running
    // A data folder that can't be read keeps nobody from reading files; who changes one is told.
    for (const text of await movedSpareData(dataFolder, { withFailures: false })) emit({ type: 'notice', text });
    const text = await recoverIfNeeded(dataFolder, takeBackUndo).catch(() => undefined);
    if (text !== undefined) emit({ type: 'notice', text });
  };

  let areToolsReady = false;
  const readyTools = async (): Promise<void> => {
    const problems = await tools.ready();
    if (!areToolsReady) for (const text of problems) notices.say(text);
    areToolsReady = true;
  };

  const tellMissingSandbox = createSandboxNotice(session, notices.say);
  const refresh = async (emit: (happening: AgentHappening) => void): Promise<void> => {
    const { problems = [], changed = false } = (await options.settings?.refresh()) ?? {};
    for (const { message } of problems) emit({ type: 'notice', text: message });
    await readyTools();
    tools.hideDenied(policy.deniedTools());
    notices.tell((text) => emit({ type: 'notice', text }));
    await tellMissingSandbox();
    if (!changed) return;
    connected.configure();
    mcp.rootsChanged();
  };

  const environment = (emit: (happening: AgentHappening) => void): CallEnvironment => ({
    ready() {
      toldCwd ??= session.cwd; // a session that was resumed has its own by now
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
    describeConfinement,
    remember: policy.remember,
    onRemembered: policy.onRemembered,
    askPermission,
    chooseMode: (mode) => {
      session.mode = mode;
    },
    agreed: (callId) => session.planning.agreed(callId),
    contextFor,
    announceWriter: ({ tool, callId, effects }) =>
      builtInNames.includes(tool) ? undefined : announceCall(session, { name: `${callId} (${tool})`, effects }),
    emit,
  });

  /** With the first of them it is said what keeps commands from being confined here. */
  let isToldWhy = false;
  const describeConfinement = (request: DecisionRequest): string | undefined => {
    const words = policy.describeConfinement(request);
    const { whyUnconfined } = session;
    if (words === undefined || whyUnconfined === undefined || isToldWhy) return words;
    isToldWhy = true;
    return `${words} ${whyUnconfined}`;
  };

  const reportUnsavedData = createUnsavedDataNotice(
    session,
    options.onKept ?? ((sentence) => process.emitWarning(sentence, 'HelveWarning')),
  );
  const stopWaiting = new AbortController();
  let waited: Promise<void> | undefined;
  let ended: Promise<void> | undefined;
  const underWay = new Map<AbortController, Promise<unknown>>();
  const callTools: FullEngine['callTools'] = async (calls, { signal, onEvent = () => {} } = {}) => {
    if (ended) throw new Error('This engine has ended, so it runs no more calls. Create another one.');
    const stop = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const results = runMessage(calls, { signal: stopped, onEvent });
    underWay.set(stop, results);
    try {
      return await results;
    } finally {
      underWay.delete(stop);
    }
  };

  const runMessage = async (
    calls: readonly CompleteCall[],
    { signal, onEvent }: Required<RunCallsOptions>,
  ): Promise<ToolResultBlock[]> => {
    const emit = emitter(watchers, onEvent);
    await refresh(emit);
    // Without a prompt before it, such a call is the first that anybody hears of its server.
    const fromServers = calls.map(({ name }) => name).filter(isMcpName);
    if (fromServers.length > 0) {
      await mcp.settled({ signal, isEnough: () => fromServers.every((name) => tools.names.includes(name)) });
    }
    const calling = environment(emit);
    const note = emitter(watchers, () => {}); // the caller knows its calls
    for (const { id: callId, name: tool, input } of calls) {
      note({ type: 'tool_call', callId, tool, input, display: { title: tool } });
    }
    const results = await Promise.all(calls.map((call) => runCall(call, calling, signal)));
    await hookNotifications.settled();
    return results;
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
    const [result] = await callTools([{ id: session.claimCallId(randomId()), name, input }], { signal, onEvent });
    return { content: result?.content ?? '', ...(refused !== undefined && { refused }) };
  };

  const end = async (): Promise<void> => {
    stopWaiting.abort();
    const calls = [...underWay.values()];
    for (const stop of underWay.keys()) stop.abort(new Error('Interrupted.'));
    await Promise.allSettled(calls);
    await hookNotifications.settled();
    if (hooks.has('SessionEnd')) {
      const signal = AbortSignal.timeout(SESSION_END_MS);
      await hooks.run('SessionEnd', { reason: 'other' }, { signal }).catch(() => {}); // nobody is there to be told
    }
    await audit?.end?.();
    const ends = await Promise.allSettled([session.end(), hooks.end(), mcp.close()]); // all, also where one fails
    reportUnsavedData();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };

  const endOnce = (): Promise<void> => {
    ended ??= end();
    return ended;
  };

  return {
    id: session.id,
    root: session.root,
    get cwd() {
      return session.cwd;
    },
    get mode() {
      return session.mode;
    },
    set mode(mode) {
      session.mode = checkMode(mode);
    },
    async tools() {
      waited ??= servers.beforePrompt({ signal: stopWaiting.signal, isResumed: false });
      await Promise.all([waited, tools.ready()]);
      return tools.definitions().map(({ name, description, input_schema }) => ({
        name,
        description,
        input_schema: { ...input_schema, type: 'object' },
      }));
    },
    async runCalls(calls, options) {
      checkCalls(calls, options);
      // An input that is no object fits no tool's schema; the result says so.
      const checked = calls.map(({ id, name, input }) => ({ id, name, input: input as Record<string, unknown> }));
      const results = await callTools(checked, options);
      const last = results.at(-1);
      if (last) results.splice(-1, 1, { ...last, content: withReminders(last.content, session.takeReminders()) });
      return results as ToolResult[]; // where a result is settled, images of other types are left out
    },
    session,
    environment,
    decideIn: policy.decideIn,
    contextFor,
    refresh,
    servers,
    isTrusted,
    hookNotifications,
    watchers,
    hooks,
    addDirectory(path, source = 'register_repo_root') {
      checkFolder(path);
      const isNew = !policy.workspace().includes(path);
      policy.addFolder(checkedFolder(path));
      mcp.rootsChanged();
      if (isNew) hookNotifications.note('DirectoryAdded', { directory: resolve(path), source });
    },
    commands,
    endCommands() {
      policy.endGrants();
      giveBackModel?.();
      giveBackModel = undefined;
    },
    notify: notices.say,
    reportUnsavedData,
    callTools,
    end: endOnce,
    [Symbol.asyncDispose]: endOnce,
  };
}

const textOf = (content: ToolResultBlock['content']): string =>
  typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

/** Denied, or to be asked about by a rule, as against what is asked about because no rule says anything. */
const isRuledOut = ({ behavior, trail = [] }: Decision): boolean =>
  behavior === 'deny' || trail.some(({ basis }) => basis === 'deny_rule' || basis === 'ask_rule');

const noneConfigured: readonly ConfiguredHook[] = [];

function checkedFolder(path: string): string {
  realFolder(path, 'additionalDirectories');
  return path;
}

function realFolder(path: string, option: string): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (error) {
    throw new TypeError(`${option} names the folder ${path}, which can't be found.`, { cause: error });
  }
  if (statSync(real).isDirectory()) return real;
  throw new TypeError(`${option} names ${path}, which is no folder.`);
}

const takeBackUndo: RollBackUndo = async (...undo) =>
  await (await import('../agent/undo/apply-undo.js')).takeBackUndo(...undo);
