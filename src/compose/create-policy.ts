import { narrowed } from '../agent/children/child-environment.js';
import type { Session } from '../agent/session.js';
import { createSessionPolicy, type SessionPolicy } from '../agent/session-policy.js';
import type { Notices } from './notices.js';
import type { ResolvedOptions } from './resolve-options.js';
import { sandboxOf, withRules } from './sandbox-config.js';

/** The policy of a session, by rules and folders of options and settings. */
export function createPolicy(session: Session, resolved: ResolvedOptions): SessionPolicy {
  const { options, builtIn, folders, dataFolders, home, settings } = resolved;
  const policy = createSessionPolicy({
    session,
    folders,
    dataFolders,
    home,
    lists: options.permissions ?? {},
    settings: () => ({
      rules: settings()?.rules ?? [],
      folders: settings()?.additionalDirectories.map(({ value }) => value) ?? [],
    }),
    saveRule: options.saveRule,
    knownTools: [...builtIn, ...(options.tools ?? [])].map(({ name }) => name),
  });
  if (options.worktree) policy.addWorktree(options.worktree);
  const most = options.mainType?.mode;
  return most === undefined ? policy : { ...policy, decide: narrowed(policy.decide, policy.decideIn(most)) };
}

/** Makes the policy limit the session: where it works, what commands may read, and how they are confined. */
export function limitByPolicy(
  session: Session,
  { policy, resolved, notices }: { policy: SessionPolicy; resolved: ResolvedOptions; notices: Notices },
): void {
  const { options, settings } = resolved;
  let isReported = false;
  session.connect({
    workspace: () => policy.workspace(),
    commandBounds: () => ({
      background: settings()?.bash.maxBackground?.value,
      outputBytes: settings()?.bash.maxSessionOutput?.value,
    }),
    sandbox: () => withRules(options.sandbox ?? sandboxOf(settings()), policy),
    onSandboxMissing(why) {
      if (isReported || !session.sandbox?.autoAllow) return;
      isReported = true;
      notices.say(`"sandbox.autoAllowBashIfSandboxed" has no effect on this machine. ${why}`);
    },
    fileRules: () => ({ unreadable: policy.unreadable(), readable: policy.readable() }),
  });
}
