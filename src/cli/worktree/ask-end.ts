import { createInterface } from 'node:readline/promises';
import type { WorktreeEnd } from '../../contract/worktree.js';
import { counted } from '../../platform/text/counted.js';
import { visible } from '../../platform/text/visible.js';
import { type RunWorktree, tell } from './session-worktree.js';

const MAX_NAMED = 10;

/** After a conversation at the terminal: asks what is to become of a worktree with changes. No answer keeps it. */
export async function endAtTerminal(
  worktree: RunWorktree,
  { asks, end }: { asks: boolean; end: WorktreeEnd | undefined },
): Promise<void> {
  const work = asks ? await worktree.work().catch(() => undefined) : undefined;
  if (!work) return await tell(await worktree.finish(end));
  const { place } = worktree;
  const { files, holds } = work;
  const more = files.length > MAX_NAMED ? `, and ${files.length - MAX_NAMED} others` : '';
  process.stderr.write(
    visible(
      `\nThe worktree ${place.name} has ${counted(files.length, 'changed file')}: ${files.slice(0, MAX_NAMED).join(', ')}${more}\n${holds.length > 0 ? `It also holds what is in no commit: ${holds.join('; ')}\n` : ''}`,
    ),
  );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const asked = lines.question(`k: keep it with its branch (default)   m: merge it into ${place.top}\n> `);
    const answer = (await Promise.race([asked, closed])).trim().toLowerCase();
    await tell(await worktree.finish(/^m(?:erge)?$/.test(answer) ? 'merge' : 'keep'));
  } finally {
    lines.close();
  }
}
