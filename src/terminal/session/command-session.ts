import type { BackgroundCommands } from '../../platform/shell/background.js';
import type { CommandSession, LoopPort, PastPrompt, RunningTask, TerminalCommand, ThemePort } from '../contract.js';
import { commandTitle, stateWords } from './background-work.js';
import { largestResults, lastAnswer, serverTools } from './message-facts.js';
import type { OpenedSession, SessionRequest } from './opened-session.js';
import type { ProviderSignIn } from './provider-sign-in.js';
import { beginSignIn, signOut } from './server-sign-in.js';
import type { SessionSpending } from './session-spending.js';
import { consoleTools } from './tool-console.js';

const CONNECT_MS = 300; // the answer shows how it goes on
const SETTLE_MS = 600_000; // as long as the longest time that a server may take to start

export interface CommandSessionParts {
  readonly version: string;
  copy: CommandSession['copy'];
  editFile: CommandSession['editFile'];
  readonly vim?: CommandSession['vim'];
  titleOf(dataFolder: string, id: string): Promise<string>;
  session(): OpenedSession;
  spending(): SessionSpending;
  /** The conversation's background commands. */
  background(): BackgroundCommands;
  readonly work: {
    /** In milliseconds; undefined if that is not known. */
    ranFor(id: string): number | undefined;
    /** Shows what it has written or done. */
    look(task: { id: string; title: string; isRunning: boolean }): Promise<void>;
  };
  readonly logins: ProviderSignIn;
  readonly themes: ThemePort;
  readonly loop: LoopPort;
  readonly builtIn: readonly TerminalCommand[];
  keys(): CommandSession['keys'];
  /** The user's prompts in the session's file; empty if it is not saved. */
  prompts(): readonly PastPrompt[];
  /** Shows a message to the user. */
  tell(sentence: string): void;
  setMode: CommandSession['setMode'];
  compact: CommandSession['compact'];
  /** Switches to another conversation. */
  change(request: SessionRequest): Promise<void>;
}

