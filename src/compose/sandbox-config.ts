import type { SessionPolicy } from '../agent/session-policy.js';
import type { SandboxConfig } from '../contract/tool-context.js';
import type { Settings } from '../settings/settings.js';

/** The walls that settings want around commands. */
export function sandboxOf(settings: Settings | undefined): SandboxConfig | undefined {
  if (!settings?.sandbox.enabled?.value) return undefined;
  const { allowWrite, denyWrite, denyRead, allowRead, excludedCommands, ...rest } = settings.sandbox;
  const { allowedDomains: allowed, deniedDomains: denied } = rest;
  return {
    network: allowed.length > 0 ? { allowed, denied } : 'off',
    allowWrite,
    denyWrite,
    denyRead,
    allowRead,
    excluded: excludedCommands,
    failIfUnavailable: rest.failIfUnavailable?.value ?? false,
    autoAllow: rest.autoAllowBashIfSandboxed?.value ?? false,
    mode: rest.mode?.value ?? 'workspace',
    allowUnsandboxed: rest.allowUnsandboxedCommands?.value !== false,
  };
}

/** The same with what rules say about reading. */
export function withRules(
  wish: SandboxConfig | undefined,
  policy: Pick<SessionPolicy, 'unreadable' | 'readable'>,
): SandboxConfig | undefined {
  if (!wish) return undefined;
  const allowRead = [...(wish.allowRead ?? []), ...policy.readable()];
  return { ...wish, allowRead, unreadable: policy.unreadable() ?? wish.unreadable };
}
