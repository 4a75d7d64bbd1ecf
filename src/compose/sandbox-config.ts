import type { SessionPolicy } from '../agent/session-policy.js';
import type { SandboxConfig } from '../contract/tool-context.js';
import type { Settings } from '../settings/settings.js';

/** The sandbox that settings configure. */
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

/** The sandbox with the paths that permission rules make readable or unreadable. */
export function withRules(
  config: SandboxConfig | undefined,
  policy: Pick<SessionPolicy, 'unreadable' | 'readable'>,
): SandboxConfig | undefined {
  if (!config) return undefined;
  const allowRead = [...(config.allowRead ?? []), ...policy.readable()];
  return { ...config, allowRead, unreadable: policy.unreadable() ?? config.unreadable };
}
