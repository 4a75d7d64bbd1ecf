import { outlineSession } from '../../agent/store/session-outline.js';
import { describeChanges } from '../../agent/undo/describe-change.js';
import { planUndo } from '../../agent/undo/undo.js';
import { listUndoable, UndoFailure } from '../../agent/undo/undo-calls.js';
import { callsSince } from '../../agent/undo/undo-prompts.js';
import { askGit } from '../../platform/shell/ask-git.js';
import { counted } from '../../platform/text/counted.js';
import { splitPatch } from '../../platform/text/reverse-patch.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text, words } from './answers.js';

const MAX_NOTED = 20;
/** No program that the repository names runs. */
const GIT_DIFF = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.quotePath=false',
  'diff',
  '--find-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
];

export const diff: TerminalCommand = {
  name: 'diff',
  group: 'Changes',
  description: 'changes so far; turn: last prompt, git: last commit',
  argumentHint: '[turn | git]',
  complete: (typed) => words(typed, ['turn', 'git']),

  async run(args, session) {
    const wanted = args.trim();
    if (wanted === 'git')
      return (await sinceCommit(session)) ?? text(`There is no commit to compare with: ${await whyNoCommit(session)}.`);
    if (wanted !== '' && wanted !== 'turn')
      return problem('That is not understood. Use /diff, /diff turn or /diff git.');
    return (
      (await ofConversation(session, wanted === 'turn')) ??
      (await sinceCommit(session)) ??
      text(
        `No change of this conversation is in the files now, and there is no commit to compare with: ${await whyNoCommit(session)}.`,
      )
    );
  },
};

/** Undefined if the conversation has changed nothing that is still there. */
async function ofConversation(session: CommandSession, isLastOnly: boolean): Promise<CommandAnswer | undefined> {
  const { dataFolder, id, cwd } = session;
  const calls = await listUndoable(dataFolder, id);
  const outline = outlineSession(dataFolder, id);
  const since = isLastOnly ? Math.max(0, outline.prompts.length - 1) : 0;
  const callIds = callsSince(isLastOnly ? since : -1, calls, outline).map(({ callId }) => callId);
  const none = isLastOnly ? text('Your last prompt has changed no files.') : undefined;
  if (callIds.length === 0) return none;
  try {
    const { items } = await planUndo(dataFolder, id, { callIds }, { cwd });
    const files = describeChanges(items, cwd);
    if (files.length === 0) return none;
    const what = isLastOnly ? 'your last prompt' : 'this conversation';
    const folders = files.filter(({ isFolder }) => isFolder).length;
    const size = files.reduce((sum, file) => sum + (file.isFolder ? file.files.length : 1), 0);
    const counts = [...(size > 0 ? [counted(size, 'file')] : []), ...(folders > 0 ? [counted(folders, 'folder')] : [])];
    return { type: 'diffs', title: `Changes of ${what}: ${counts.join(', ')}`, files, notes: [] };
  } catch (error) {
    if (error instanceof UndoFailure) return problem(error.message);
    throw error;
  }
}

/** Undefined if there is no commit. */
async function sinceCommit({ root, env }: CommandSession): Promise<CommandAnswer | undefined> {
  const changed = await askGit(root, [...GIT_DIFF, 'HEAD'], { ...env });
  if (!changed.ok) return undefined;
  const others = await askGit(root, ['-c', 'core.quotePath=false', 'ls-files', '--others', '--exclude-standard'], {
    ...env,
  });
  const untracked = others.ok ? others.output.split('\n').filter(Boolean) : [];
  const files = splitPatch(changed.output);
  if (files.length + untracked.length === 0) return text('Nothing has changed since the last commit.');
  const more = untracked.length > MAX_NOTED ? [`… ${untracked.length - MAX_NOTED} more`] : [];
  return {
    type: 'diffs',
    title: `Changes since the last commit: ${counted(files.length, 'file')}`,
    files,
    notes:
      untracked.length === 0
        ? []
        : ['New and not tracked by git:', ...untracked.slice(0, MAX_NOTED).map((name) => `  ${name}`), ...more],
  };
}

/** In words of our own: what git says names options of its own, in the language of the user. */
async function whyNoCommit({ root, env }: CommandSession): Promise<string> {
  const version = await askGit(root, ['--version'], { ...env });
  if (!version.ok) return version.why;
  const folder = await askGit(root, ['rev-parse', '--git-dir'], { ...env });
  if (!folder.ok) return 'this folder is not a git repository';
  const commit = await askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD'], { ...env });
  if (!commit.ok) return 'this git repository has no commit yet';
  return 'git failed to compare; "git diff HEAD" in a shell says why';
}
