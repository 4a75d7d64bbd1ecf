import type { AgentHappening } from '../contract/event.js';
import type { FailureKind } from '../contract/failure.js';
import type { ContentBlock } from '../contract/message.js';
import type { ToolDisplay } from '../contract/tool.js';

/** What became of one call. */
export interface ToolRun {
  /** What a model would get. */
  content: string | ContentBlock[];
  isError: boolean;
  failure: FailureKind | undefined;
  /** What the tool gave, as data. */
  data: unknown;
  display: ToolDisplay;
  /** Everything that happened on the way. */
  events: AgentHappening[];
}
