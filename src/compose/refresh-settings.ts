import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { AgentHappening } from '../contract/event.js';
import type { WatchedSettings } from '../settings/watch.js';
import { createSandboxNotice, type Notices } from './notices.js';
import type { ConnectedServers } from './servers.js';

interface RefreshParts {
  settings: WatchedSettings | undefined;
  session: Session;
  policy: SessionPolicy;
  notices: Notices;
  servers: ConnectedServers;
}

/** Applies changes of settings; called at the beginning of each turn. Notices go to `emit` from then on. */
export type RefreshSettings = (emit: (happening: AgentHappening) => void) => Promise<void>;

export function createRefresh({ settings, session, policy, notices, servers }: RefreshParts): RefreshSettings {
  const { tools } = session;
  const reportMissingSandbox = createSandboxNotice(session, notices.say);
  let areToolsReady = false;
  const readyTools = async (): Promise<void> => {
    const problems = await tools.ready();
    if (!areToolsReady) for (const text of problems) notices.say(text);
    areToolsReady = true;
  };
  return async (emit) => {
    const { problems = [], changed = false } = (await settings?.refresh()) ?? {};
    for (const { message } of problems) emit({ type: 'notice', text: message });
    await readyTools();
    tools.hideDenied(policy.deniedTools());
    notices.tell((text) => emit({ type: 'notice', text }));
    await reportMissingSandbox();
    if (!changed) return;
    servers.configure();
    servers.client.rootsChanged();
  };
}
