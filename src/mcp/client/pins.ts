// The definitions of a server's tools and its instructions, pinned when the server first connects after it was trusted.
// A tool whose definition differs from its pin is held back from the model until a person approves the change, and so are
// the instructions.

/** The name under which the instructions of a server are pinned. No tool of this name is used. */
export const INSTRUCTIONS = 'server:instructions';

/** A server, as far as pins are concerned. */
export interface PinnedServer {
  /** Differs with the command, the arguments or the address: that is another server, even under the same name. */
  key: string;
  /** Its key in the file of earlier versions. */
  legacyKey?: string;
  name: string;
  /** Where it was configured. */
  source: string;
  /** The project, if the same entry in another folder is another server. */
  folder?: string;
}

export interface PinnedTool {
  hash: string;
  /** The text that was hashed, to show what has changed; omitted if it is too long to store. */
  text?: string;
}

/** A tool, or the instructions, that differ from their pin. */
export interface ToolChange {
  /** The server's name for it, or `INSTRUCTIONS`. */
  tool: string;
  before: PinnedTool;
  after: PinnedTool;
}

export interface ToolReview {
  changed: readonly ToolChange[];
  /** Tools that the server did not have when its tools were first pinned; they are pinned now. */
  added: readonly string[];
  /** Why the pins could not be saved, as a clause. They apply in this process. */
  unsaved?: string;
}

/** Stores the pinned definitions, per user of this machine. */
export interface ToolPins {
  /**
   * Compares the tools of a server with their pins, and pins those that have none. `acceptsChanges` pins changed ones
   * too. Rejects if the record can't be read, since it is then unknown what has changed.
   */
  review(
    server: PinnedServer,
    tools: ReadonlyMap<string, PinnedTool>,
    options: { acceptsChanges: boolean },
  ): Promise<ToolReview>;
  /** Pins the new definitions: exactly those that the person has seen. */
  approve(server: PinnedServer, changes: readonly ToolChange[]): Promise<void>;
}
