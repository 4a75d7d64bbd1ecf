import type { AgentHappening } from '../../contract/event.js';
import { mentionedResources } from '../mentioned-resources.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';

const AT_LATEST_MS = 1_000; // for a model that does not report when a request was sent

/** The functions of a session's MCP servers that a run uses. */
export interface RunServers {
  /** Begins to connect, if a server is configured. */
  start(): Promise<void>;
  /** To be called when a request is sent to the model: tools that are added later are announced. */
  requested(): void;
  /** Waits for the servers that the first request needs, within limits. */
  beforePrompt(options: { signal: AbortSignal; isResumed: boolean; onWait?(sentence: string): void }): Promise<void>;
  /** To be called when the announcements are no longer in the model's context. */
  announceAgain(): void;
  /** To be called at the end of a run: notices are queued until the next run. */
  rest(): void;
}

/** Connects to servers once the first request is sent, and adds the resources that a prompt mentions. */
export function mcpServers(
  servers: RunServers,
  session: Session,
  { isResumed }: { isResumed: boolean },
): SessionComponent {
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  // Not before the request has left, since loading the client and starting processes would delay it.
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    isStarted = true;
    void servers.start();
  };
  return {
    name: 'MCP servers',
    async prepare(_prompt, { emit, signal }) {
      const onWait = (text: string): void => emit({ type: 'notice', text } satisfies AgentHappening);
      await servers.beforePrompt({ signal, isResumed, onWait });
    },
    async beforePrompt(prompt, { signal }) {
      const { resources, tools } = session;
      const mentioned = await mentionedResources(prompt, { resources, servers: tools.servers, signal });
      return { prompt: [...prompt, ...mentioned] };
    },
    onEvent(event) {
      if (event.type === 'turn_start') {
        servers.requested();
        if (!isStarted) timer ??= setTimeout(start, AT_LATEST_MS);
      } else if (timer !== undefined) start(); // the answer has begun, or the request failed
    },
    onRequestSent() {
      if (!isStarted) start();
    },
    onCompacted: () => servers.announceAgain(),
    afterRun() {
      clearTimeout(timer);
      timer = undefined;
      isStarted = false; // servers may be added before the next run
      servers.rest();
    },
  };
}
