import { outlineSession } from '../../agent/store/session-outline.js';
import { NEVER_COVERED, undoableLines } from '../../agent/undo/describe-undo.js';
import { planUndo } from '../../agent/undo/undo.js';
import { listUndoable, UndoFailure, type UndoSelection } from '../../agent/undo/undo-calls.js';
import { selectSincePrompt } from '../../agent/undo/undo-prompts.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { fitted, problem, words } from './answers.js';
import { confirmUndo } from './confirm-undo.js';

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
  const lines = [...undoableLines(calls, outlineSession(dataFolder, id), cwd)];
  const note = calls.some(({ isCommand }) => isCommand) ? [NEVER_COVERED] : [];
  return fitted(['Calls that changed files, latest first:', ...lines], { last: note });
}

async function confirm(wanted: string, session: CommandSession): Promise<CommandAnswer> {
  const { dataFolder, id, cwd } = session;
  const plan = await planUndo(dataFolder, id, await selectionOf(wanted, session), { cwd });
  return confirmUndo(plan, cwd);
}

async function selectionOf(wanted: string, { dataFolder, id }: CommandSession): Promise<UndoSelection> {
  if (wanted === 'turn') return selectSincePrompt(dataFolder, id, await listUndoable(dataFolder, id), 1);
  if (wanted === '') return { calls: 1 };
  return /^[1-9]\d{0,5}$/.test(wanted) ? { calls: Number(wanted) } : { callIds: [wanted] };
}
