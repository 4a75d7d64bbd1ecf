/**
 * Files as a person's editor holds them, with changes that may not be saved. It decides nothing about permission: a
 * tool asks only about files that its call may read.
 */
export interface EditorBuffers {
  /**
   * The text of the file in the editor; undefined if no editor has it open, or none answered in time. Rejects only if
   * the signal aborts.
   */
  textOf(path: string, signal: AbortSignal): Promise<string | undefined>;
}
