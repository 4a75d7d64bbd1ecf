// The directory that a command starts in, and the one that it leaves the session in.
import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { ToolFailure } from '../../contract/failure.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { isInside, realName, realPathSync } from '../../platform/files/paths.js';

/** The session's directory, or the project root if that is gone: a shell can't start in a missing directory. */
export async function workingDirectory({
  cwd,
  root,
  session,
}: ToolContext): Promise<{ cwd: string; note?: string; fact?: string }> {
  if (isDirectory(cwd)) return { cwd };
  if (!isDirectory(root)) {
    throw new ToolFailure(
      `The command was not run: neither the working directory ${cwd} nor the project's root ${root} exists any more.`,
      { advice: 'Ask the user where to go on.' },
    );
  }
  session.changeDirectory(root);
  return {
    cwd: root,
    note: `The working directory ${cwd} no longer exists, so the command ran in the project's root, ${root}.`,
    fact: "ran in the project's root",
  };
}

/** Makes the command's final directory the session's, and notes a change. */
export async function carryDirectory(
  finalCwd: string | undefined,
  cwd: string,
  { root, session, approved = [], confinement }: ToolContext,
): Promise<{ note: string; fact: string } | undefined> {
  const isConfined = confinement === 'reads' || confinement === 'edits' || confinement === 'sandbox';
  const mayMove = approved.some(
    (effect) => effect.kind === 'session' && effect.what === 'cwd' && effect.access === 'write',
  );
  // Untrusted: the sandboxed command can forge this report.
  const isHere = finalCwd !== undefined && session.workspace.some((folder) => isInside(folder, finalCwd));
  const isHome = session.home !== undefined && finalCwd === realPathSync(session.home);
  if (isConfined && !(mayMove && (isHere || isHome))) return undefined;
  if (finalCwd === undefined || !isDirectory(finalCwd)) return undefined;
  if (finalCwd === realName(cwd)) return undefined;
  session.changeDirectory(finalCwd);
  const isOutside = finalCwd !== root && !finalCwd.startsWith(root === sep ? root : root + sep);
  return {
    note: `The working directory is now ${finalCwd}${isOutside ? `, outside the project's root ${root}` : ''}.`,
    fact: `now in ${finalCwd === root ? "the project's root" : isOutside ? finalCwd : relative(root, finalCwd)}`,
  };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
