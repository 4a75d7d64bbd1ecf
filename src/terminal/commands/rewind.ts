import { outlineSession, type SessionOutline } from '../../agent/store/session-outline.js';
import { planUndo } from '../../agent/undo/undo.js';
import { listUndoable, type UndoableCall } from '../../agent/undo/undo-calls.js';
import { callsSince, promptCounter } from '../../agent/undo/undo-prompts.js';
import { shownAge } from '../../platform/text/age.js';
import { counted } from '../../platform/text/counted.js';
import type { CommandAnswer, CommandSession, PastPrompt, TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';
import { confirmUndo } from './confirm-undo.js';

const MAX_TITLE_CHARS = 70;

export const rewind: TerminalCommand = {
  name: 'rewind',
  group: 'Conversation',
  echo: 'never',
  description: 'go back to an earlier prompt',
  needsRest: true,

  async run(_, session) {
    const { prompts, dataFolder, id } = session;
    if (prompts.length === 0) return problem('Nothing has been said yet, so there is nothing to go back to.');
    const now = new Date();
    const changed = filesByPrompt(await listUndoable(dataFolder, id), outlineSession(dataFolder, id));
    return {
      type: 'choose',
      title: 'Go back to before which prompt?',
      items: prompts.toReversed().map(({ index, text: said, at }) => ({
        value: String(index),
        label: titleOf(said),
        description: [shownAge(new Date(at), now), ...filesNote(changed.get(index))].join(' · '),
      })),
      async choose(value) {
        const prompt = prompts.find(({ index }) => String(index) === value);
        return prompt ? await chooseWhat(prompt, session) : problem('That prompt no longer exists.');
      },
    };
  },
};

/** How many files the calls of each prompt have changed. */
function filesByPrompt(calls: readonly UndoableCall[], outline: SessionOutline): Map<number, number> {
  const promptsBefore = promptCounter(outline);
  const files = Map.groupBy(
    calls.filter(({ undoes, undoneBy }) => !undoes && !undoneBy),
    (call) => promptsBefore(call) - 1,
  );
  return new Map(
    [...files].map(([index, changes]) => [index, new Set(changes.flatMap(({ files: names }) => names)).size]),
  );
}

const filesNote = (count = 0): string[] => (count === 0 ? [] : [`changed ${counted(count, 'file')}`]);

function titleOf(said: string): string {
  const line = said.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1)}…` : line || '(without words)';
}

async function chooseWhat(prompt: PastPrompt, session: CommandSession): Promise<CommandAnswer> {
  const { dataFolder, id, cwd } = session;
  const calls = callsSince(prompt.index, await listUndoable(dataFolder, id), outlineSession(dataFolder, id));
  if (calls.length === 0) return await forget(prompt, session, 'No files were changed since.');
  const takeBack = async (then: (done: string) => Promise<CommandAnswer>): Promise<CommandAnswer> => {
    const plan = await planUndo(dataFolder, id, { callIds: calls.map(({ callId }) => callId) }, { cwd });
    return confirmUndo(plan, { cwd, then });
  };
  return {
    type: 'choose',
    title: `Go back to before: ${titleOf(prompt.text)}`,
    items: [
      {
        value: 'both',
        label: 'The conversation and the files',
        description: `${counted(calls.length, 'call')} changed files`,
      },
      { value: 'conversation', label: 'The conversation, and leave the files' },
      { value: 'files', label: 'The files, and leave the conversation' },
    ],
    async choose(value) {
      if (value === 'conversation')
        return await forget(prompt, session, 'The files keep their changes: /undo takes them back.');
      // Files first: after the rewind it is another conversation, which does not own those calls.
      return await takeBack(async (done) => (value === 'both' ? await forget(prompt, session, done) : text(done)));
    },
  };
}

async function forget(prompt: PastPrompt, session: CommandSession, done: string): Promise<CommandAnswer> {
  await session.rewind(prompt);
  return { type: 'edit', draft: prompt.text, text: `Back to before “${titleOf(prompt.text)}”. ${done}` };
}
