/** A part of a patch, as hooks and hosts written for Claude Code read it. */
export interface PatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** The hunks of a unified patch; none where the patch is a sentence on why there is none. */
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

const MAX_ORIGINAL_CHARS = 1_000_000; // it is held as long as the event is

/** A file as it was, for hooks; null where it is too long to be handed on. */
export const originalText = (text: string): string | null => (text.length > MAX_ORIGINAL_CHARS ? null : text);
