import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolFailure } from '../../contract/failure.js';
import type { AllowedHosts, SandboxConfig, SessionPort, ToolContext } from '../../contract/tool-context.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { PlaceholderJournal } from '../../platform/journal/placeholder-journal.js';
import { lazy } from '../../platform/lazy.js';
import { chooseSandbox, mayLackSandbox } from '../../platform/sandbox/choose.js';
import type { HostProxy } from '../../platform/sandbox/host-proxy.js';
import { createPlaceholders, type Placeholders } from '../../platform/sandbox/placeholders.js';
import { contains } from '../../platform/sandbox/plan-access.js';
import { createRepositoryGuard, type RepositoryGuard } from '../../platform/sandbox/repository-guard.js';
import type { PreparedCommand, ProxyEndpoint, Sandbox, SandboxPolicy } from '../../platform/sandbox/sandbox.js';
import { runsOutside } from '../../platform/sandbox/sandboxed-effects.js';
import { protectedPaths, secretPaths } from '../../platform/sandbox/sensitive-paths.js';
import { createUnreadableFinder, type Unreadable } from '../../platform/sandbox/unreadable-files.js';
import { withoutConsequence } from '../../platform/sandbox/why-unavailable.js';
import type { WrappedShell, WrapShell } from '../../platform/shell/wrap-shell.js';

const TAKE_DOWN_MS = 5_000; // a thousand times the usual duration
const MAX_REFUSALS = 20; // per command; the first few show what it needs

/** The sandbox for a command; undefined if the session has none, or if the command runs without it. */
export async function sandboxFor(
  context: ToolContext,
  { leaves = false }: { leaves?: boolean | undefined } = {},
): Promise<WrapShell | undefined> {
  const { session, approved = [], notOpened = [] } = context;
  const isHeld = context.confinement === 'sandbox';
  const config = session.sandbox;
  if (isHeld && (!config || leaves)) throw sandboxUnavailable('settings turn no sandbox on any more.');
  if (!config) return undefined;
  if (leaves) return leaveSandbox(config);
  if (!isHeld && runsOutside(approved, config.excluded ?? [])) return undefined;
  const sandbox = await session.own(sessionSandbox)();
  if (sandbox.kind === 'none') {
    if (isHeld) throw sandboxUnavailable(sandbox.why);
    if (!config.failIfUnavailable) return undefined;
    throw new ToolFailure(
      `The command was not run: settings demand a sandbox, and there is none. ${withoutConsequence(sandbox.why)}`,
      { advice: 'Ask the user about it.' },
    );
  }
  const written = approved.flatMap((effect) =>
    effect.kind === 'file' && effect.access === 'write' && !notOpened.includes(effect) ? [effect.real] : [],
  );
  return await wrapInSandbox(session, sandbox, { config, written, root: context.root });
}

const sandboxUnavailable = (why: string): ToolFailure =>
  new ToolFailure(`The command was not run: it was allowed because it would run in the sandbox, and it can't: ${why}`, {
    advice: 'Ask the user about it.',
  });

function leaveSandbox({ allowUnsandboxed = true }: SandboxConfig): undefined {
  if (allowUnsandboxed) return undefined;
  throw new ToolFailure(
    'The command was not run: settings keep all commands in the sandbox ("sandbox.allowUnsandboxedCommands" is false).',
    { advice: 'Send it without dangerouslyDisableSandbox, or ask the user to run it.' },
  );
}

/** The same for a shell that is started in advance; undefined if that is not possible. */
export async function sandboxForReadyShell(session: SessionPort): Promise<WrapShell | undefined> {
  const config = session.sandbox;
  if (!config) return undefined;
  const sandbox = await session.own(sessionSandbox)();
  // The first scan takes longest; later ones only check what has changed.
  if (sandbox.kind !== 'none') findUnreadable(session, config, []);
  if (!sandbox.prepare) return undefined;
  return await wrapInSandbox(session, sandbox, { config, written: [], root: session.workspace[0] ?? '/' });
}

interface About {
  config: SandboxConfig;
  /** The paths that were approved for writing. */
  written: readonly string[];
  root: string;
}

