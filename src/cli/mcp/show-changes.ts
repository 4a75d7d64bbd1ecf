// Formats the changes of tools that wait for approval.
import type { ToolChange } from '../../mcp/client/pins.js';
import { patchOf } from '../../mcp/client/tool-change.js';
import { visible } from '../../platform/text/visible.js';

export async function shownChanges(
  changes: readonly ToolChange[],
): Promise<ReadonlyArray<{ tool: string; change: string }>> {
  return await Promise.all(changes.map(async (change) => ({ tool: change.tool, change: await patchOf(change) })));
}

export async function changeLines(changes: readonly ToolChange[]): Promise<string[]> {
  const shown = await shownChanges(changes);
  return shown.flatMap(({ tool, change }) => [
    `${visible(tool)} has changed and is held back from the model:`,
    ...visible(change)
      .split('\n')
      .map((line) => `  ${line}`),
  ]);
}
