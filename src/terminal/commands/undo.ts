import { outlineSession } from '../../agent/store/session-outline.js';
import { NEVER_COVERED, undoableLines } from '../../agent/undo/describe-undo.js';
import { planUndo } from '../../agent/undo/undo.js';
import { listUndoable, UndoFailure, type UndoSelection } from '../../agent/undo/undo-calls.js';
import { lastUndo, selectSincePrompt, sinceLastPrompt } from '../../agent/undo/undo-prompts.js';
import { counted } from '../../platform/text/counted.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
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
  const { dataFolder, id, cwd, rewoundFrom } = session;
  if (wanted === '') {
    // After a rewind that left the files, their changes belong to the conversation that was left.
    for (const one of [id, ...(rewoundFrom === undefined ? [] : [rewoundFrom])]) {
      if ((await listUndoable(dataFolder, one)).length > 0) return await offer({ dataFolder, id: one, cwd });
    }
    return text('This conversation has changed no files, so there is nothing to undo.');
  }
  const plan = await planUndo(dataFolder, id, await selectionOf(wanted, session), { cwd });
  return confirmUndo(plan, { cwd });
}

/** Everything since the last prompt that changed files; or the last call alone; or the last undo, to reverse it. */
async function offer({
  dataFolder,
  id,
  cwd,
}: Pick<CommandSession, 'dataFolder' | 'id' | 'cwd'>): Promise<CommandAnswer> {
  const calls = await listUndoable(dataFolder, id);
  const outline = outlineSession(dataFolder, id);
  const confirmOnly = async (selection: UndoSelection, title: string): Promise<CommandAnswer> =>
    confirmUndo(await planUndo(dataFolder, id, selection, { cwd }), { cwd, title });
  const undone = lastUndo(calls);
  const redo = async (): Promise<CommandAnswer> =>
    await confirmOnly({ callIds: undone ? [undone.callId] : [] }, 'Reverse the last undo?');
  if (undone && calls.every(({ undoes, undoneBy }) => undoes ?? undoneBy)) return await redo();
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
            choose: async () => await confirmOnly({ calls: 1 }, 'Undo the last call?'),
          },
        ]
      : []),
    ...(undone ? [{ value: 'redo', key: 'r', label: 'Reverse the last undo instead', choose: redo }] : []),
  ];
  const title = since && `Undo everything since “${shortened(since.prompt.text) || '(no text)'}”?`;
  const about = since && `${counted(since.calls.length, 'call')}, ${counted(plan.items.length, 'change')}`;
  return confirmUndo(plan, { cwd, others, ...(title && { title }), ...(about && { about }) });
}

const shortened = (said: string): string => {
  const line = said.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_PROMPT_CHARS ? `${line.slice(0, MAX_PROMPT_CHARS - 1)}…` : line;
};

async function selectionOf(wanted: string, { dataFolder, id }: CommandSession): Promise<UndoSelection> {
  if (wanted === 'turn') return selectSincePrompt(dataFolder, id, await listUndoable(dataFolder, id), 1);
  return /^[1-9]\d{0,5}$/.test(wanted) ? { calls: Number(wanted) } : { callIds: [wanted] };
}