async function wrapInSandbox(session: SessionPort, sandbox: Sandbox, about: About): Promise<WrapShell> {
  const temp = join(dirname(session.resultsFolder), 'tmp');
  mkdirPrivate(temp);
  const network = await networkOf(session, sandbox, about.config.network);
  const circumstances = { network, temp };
  const remindOnce = session.own(onceOnly);
  const repositories = session.own(sessionRepositories);
  const kept = about.config.disposable ? [] : await keptRepositories(session, about, { repositories, remindOnce });
  const policyIn = (folder: string): SandboxPolicy =>
    policyOf(session, about, { ...circumstances, folder, remindOnce, kept });
  // Reports leaks of the sandbox and changes that had to be reverted.
  const open = session.own(openSandboxes);
  const withReport = (wrapped: Pick<PreparedCommand, 'ended'>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open.add(promise);
    return async (): Promise<void> => {
      try {
        for (const sentence of await wrapped.ended()) session.remind(sentence);
        for (const sentence of await repositories.ended(wrapped)) session.remind(sentence);
      } finally {
        open.delete(promise);
        resolve();
      }
    };
  };
  const { prepare } = sandbox;
  if (!prepare) {
    return {
      async start({ folder, ...command }) {
        const wrapped = await sandbox.wrap(command, policyIn(folder));
        if (!about.config.disposable) repositories.started(wrapped);
        for (const note of wrapped.notes) remindOnce(note);
        return { ...wrapped, ended: withReport(wrapped) };
      },
    };
  }
  const prepared = session.own(preparedCommands);
  return {
    aheadAs: JSON.stringify(circumstances),
    async start({ folder: _, ...command }) {
      const one = prepare(command, circumstances);
      const shell = { ...one, ended: withReport(one) };
      prepared.set(shell, one);
      return shell;
    },
    async applyPolicy(shell, { folder, tell }) {
      const one = prepared.get(shell);
      if (one && !about.config.disposable) repositories.started(one);
      for (const note of one?.applyPolicy(policyIn(folder), tell) ?? []) remindOnce(note);
    },
  };
}

/** Sandboxes that are not torn down yet. Their placeholders in the project must be removed before the session ends. */
function openSandboxes(session: SessionPort): Set<Promise<void>> {
  const open = new Set<Promise<void>>();
  session.atEnd(async () => {
    await Promise.race([Promise.all(open), delay(TAKE_DOWN_MS, undefined, { ref: false })]);
  });
  return open;
}

const preparedCommands = (): WeakMap<WrappedShell, PreparedCommand> => new WeakMap();

/** Reports whether the sandbox works. Probed once per session. */
export async function tryOutSandbox(session: SessionPort): Promise<void> {
  const { kind, why } = await session.own(sessionSandbox)();
  session.foundSandbox?.({ works: kind !== 'none', why });
}

/** The warning for the user if settings turn the sandbox on and none works here. */
export async function missingSandbox(session: SessionPort): Promise<string | undefined> {
  const config = session.sandbox;
  if (!config) return undefined;
  const { kind, why } = await session.own(sessionSandbox)();
  if (kind !== 'none') return undefined;
  return config.failIfUnavailable
    ? `Settings demand a sandbox ("sandbox.failIfUnavailable"), so commands are refused: ${withoutConsequence(why)}`
    : `Settings turn the sandbox on ("sandbox.enabled"), and there is none: ${why}`;
}

/** Whether that is likely, without starting a process. */
export const mayLack = ({ env, workspace }: SessionPort): boolean => mayLackSandbox({ env, workspace });

function sessionSandbox(session: SessionPort): () => Promise<Sandbox> {
  const { env, workspace } = session;
  const { placeholders, begun } = session.own(sessionPlaceholders);
  return lazy(async () => {
    await begun;
    return await chooseSandbox({ env, workspace, placeholders });
  });
}

/** The journal of placeholder folders that stand in for missing ones while commands run. */
export function sessionPlaceholders(session: SessionPort): { placeholders: Placeholders; begun: Promise<void> } {
  const open = session.own(openSandboxes);
  let places: PlaceholderJournal | undefined;
  const begin = async (): Promise<void> => {
    places = await PlaceholderJournal.begin(session.dataFolder, session.id);
  };
  const begun = begin().catch(() => {}); // commands work even if the data folder can't be written
  session.atEnd(async () => {
    await begun;
    await Promise.race([Promise.all(open), delay(TAKE_DOWN_MS, undefined, { ref: false })]);
    await places?.end();
    places = undefined;
  });
  return { placeholders: createPlaceholders(() => places), begun };
}

/** Tells the model each sentence only once: most hold for every command of a session. */
function onceOnly(session: SessionPort): (sentence: string) => void {
  const said = new Set<string>();
  return (sentence) => {
    if (said.has(sentence)) return;
    said.add(sentence);
    session.remind(sentence);
  };
}

