import type { SessionPort } from '../../contract/tool-context.js';
import { mayLackSandbox } from '../../platform/sandbox/choose.js';
import { withoutConsequence } from '../../platform/sandbox/why-unavailable.js';
import { sessionSandbox } from './sandboxed.js';

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
