/** A hunk in the format that hooks and hosts written for Claude Code expect. */
export interface PatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** The hunks of a unified patch; empty if the patch is a sentence about why there is none. */
export function hunksOf(patch: string): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  for (const line of patch.split('\n')) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (header) {
      const [oldStart, oldLines, newStart, newLines] = header.slice(1).map((number) => Number(number ?? 1));
      hunks.push({
        oldStart: oldStart ?? 1,
        oldLines: oldLines ?? 1,
        newStart: newStart ?? 1,
        newLines: newLines ?? 1,
        lines: [],
      });
    } else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

const MAX_ORIGINAL_CHARS = 1_000_000; // kept as long as the event is

/** A file's earlier text, for hooks; null if it is too long. */
export const originalText = (text: string): string | null => (text.length > MAX_ORIGINAL_CHARS ? null : text);
