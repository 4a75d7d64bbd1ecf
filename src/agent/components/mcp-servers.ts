import type { AgentHappening } from '../../contract/event.js';
import { mentionedResources } from '../mentioned-resources.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';

const AFTER_REQUEST_MS = 30; // what is loaded for servers must not hold up the request, nor wait for its answer

/** The MCP servers of a session, as far as a run needs them. */
export interface RunServers {
  /** Begins to connect, where there is anything to connect to. */
  start(): Promise<void>;
  /** A request goes to the model: tools that come after it are news. */
  requested(): void;
  /** Waits for those that the first request should not be without, within bounds. */
  beforePrompt(options: { signal: AbortSignal; isResumed: boolean; onWait?(sentence: string): void }): Promise<void>;
  /** What the model was told of them has left its context. */
  announceAgain(): void;
  /** The run is over: what is to be said waits for the next one. */
  rest(): void;
}

/** Connects to servers once the first request is sent, and adds the resources that a prompt mentions. */
export function mcpServers(
  servers: RunServers,
  session: Session,
  { isResumed }: { isResumed: boolean },
): SessionComponent {
  let timer: NodeJS.Timeout | undefined;
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
      if (event.type !== 'turn_start') return;
      servers.requested();
      timer ??= setTimeout(() => void servers.start(), AFTER_REQUEST_MS);
    },
    onCompacted: () => servers.announceAgain(),
    afterRun() {
      clearTimeout(timer);
      timer = undefined;
      servers.rest();
    },
  };
}
