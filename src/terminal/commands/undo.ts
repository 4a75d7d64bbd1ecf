import { outlineSession } from '../../agent/store/session-outline.js';
import { countedEntries, NEVER_COVERED, undoableLines } from '../../agent/undo/describe-undo.js';
import { planUndo, type UndoPlan } from '../../agent/undo/undo.js';
import { listUndoable, type UndoableCall, UndoFailure, type UndoSelection } from '../../agent/undo/undo-calls.js';
import { callsSince, lastUndo, selectSincePrompt, sinceLastPrompt } from '../../agent/undo/undo-prompts.js';
import { counted } from '../../platform/text/counted.js';
import type { Choice, CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { fitted, problem, text, words } from './answers.js';
import { confirmUndo } from './confirm-undo.js';

const MAX_PROMPT_CHARS = 50;

export const undo: TerminalCommand = {
  name: 'undo',
  group: 'Changes',
  echo: 'answered',
  description: 'undo changes of files',
  argumentHint: '[number of calls | turn | list | id of a call]',
  needsRest: true,
  complete: (typed) => words(typed, ['list', 'turn']),

  async run(args, session) {
    try {
      return args.trim() === 'list' ? await list(session) : await confirm(args.trim(), session);
    } catch (error) {
      if (error instanceof UndoFailure) return problem(messageOf(error));
      throw error;
    }
  },
};

const messageOf = ({ message, takeBack }: UndoFailure): string =>
  takeBack === undefined ? message : `${message} To reverse that undo: /undo ${takeBack}`;

async function list({ dataFolder, id, cwd }: CommandSession): Promise<CommandAnswer> {
  const calls = await listUndoable(dataFolder, id);
  if (calls.length === 0) return problem('No call of this conversation has changed files.');
  const lines = [
    ...undoableLines(calls, outlineSession(dataFolder, id), cwd, { optionFor: (at) => (at === 0 ? '/undo turn' : '') }),
  ];
  const note = calls.some(({ isCommand }) => isCommand) ? [NEVER_COVERED] : [];
  return fitted(['Calls that changed files, latest first:', ...lines], { last: note });
}

async function confirm(wanted: string, session: CommandSession): Promise<CommandAnswer> {
  const { dataFolder, id, cwd } = session;
  if (wanted === '') {
    const left = await leftByRewind(session);
    if ((await listUndoable(dataFolder, id)).length > 0) return await offer(session, left);
    return left ? await left.choose() : text('This conversation has changed no files, so there is nothing to undo.');
  }
  const plan = await planUndo(dataFolder, id, await selectionOf(wanted, session), { cwd });
  return confirmUndo(plan, { cwd });
}

type OtherUndo = Choice & { choose(): Promise<CommandAnswer> };

/** The changes of a conversation that /rewind has left, with the files as they were: they belong to it. */
async function leftByRewind({ dataFolder, cwd, rewoundFrom }: CommandSession): Promise<OtherUndo | undefined> {
  for (const { id, prompt } of rewoundFrom) {
    const calls = await listUndoable(dataFolder, id);
    const since = callsSince(prompt.index, calls, outlineSession(dataFolder, id));
    if (since.length > 0) {
      const callIds = since.map(({ callId }) => callId);
      const title = 'Undo the file changes that /rewind has left?';
      const choose = async (): Promise<CommandAnswer> => {
        const plan = await planUndo(dataFolder, id, { callIds }, { cwd });
        return confirmUndo(plan, { cwd, title, about: `since “${shortened(prompt.text)}”: ${sizeOf(callIds, plan)}` });
      };
      return { value: 'left', key: 'b', label: 'The changes that /rewind has left instead', choose };
    }
    const undone = lastUndo(calls);
    if (undone) return { ...redo, choose: async () => await reverse(undone, { dataFolder, id, cwd }) };
  }
  return undefined;
}

const redo = { value: 'redo', key: 'r', label: 'Reverse the last undo instead' };

async function reverse({ callId }: UndoableCall, { dataFolder, id, cwd }: Conversation): Promise<CommandAnswer> {
  const plan = await planUndo(dataFolder, id, { callIds: [callId] }, { cwd });
  return confirmUndo(plan, { cwd, title: 'Reverse the last undo?' });
}

type Conversation = Pick<CommandSession, 'dataFolder' | 'id' | 'cwd'>;

/** Everything since the last prompt that changed files; or the last call alone; or the last undo, to reverse it. */
async function offer(conversation: Conversation, left: OtherUndo | undefined): Promise<CommandAnswer> {
  const { dataFolder, id, cwd } = conversation;
  const calls = await listUndoable(dataFolder, id);
  const outline = outlineSession(dataFolder, id);
  const undone = lastUndo(calls);
  if (undone && calls.every(({ undoes, undoneBy }) => undoes ?? undoneBy)) {
    return left?.value === 'left' ? await left.choose() : await reverse(undone, conversation);
  }
  const since = sinceLastPrompt(calls, outline);
  const selection = since ? { callIds: since.calls.map(({ callId }) => callId) } : { calls: 1 };
  const plan = await planUndo(dataFolder, id, selection, { cwd });
  const last = plan.calls.at(-1);
  const known = last && outline.calls.get(last.callId);
  const others = [
    ...(since && since.calls.length > 1
      ? [
          {
            value: 'last',
            key: 'l',
            label: 'Only the last call',
            description: known ? `${known.tool} ${known.title}` : '',
            choose: async () =>
              confirmUndo(await planUndo(dataFolder, id, { calls: 1 }, { cwd }), { cwd, title: 'Undo the last call?' }),
          },
        ]
      : []),
    ...(undone ? [{ ...redo, choose: async () => await reverse(undone, conversation) }] : []),
    ...(left && !(undone && left.value === redo.value) ? [left] : []),
  ];
  const title = since && `Undo everything since “${shortened(since.prompt.text)}”?`;
  const about = since && sizeOf(since.calls, plan);
  return confirmUndo(plan, { cwd, others, ...(title && { title }), ...(about && { about }) });
}

const sizeOf = (calls: readonly unknown[], { items }: UndoPlan): string =>
  [counted(calls.length, 'call'), countedEntries(items)].filter(Boolean).join(', ');

const shortened = (said: string): string => {
  const line = said.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_PROMPT_CHARS ? `${line.slice(0, MAX_PROMPT_CHARS - 1)}…` : line || '(no text)';
};

async function selectionOf(wanted: string, { dataFolder, id }: CommandSession): Promise<UndoSelection> {
  if (wanted === 'turn') return selectSincePrompt(dataFolder, id, await listUndoable(dataFolder, id), 1);
  return /^[1-9]\d{0,5}$/.test(wanted) ? { calls: Number(wanted) } : { callIds: [wanted] };
}
