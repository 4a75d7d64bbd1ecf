// A session for tests of commands, backed only by a folder.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../settings/load.js';
import type { CommandSession } from '../contract.js';
import { terminalCommands } from './index.js';

export interface TestSession extends CommandSession {
  /** The calls that were made to it, in order. */
  readonly done: string[];
}

export async function testSession(given: Partial<CommandSession> = {}): Promise<TestSession> {
  const folder = mkdtempSync(join(tmpdir(), 'helve-commands-'));
  const [root, home] = ['project', 'home'].map((name) => join(folder, name));
  if (root === undefined || home === undefined) throw new Error('There are two names.');
  for (const path of [root, home]) mkdirSync(path);
  const dataFolder = join(home, '.helve');
  const env = { HELVE_HOME: dataFolder, HOME: home, PATH: process.env['PATH'] };
  const done: string[] = [];
  let model: string | undefined = 'fake/model';
  const session: CommandSession = {
    id: '0f0f0f0f-0000-4000-8000-000000000000',
    version: '1.2.3',
    root,
    cwd: root,
    dataFolder,
    env,
    home,
    rewoundFrom: [],
    additionalDirectories: [],
    mode: 'default',
    todos: undefined,
    settings: await readSettings({ root, env, home, managedFolder: join(folder, 'managed') }),
    get model() {
      return model;
    },
    agents: [],
    tasks: [],
    servers: [],
    title: async () => 'the first prompt',
    rename(title) {
      done.push(`rename ${title}`);
      return true;
    },
    effort: {
      current: undefined,
      accepted: ['low', 'high'],
      set: async (effort) => void done.push(`effort ${effort}`),
    },
    lastAnswer: () => undefined,
    copy: async (text) => {
      done.push(`copy ${text}`);
      return 'with a test.';
    },
    editFile: async (path) => void done.push(`edit ${path}`),
    remind: (text) => void done.push(`remind ${text}`),
    confinement: { sandbox: false, walls: 'full' },
    serversSettled: async () => {},
    serverTools: () => [],
    largestResults: () => [],
    connectServers: async () => {},
    reconnect: async (server) => void done.push(`reconnect ${server}`),
    signIn: async (server) => void done.push(`sign in ${server}`),
    isSigningIn: () => false,
    pasteAddress: (server, text) => void done.push(`paste ${server} ${text}`),
    signOut: async (server) => `Signed out of ${server}.`,
    logIn: async (provider, isNew) => void done.push(`log in ${provider}${isNew ? ' again' : ''}`),
    isLoggingIn: () => false,
    pasteLogin: (provider, text) => void done.push(`paste ${provider} ${text}`),
    logOut: async (provider) => `Signed out of ${provider}.`,
    toolChanges: async () => [],
    approveTools: async (server, changes) =>
      void done.push(`approve ${[server, ...changes.map(({ tool }) => tool)].join(' ')}`),
    usage: { models: [], costUsd: 0, prompts: 0, modelMs: 0, totalMs: 0 },
    goals: undefined,
    loop: { described: undefined, start: (prompt, ms) => void done.push(`loop ${ms} ${prompt}`), stop: () => false },
    budget: [],
    context: undefined,
    themes: { names: ['dark', 'light'], current: 'dark', use: (name) => void done.push(`theme ${name}`) },
    keys: [{ keys: 'Esc', about: 'stop' }],
    tools: [{ name: 'Tool', description: '', inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } }],
    refresh: async () => {},
    builtIn: terminalCommands,
    commands: async () => [],
    agentTypes: async () => [],
    setMode(mode) {
      done.push(`mode ${mode}`);
      return undefined;
    },
    models: async () => [],
    async chooseModel(name) {
      model = name.includes('/') ? name : `${name}/default`;
      return model;
    },
    clear: async () => void done.push('clear'),
    compact: async () => ({ type: 'refused', why: 'a hook said no.' }),
    resume: async (id) => void done.push(`resume ${id}`),
    prompts: [],
    rewind: async ({ index }) => void done.push(`rewind ${index}`),
    addDirectory: async (path) => void done.push(`add ${path}`),
    checkSetup: async () => [],
    explain: async (tool, input) => `${tool} ${JSON.stringify(input)}`,
  };
  return Object.defineProperties(session, {
    ...Object.getOwnPropertyDescriptors(given),
    done: { value: done },
  }) as TestSession; // `done` has just been added
}
