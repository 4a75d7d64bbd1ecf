// The definition of a tool when it was last allowed to run. If a server changes it later, the user has to agree again.

/** Stores the definitions of tools that have run, per user of this machine. */
export interface ToolPins {
  /** Undefined for a tool that has never run. Throws if the record is unreadable. */
  get(server: string, tool: string): Promise<PinnedTool | undefined>;
  set(server: string, tool: string, pinned: PinnedTool): Promise<void>;
}

export interface PinnedTool {
  hash: string;
  /** The text that was hashed, to show what has changed; omitted if it is too long to store. */
  text?: string;
}
