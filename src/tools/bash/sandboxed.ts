import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Effect } from '../../contract/effect.js';
import { ToolFailure } from '../../contract/failure.js';
import type { SessionPort, ToolContext } from '../../contract/tool-context.js';
import { lazySandbox } from '../../platform/sandbox/choose.js';
import type { Sandbox, SandboxPolicy } from '../../platform/sandbox/sandbox.js';
import { protectedPaths, secretPaths } from '../../platform/sandbox/sensitive-paths.js';
import type { WrapShell } from '../../platform/shell/ready-shell.js';

/** The walls that a command runs in, or undefined where the session has none. */
export async function wallsFor(context: ToolContext): Promise<WrapShell | undefined> {
  const { session, approved = [] } = context;
  const wanted = session.sandbox;
  if (!wanted) return undefined;
  const sandbox = await session.own(sessionSandbox)();
  if (sandbox.kind === 'none') {
    if (!wanted.failIfUnavailable) return undefined;
    throw new ToolFailure(
      `The command was not run: settings demand a sandbox, and there is none. ${sandbox.why} Ask the user about it.`,
    );
  }
  const temp = join(dirname(session.resultsFolder), 'tmp');
  await mkdir(temp, { recursive: true, mode: 0o700 });
  const policy = policyFor(context, approved, temp);
  return async ({ folder, ...command }) => {
    const wrapped = await sandbox.wrap(command, { ...policy, writable: [...policy.writable, folder] });
    // What the walls could not hold, and what had to be put back, must not stay unsaid.
    for (const note of wrapped.notes) session.remind(note);
    const ended = async (): Promise<void> => {
      for (const sentence of await wrapped.ended()) session.remind(sentence);
    };
    return { ...wrapped, ended };
  };
}

function sessionSandbox({ env, workspace }: SessionPort): () => Promise<Sandbox> {
  return lazySandbox({ env, workspace });
}

function policyFor({ root, session }: ToolContext, approved: readonly Effect[], temp: string): SandboxPolicy {
  const { workspace, dataFolder, resultsFolder, sandbox } = session;
  const home = session.home ?? root;
  const written = approved.flatMap((effect) =>
    effect.kind === 'file' && effect.access === 'write' ? [effect.real] : [],
  );
  return {
    workspace,
    writable: [...written, ...(sandbox?.allowWrite ?? [])],
    hidden: [...secretPaths(home, dataFolder), ...(sandbox?.denyRead ?? [])],
    readOnly: [...protectedPaths(root, home), resultsFolder, ...(sandbox?.denyWrite ?? [])],
    network: sandbox?.network ?? 'off',
    temp,
    home,
  };
}