const sessionRepositories = (): RepositoryGuard => createRepositoryGuard();

/** The parts of git repositories in the workspace from which git would start programs. */
async function keptRepositories(
  { workspace }: SessionPort,
  { root }: About,
  { repositories, remindOnce }: { repositories: RepositoryGuard; remindOnce(note: string): void },
): Promise<string[]> {
  const { readOnly, notes } = await repositories.look([...new Set([root, ...workspace])]);
  for (const note of notes) remindOnce(note);
  return readOnly;
}

interface Around extends Pick<SandboxPolicy, 'network' | 'temp'> {
  /** Where bash creates its pipe. */
  folder: string;
  /** Parts of repositories that must stay unchanged. */
  kept: readonly string[];
  remindOnce(note: string): void;
}

function policyOf(session: SessionPort, { config, written, root }: About, around: Around): SandboxPolicy {
  const { workspace, dataFolder, resultsFolder, worktree } = session;
  const { network, temp, folder, remindOnce, kept: ofRepositories } = around;
  const home = session.home ?? root;
  const folders = [...new Set([root, ...workspace])];
  const kept = config.disposable ? [] : [...protectedPaths(folders, home), ...ofRepositories];
  const { allowRead = [] } = config;
  const shown = allowRead.filter((path) => !contains(dataFolder, path)); // Helve's own data is never shown
  const hidden = [...secretPaths(home, dataFolder), ...config.denyRead].filter((path) => !shown.includes(path));
  const deeper = shown.filter((path) => hidden.some((other) => contains(other, path)));
  const { paths, notes } = findUnreadable(session, config, [temp, resultsFolder, folder]);
  for (const note of notes) remindOnce(note);
  return {
    workspace,
    writable: [...written, ...config.allowWrite, ...(worktree?.gitWrites ?? []), folder],
    hidden,
    unreadable: paths,
    readOnly: [...kept, ...(worktree?.gitKeeps ?? []), resultsFolder, ...deeper, ...config.denyWrite],
    network,
    temp,
    home,
  };
}

function findUnreadable(
  session: SessionPort,
  { unreadable: files }: SandboxConfig,
  ownFolders: readonly string[],
): Unreadable {
  if (!files) return { paths: [], notes: [] };
  const { workspace } = session;
  return session.own(sessionFinder).find({ files, workspace, needed: [...workspace, ...ownFolders] });
}

const sessionFinder = () => createUnreadableFinder();

async function networkOf(
  session: SessionPort,
  sandbox: Sandbox,
  wished: SandboxConfig['network'],
): Promise<SandboxPolicy['network']> {
  if (typeof wished !== 'object') return wished;
  const place = await session.own(sessionProxy)(sandbox, wished);
  return { address: place, direct: LOOPBACK.filter((name) => !wished.allowed.some((host) => meansHost(host, name))) };
}

/** A sandbox has its own loopback, which tests of programs use. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

const meansHost = (entry: string, name: string): boolean =>
  entry.trim().replace(/:\d+$/, '').toLowerCase() === name || entry === `[${name}]`;

/** The session's proxy, started for the first command that may use it. */
function sessionProxy(
  session: SessionPort,
): (sandbox: Sandbox, hosts: AllowedHosts) => Promise<ProxyEndpoint['address']> {
  let started: Promise<ProxyEndpoint['address']> | undefined;
  let current: AllowedHosts;
  let reported = new Set<string>();
  /** Once per command, because programs retry. */
  const tell = (sentence: string): void => {
    if (reported.has(sentence) || reported.size >= MAX_REFUSALS) return;
    reported.add(sentence);
    session.remind(sentence);
  };
  const start = async ({ kind }: Sandbox): Promise<ProxyEndpoint['address']> => {
    const { createHostProxy } = await import('../../platform/sandbox/host-proxy.js');
    const proxy: HostProxy = await createHostProxy({
      hosts: () => current,
      onRefused: tell,
    });
    if (kind === 'seatbelt') {
      const { port = 0 } = await proxy.listen({ port: 0 });
      session.atEnd(() => proxy.close());
      return port;
    }
    const folder = await mkdtemp(join(tmpdir(), 'helve-proxy-')); // private to the user
    session.atEnd(async () => {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    });
    const socket = join(folder, 'socket');
    await proxy.listen(socket);
    return socket;
  };
  return (sandbox, hosts) => {
    current = hosts;
    reported = new Set();
    started ??= start(sandbox);
    return started;
  };
}
