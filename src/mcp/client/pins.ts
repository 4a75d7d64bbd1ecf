// What a tool was when it was last allowed to run. A server that changes a tool after that has to be agreed to anew.

/** Keeps the definitions of tools that have run, for one user of this machine. */
export interface ToolPins {
  /** Undefined for a tool that has never run. Throws where the record can't be relied on. */
  get(server: string, tool: string): Promise<PinnedTool | undefined>;
  set(server: string, tool: string, pinned: PinnedTool): Promise<void>;
}

export interface PinnedTool {
  hash: string;
  /** What was hashed, to show what has changed; left out where it is too long to keep. */
  text?: string;
}
