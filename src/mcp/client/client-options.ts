import type { AskUser } from '../../contract/question.js';
import type { SessionPort } from '../../contract/tool-context.js';
import type { ServerEras } from './eras.js';
import type { HostServers } from './host-transport.js';
import type { ToolPins } from './pins.js';
import type { ServerTaskListOptions } from './server-task-list.js';

export interface McpClientOptions {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a variable is set, but withheld from servers. Default: none is. */
  isWithheld?: ((variable: string) => boolean) | undefined;
  dataFolder: string;
  /** The folders that servers are given as roots. */
  roots(): readonly string[];
  askUser?: AskUser | undefined;
  pins: ToolPins;
  /** Loaded with the first connection. */
  eras(): Promise<ServerEras>;
  /** The servers in the host program, if there is one. */
  hostServers?: HostServers | undefined;
  whileRunning: SessionPort['whileRunning'];
  /** The state of a server, or what it offers, has changed. */
  onChange(): void;
  /** Called with a message for the user. */
  onNotice(text: string): void;
  /** Absent: no task outlives its call. */
  tasks?: Pick<ServerTaskListOptions, 'session' | 'waitMs'> | undefined;
  /** The delay before the first attempt to reconnect. */
  retryMs?: number;
}