/** The current conversation, as commands see it. */
export function commandSession(parts: CommandSessionParts): CommandSession {
  const opened = parts.session;
  const session = () => opened().engine.session;
  let rewound: { from: CommandSession['rewoundFrom']; to: string } | undefined;
  const rewoundFrom = () => (rewound?.to === session().id ? rewound.from : []);
  return {
    get id() {
      return session().id;
    },
    version: parts.version,
    get root() {
      return session().root;
    },
    get cwd() {
      return session().cwd;
    },
    get dataFolder() {
      return session().dataFolder;
    },
    get env() {
      return opened().env;
    },
    get home() {
      return session().home;
    },
    get additionalDirectories() {
      const { root, workspace } = session();
      return workspace.filter((folder) => folder !== root);
    },
    get mode() {
      return session().mode;
    },
    get todos() {
      return session().todos;
    },
    get settings() {
      return opened().settings.current;
    },
    refresh: async () => await opened().engine.refresh((event) => event.type === 'notice' && parts.tell(event.text)),
    get model() {
      return opened().model;
    },
    get agents() {
      return session().agents?.all ?? [];
    },
    get tasks() {
      return tasksOf(parts);
    },
    get servers() {
      return opened()
        .engine.servers.states()
        .map(({ name, status, detail, tools, setAside, changes, errorOutput }) => ({
          name,
          status,
          detail,
          tools,
          setAside: setAside.map(({ tool, why }) => ({ tool, why })),
          changedTools: changes.map(({ tool }) => tool),
          errorOutput,
        }));
    },
    title: async () => await parts.titleOf(session().dataFolder, session().id),
    rename: (title) => opened().agent?.rename(title) ?? false,
    get effort() {
      return opened().effort;
    },
    lastAnswer: () => lastAnswer(opened().agent?.messages ?? opened().history),
    copy: parts.copy,
    editFile: parts.editFile,
    vim: parts.vim,
    remind: (text) => session().remind(text),
    get confinement() {
      return { sandbox: session().sandbox !== undefined, walls: session().foundWalls };
    },
    connectServers: async () => await opened().engine.servers.settled({ withinMs: CONNECT_MS }),
    reconnect: async (server) => await opened().engine.servers.reconnect(server),
    signIn: async (server) => await beginSignIn(server, opened().engine.servers, (text) => parts.tell(text)),
    isSigningIn: (server) => opened().engine.servers.isSigningIn(server),
    pasteAddress: (server, text) => opened().engine.servers.pasteAddress(server, text),
    signOut: async (server) => await signOut(server, opened().engine.servers),
    logIn: async (provider, isNew) =>
      await parts.logins.begin(provider, {
        ...{ env: opened().env, isNew, tell: parts.tell },
        done: async () => {
          if (opened().model === undefined) parts.tell(`/model ${provider} uses it.`);
        },
      }),
    isLoggingIn: (provider) => parts.logins.isPending(provider),
    pasteLogin: (provider, text) => parts.logins.paste(provider, text),
    async logOut(provider) {
      parts.logins.close('You signed out.');
      const { logOut } = await import('../../models/sign-in/provider-login.js');
      return await logOut(provider, opened().env, AbortSignal.timeout(30_000));
    },
    async toolChanges(server) {
      const { changes = [] } =
        opened()
          .engine.servers.states()
          .find(({ name }) => name === server) ?? {};
      const { patchOf } = await import('../../mcp/client/tool-change.js');
      return await Promise.all(changes.map(async (change) => ({ ...change, patch: await patchOf(change) })));
    },
    approveTools: async (server, changes) => await opened().engine.servers.approve(server, changes),
    serversSettled: async () => await opened().engine.servers.settled({ withinMs: SETTLE_MS }),
    serverTools: () => serverTools(opened().engine.session.tools.definitions()),
    largestResults: () => largestResults(opened().agent?.messages ?? []),
    get usage() {
      return parts.spending().usage;
    },
    get goals() {
      return opened().agent?.goals;
    },
    loop: parts.loop,
    get budget() {
      return opened().agent?.budget.uses() ?? [];
    },
    get context() {
      return opened().agent?.contextUsage();
    },
    themes: parts.themes,
    get keys() {
      return parts.keys();
    },
    get tools() {
      return consoleTools(opened().engine);
    },
    builtIn: parts.builtIn,
    commands: async () => (await opened().agent?.commands()) ?? [],
    async agentTypes() {
      const types = (await opened().agent?.agentTypes()) ?? [];
      return types.map(({ name, about, description, file }) => ({
        name,
        ...(about !== undefined && { about }),
        description,
        ...(file !== undefined && { file }),
      }));
    },
    setMode: parts.setMode,
    models: async () => await opened().models(),
    async chooseModel(name) {
      if (opened().agent) return await opened().chooseModel(name);
      await parts.change({ mode: session().mode, model: name });
      const { model, withoutModel } = opened();
      if (model === undefined) throw new Error(withoutModel ?? 'No model is set up.');
      return model;
    },
    clear: async () => await parts.change({ mode: session().mode, model: opened().model }),
    compact: parts.compact,
    resume: async (id) => await parts.change({ resume: id }),
    get prompts() {
      return parts.prompts();
    },
    get rewoundFrom() {
      return rewoundFrom();
    },
    async rewind(prompt) {
      const { index } = prompt;
      const from = [{ id: session().id, prompt }, ...rewoundFrom()];
      const { id, mode } = session();
      const model = opened().model;
      const how = index === 0 ? {} : { resume: id, fork: true, beforePrompt: index };
      await parts.change({ ...how, mode, model });
      rewound = { from, to: session().id };
    },
    addDirectory: async (path) => opened().engine.addDirectory(path, 'slash_command'),
    checkSetup: async () => await opened().checkSetup(),
    explain: async (tool, input) => await opened().explain(tool, input),
  };
}

function tasksOf({ background, session, work }: CommandSessionParts): RunningTask[] {
  const running = background();
  const commands = running.all.map((command) => ({
    id: command.id,
    title: commandTitle(command),
    state: stateWords(command.state),
    ...(command.state.status === 'running' && { stop: async () => await running.stop(command.id) }),
  }));
  const agents = (session().engine.session.agents?.all ?? []).map((agent) => ({
    id: agent.id,
    title: `${agent.type}: ${agent.description}`,
    state: agent.report === undefined ? 'running' : (agent.report.problem ?? 'done'),
    ...(agent.report === undefined && { stop: () => agent.stop() }),
  }));
  const tasks = (session().engine.session.serverTasks?.all ?? []).map((task) => ({
    id: task.id,
    title: task.title,
    state: task.state,
    ...(!task.outcome && { stop: async () => await task.stop() }),
  }));
  return [...commands, ...tasks, ...agents].map((task) => ({
    ...task,
    milliseconds: work.ranFor(task.id),
    look: async () => await work.look({ id: task.id, title: task.title, isRunning: task.stop !== undefined }),
  }));
}
