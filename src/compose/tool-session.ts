// A session with its tools, permissions, hooks and servers, without a model.
import { type AuditComponent, auditComponent } from '../agent/components/audit.js';
import { workingDirectory } from '../agent/components/working-directory.js';
import { createAuditLog } from '../agent/observe/audit-log.js';
import { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import { secretsIn } from '../agent/store/redact-secrets.js';
import { WatchedLedger } from '../agent/watched-ledger.js';
import type { Hooks } from '../contract/hook.js';
import { timeLimit } from '../platform/time-limit.js';
import { createFileLedger } from '../tools/editing/file-ledger.js';
import { type Calls, createCallEnvironment } from './call-environment.js';
import { ToolCaller } from './call-tools.js';
import { createCommands, type SessionCommands } from './create-commands.js';
import { createHooks } from './create-hooks.js';
import { createPolicy, limitByPolicy } from './create-policy.js';
import { createToolPool } from './create-tool-pool.js';
import { createHookNotifications, type HookNotifications } from './hook-notifications.js';
import { createNotices, createUnsavedDataNotice, type Notices } from './notices.js';
import { createRecovery } from './recovery.js';
import { createRefresh, type RefreshSettings } from './refresh-settings.js';
import { type ResolvedOptions, webAccess } from './resolve-options.js';
import { type ConnectedServers, createServers } from './servers.js';

const SESSION_END_MS = 15_000; // more than the hooks themselves may take

export interface ToolSession extends Calls, SessionCommands {
  resolved: ResolvedOptions;
  session: Session;
  policy: SessionPolicy;
  hooks: Hooks;
  ledger: WatchedLedger;
  notices: Notices;
  servers: ConnectedServers;
  notifications: HookNotifications;
  caller: ToolCaller;
  refresh: RefreshSettings;
  /** The components that see every call of the session and of its child agents, including calls without a model. */
  watchers: readonly SessionComponent[];
  /** Reports once where the session is kept if it could not all be written to the data folder; to be called at the very end. */
  reportUnsavedData(): void;
  end(): Promise<void>;
}

/** `judge`: calls are decided but not run, so there is no audit log, and no server is connected. */
export function composeTools(resolved: ResolvedOptions, { as }: { as: 'root' | 'tools' | 'judge' }): ToolSession {
  const { options, answers } = resolved;
  const notices = createNotices();
  const ledger = new WatchedLedger(createFileLedger());
  const session = createSession(resolved, { ledger, notices });
  const policy = createPolicy(session, resolved);
  limitByPolicy(session, { policy, resolved, notices });
  session.tools.hideDenied(policy.deniedTools());

  const servers = createServers({
    resolved,
    session,
    policy,
    notices,
    isOff: isWithoutServers(resolved, as),
    keepsTasks: as === 'root',
  });
  servers.configure();
  if (options.buffers) session.provide({ buffers: options.buffers }, { forChildren: true });
  session.provideLate(
    { web: () => webAccess(options, resolved.env), resources: () => servers.resources() },
    { forChildren: true },
  );
  if (as === 'root') session.provideLate({ serverTasks: () => servers.client.tasks });

  for (const text of options.startNotices ?? []) notices.say(text);
  const hooks = createHooks(session, policy, resolved);
  const notifications = createHookNotifications(hooks, notices.say);
  const audit = as === 'judge' || options.audit === false ? undefined : createAudit(session, resolved);
  const { askUser, askPermission } = answers;
  if (askUser) session.connect({ askUser: audit?.questions(askUser) ?? askUser });
  const directory = workingDirectory(session, (before, now) =>
    notifications.note('CwdChanged', { old_cwd: before, new_cwd: now }),
  );
  const recover = createRecovery(session);
  const calls = createCallEnvironment({
    session,
    policy,
    hooks,
    builtIn: resolved.builtIn,
    askPermission: askPermission && (audit?.permission(askPermission) ?? askPermission),
    ready(emit) {
      directory.begin();
      return recover(emit);
    },
    recorded: options.whenRecorded,
  });
  const refresh = createRefresh({ settings: options.settings, session, policy, notices, servers });
  const watchers = [...(audit ? [audit] : []), directory];
  const caller = new ToolCaller({
    session,
    environment: calls.environment,
    refresh,
    watchers,
    servers,
    notifications,
  });
  const commands = createCommands({ resolved, session, policy, servers, notices, caller });
  session.provide({ commands: commands.commands });
  const reportUnsavedData = createUnsavedDataNotice(
    session,
    options.onKept ?? ((sentence) => process.emitWarning(sentence, 'HelveWarning')),
  );

  return {
    resolved,
    session,
    policy,
    hooks,
    ledger,
    notices,
    servers,
    notifications,
    caller,
    refresh,
    watchers,
    ...calls,
    ...commands,
    reportUnsavedData,
    end: () => end({ session, hooks, servers, notifications, caller, audit, reportUnsavedData }),
  };
}

function createSession(
  resolved: ResolvedOptions,
  { ledger, notices }: { ledger: WatchedLedger; notices: Notices },
): Session {
  const { options, root, dataFolder, mode, visibleEnv, toolSet, home } = resolved;
  return new Session({
    root,
    worktree: options.worktree,
    dataFolder,
    onDataProblem: notices.say,
    mode,
    env: visibleEnv,
    ...(options.sessionId !== undefined && { id: options.sessionId }),
    ledger,
    tools: createToolPool(resolved),
    interactive: toolSet === 'repl',
    home,
  });
}

const isWithoutServers = ({ toolSet }: ResolvedOptions, as: string): boolean => toolSet === 'simple' || as === 'judge';

const createAudit = (session: Session, { env }: ResolvedOptions): AuditComponent =>
  auditComponent(
    createAuditLog({
      dataFolder: session.dataFolder,
      sessionId: session.id,
      root: session.root,
      secrets: secretsIn(env),
      onProblem: (sentence) => session.dataProblem(sentence),
    }),
  );

type EndedParts = Pick<ToolSession, 'session' | 'hooks' | 'servers' | 'notifications' | 'caller' | 'reportUnsavedData'>;

async function end(parts: EndedParts & { audit: AuditComponent | undefined }): Promise<void> {
  const { session, hooks, servers, notifications, caller, audit, reportUnsavedData } = parts;
  await caller.end();
  await notifications.settled();
  if (hooks.has('SessionEnd')) {
    const { signal, clear } = timeLimit(SESSION_END_MS);
    // A failure is not reported, since the session has ended.
    await hooks
      .run('SessionEnd', { reason: 'other' }, { signal })
      .catch(() => {})
      .finally(clear);
  }
  await audit?.end?.();
  const ends = await Promise.allSettled([session.end(), hooks.end(), servers.client.close()]); // waits for all, even if one fails
  reportUnsavedData();
  for (const one of ends) if (one.status === 'rejected') throw one.reason;
}
