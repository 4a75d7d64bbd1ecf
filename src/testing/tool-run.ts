import type { AgentHappening } from '../contract/event.js';
import type { FailureKind } from '../contract/failure.js';
import type { ContentBlock } from '../contract/message.js';
import type { ToolDisplay } from '../contract/tool.js';

/** The outcome of one call. */
export interface ToolRun {
  /** The text that a model would get. */
  content: string | ContentBlock[];
  isError: boolean;
  failure: FailureKind | undefined;
  /** The tool's result as data. */
  data: unknown;
  display: ToolDisplay;
  /** All events on the way. */
  events: AgentHappening[];
}
