import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { outlineSession, type SessionOutline, titlesIn } from '../agent/store/session-outline.js';
import { applyUndo, takeBackUndo, type UndoOutcome } from '../agent/undo/apply-undo.js';
import {
  NEVER_COVERED,
  NOTHING_TO_DO,
  planLines,
  restoredWords,
  runningLines,
  unclaimedLines,
  undoableLines,
} from '../agent/undo/describe-undo.js';
import { shortCallId } from '../agent/undo/short-call-id.js';
import { planUndo, type UndoPlan } from '../agent/undo/undo.js';
import { listUndoable, type UndoableCall, UndoFailure, type UndoSelection } from '../agent/undo/undo-calls.js';
import { selectSincePrompt } from '../agent/undo/undo-prompts.js';
import { dataFolderOf, isInside, realName, realPathSync, shortPath } from '../platform/files/paths.js';
import { describeRecovery } from '../platform/journal/describe-recovery.js';
import { journalFolders, listChanges } from '../platform/journal/journal.js';
import { JournalUnwritable } from '../platform/journal/journal-unwritable.js';
import { touchedBy } from '../platform/journal/recorded-change.js';
import { recoverChanges } from '../platform/journal/recover-changes.js';
import { runningCalls } from '../platform/journal/running-commands.js';
import { clause } from '../platform/text/clause.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';

import { localSecond } from '../platform/text/local-time.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { terminalWidth } from './terminal-width.js';
import { chooseUndo, isAmbiguous } from './undo-choice.js';
import { undoLooks } from './undo-looks.js';
import { type UndoPlace, undoPlaces, waitingElsewhere } from './undo-places.js';
import { listUndoSessions } from './undo-sessions.js';
import { UsageProblem } from './usage-problem.js';
import { wrapped, writeLine } from './write-line.js';

const MAX_CANDIDATES = 10;
const MAX_SESSIONS = 200; // the most sessions searched for one that has changed files here

const LAST_CALL_NOTICE =
  'helve: This is about the last call only. Add --turn for everything since your last prompt, which will become the default, or --calls 1 to keep the last call.';

/** Where the command runs, and whether a user can answer. */
export interface UndoSurroundings {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  out: Writable;
  errors: Writable;
  /** The columns of the terminal; undefined without one. */
  width?: number | undefined;
  /** Undefined without a terminal. */
  ask?: (question: string) => Promise<string>;
}

/** Undoes changes to files by calls of a session. */
export async function undo(argv: readonly string[], at: UndoSurroundings = ofProcess()): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    session: { type: 'string' },
    call: { type: 'string' },
    calls: { type: 'string' },
    turn: { type: 'boolean' },
    prompts: { type: 'string' },
    list: { type: 'boolean' },
    sessions: { type: 'boolean' },
    force: { type: 'boolean' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (positionals.length > 0) {
    throw new UsageProblem(
      `helve undo takes no argument such as "${positionals[0]}". To undo one call, use --call ID.`,
    );
  }
  const selection = readSelection(values);
  const usualFolder = realName(dataFolderOf({ env: at.env }));
  // A journal that can't be read or written must not prevent an undo in another one.
  const recovered = await recoverChanges(usualFolder, takeBackUndo).catch(() => undefined);
  const recovery = recovered && describeRecovery(recovered, titlesIn(usualFolder));
  if (recovery !== undefined) await writeLine(at.errors, `helve: ${recovery}`);
  let sessionId = '';
  try {
    if (values.sessions) return await listUndoSessions(usualFolder, at, { json: values.json === true });
    const place = await findSession(usualFolder, values.session ?? 'last', at.cwd);
    sessionId = place.sessionId;
    const { dataFolder } = place;
    if (values.list) {
      const calls = await listUndoable(dataFolder, sessionId);
      return await list(calls, sessionId, { at, json: values.json, outline: outlineSession(dataFolder, sessionId) });
    }
    const isSure = values.yes === true || values['dry-run'] === true;
    const isOpen = selection === undefined && at.ask !== undefined && !isSure && !values.json;
    const chosen = isOpen && at.ask ? await chooseUndo(place, { ...at, ask: at.ask }) : (selection ?? { calls: 1 });
    if (!chosen) return await cancelled(at);
    if (selection === undefined && !isOpen && (await isAmbiguous(place)))
      await writeLine(at.errors, wrapped(LAST_CALL_NOTICE, at.errors));
    const selected =
      'prompts' in chosen
        ? selectSincePrompt(dataFolder, sessionId, await listUndoable(dataFolder, sessionId), chosen.prompts)
        : chosen;
    const plan = await planUndo(dataFolder, sessionId, selected, { cwd: at.cwd, force: values.force === true });
    if (!isSure && (!at.ask || values.json)) {
      throw new UsageProblem(
        'helve undo asks before it changes files, and there is no terminal to ask on. Use --yes to go ahead, or --dry-run to preview.',
      );
    }
    const code = await carryOut(plan, at, { ...values, dryRun: values['dry-run'] });
    if ('calls' in chosen && plan.calls.length < chosen.calls) {
      const more = await otherSessions(usualFolder, sessionId);
      const count = counted(plan.calls.length, 'call');
      await writeLine(at.errors, `helve: The session ${sessionId} had only ${count} to undo.${more}`);
    }
    return code;
  } catch (error) {
    if (!(error instanceof UndoFailure)) throw error;
    const { message, takeBack } = error;
    const next = takeBack === undefined ? '' : ` To reverse that undo: ${undoCommand(sessionId, takeBack)}`;
    const more = takeBack === undefined ? '' : await otherSessions(usualFolder, sessionId);
    await writeLine(at.errors, wrapped(`helve: ${visible(`${message}${more}${next}`)}`, at.errors));
    return exitCode.failed;
  }
}

/** How to find the calls of other sessions, if there are any. */
async function otherSessions(usualFolder: string, sessionId: string): Promise<string> {
  const others = (await undoPlaces(usualFolder)).filter((place) => place.sessionId !== sessionId);
  return others.length === 0 ? '' : ' Other sessions have changed files too: helve undo --sessions lists them.';
}

/** A command that works in any folder. */
const undoCommand = (sessionId: string, callId: string): string => `helve undo --session ${sessionId} --call ${callId}`;

function ofProcess(): UndoSurroundings {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    env: process.env,
    cwd: process.cwd(),
    out: process.stdout,
    errors: process.stderr,
    width: terminalWidth(),
    ...(isTerminal && { ask: askTerminal }),
  };
}

async function askTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // Closing the input without an answer, as Ctrl-C does, means no.
    const closed = new Promise<string>((done) => terminal.once('close', () => done('')));
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}

interface Choices {
  call?: string | undefined;
  calls?: string | undefined;
  turn?: boolean | undefined;
  prompts?: string | undefined;
  list?: boolean | undefined;
  sessions?: boolean | undefined;
}

/** Undefined if the command says nothing about it. */
function readSelection({
  call,
  calls,
  turn,
  prompts,
  list,
  sessions,
}: Choices): UndoSelection | { prompts: number } | undefined {
  const flags = [turn, list, sessions].map((flag) => flag || undefined);
  const chosen = [call, calls, prompts, ...flags].filter((choice) => choice !== undefined);
  if (chosen.length > 1) {
    throw new UsageProblem(
      '--call, --calls, --turn, --prompts, --list and --sessions exclude each other. Leave all but one out.',
    );
  }
  if (call !== undefined) return { callIds: [call] };
  if (turn) return { prompts: 1 };
  if (prompts !== undefined) return { prompts: countOf('--prompts', 'prompts to go back by', prompts) };
  return calls === undefined ? undefined : { calls: countOf('--calls', 'calls to undo', calls) };
}

function countOf(option: string, what: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageProblem(`${option} takes the number of ${what}, such as 3, but was "${text}".`);
}

/** The session with that id or prefix, or the last one that changed files here. */
async function findSession(usualFolder: string, wanted: string, cwd: string): Promise<UndoPlace> {
  const places = await undoPlaces(usualFolder);
  const [newest] = places;
  const running = runningCalls(journalFolders(usualFolder), wanted === 'last' ? undefined : wanted);
  if (!newest) {
    if (running.length > 0) throw new UndoFailure(stillRunning(wanted));
    throw new UndoFailure(
      `No session in ${usualFolder} has changed files yet, so there is nothing to undo.${waitingElsewhere(usualFolder)}`,
    );
  }
  if (wanted !== 'last') {
    const same = places.find(({ sessionId }) => sessionId === wanted);
    if (same) return same;
    const meant = places.filter(({ sessionId }) => wanted !== '' && startsWith(sessionId, wanted));
    if (meant.length === 1 && meant[0]) return meant[0];
    if (meant.length > 1) throw new UndoFailure(ambiguous(wanted, meant));
    if (running.length > 0) throw new UndoFailure(stillRunning(wanted));
    throw new UndoFailure(
      `There is no session "${wanted}" that changed files in the last 30 days. The latest is ${newest.sessionId}; helve undo --sessions lists all of them.${waitingElsewhere(usualFolder)}`,
    );
  }
  const here = realPathSync(cwd);
  for (const place of places.slice(0, MAX_SESSIONS)) {
    const changes = await listChanges(place.dataFolder, place.sessionId);
    if (changes.some((change) => touchedBy(change).some((real) => isInside(here, real)))) return place;
  }
  const [elsewhere] = (await listChanges(newest.dataFolder, newest.sessionId)).flatMap(touchedBy);
  const where = elsewhere === undefined ? '' : `, in ${dirname(elsewhere)}`;
  throw new UndoFailure(
    `No session has changed files below ${here}. The last one that changed files was ${newest.sessionId}${where}. If you mean that, use --session ${newest.sessionId}; if the project was moved, move it back first.${waitingElsewhere(usualFolder)}`,
  );
}

const stillRunning = (wanted: string): string =>
  `The first command of ${wanted === 'last' ? 'a session' : `session ${wanted}`} is still running, and what it changes is listed at its end. Stop it in that session or wait for the end, then undo again.`;

const startsWith = (id: string, beginning: string): boolean => id.toLowerCase().startsWith(beginning.toLowerCase());

function ambiguous(wanted: string, meant: ReadonlyArray<{ sessionId: string; changedAt: Date }>): string {
  const shown = meant
    .slice(0, MAX_CANDIDATES)
    .map(({ sessionId, changedAt }) => `\n  ${sessionId}  (${localSecond(changedAt.getTime())})`);
  const more = meant.length > shown.length ? `\n  and ${meant.length - shown.length} more` : '';
  return `"${wanted}" is the beginning of ${meant.length} ids of sessions that changed files:${shown.join('')}${more}\nGive more of the one you mean.`;
}

async function list(
  calls: readonly UndoableCall[],
  sessionId: string,
  { at, json, outline }: { at: UndoSurroundings; json: boolean | undefined; outline: SessionOutline },
): Promise<number> {
  if (json) {
    const told = calls.map(({ position: _, ...call }) => ({ ...call, ...outline.calls.get(call.callId) }));
    const prompts = outline.prompts.map(({ at: when, text }) => ({ at: new Date(when).toISOString(), text }));
    await writeLine(at.out, jsonText({ session: sessionId, calls: told, prompts }));
    return exitCode.ok;
  }
  const { muted } = await undoLooks(at);
  const ids = calls.map(({ callId }) => callId);
  const idText = (callId: string): string => shortCallId(callId, ids);
  await writeLine(at.out, `Calls of session ${sessionId} that changed files, latest first:`);
  for (const line of undoableLines(calls, outline, at.cwd, { idText })) {
    await writeLine(at.out, visible(line).replace(/\[[^\s[\]]+\]$/, muted));
  }
  if (calls.some(({ isCommand }) => isCommand)) await writeLine(at.out, NEVER_COVERED);
  return exitCode.ok;
}

async function carryOut(
  plan: UndoPlan,
  at: UndoSurroundings,
  options: {
    force?: boolean | undefined;
    yes?: boolean | undefined;
    json?: boolean | undefined;
    dryRun?: boolean | undefined;
  },
): Promise<number> {
  const { force = false, yes = false, json = false, dryRun = false } = options;
  const isBlocked = plan.notCovered.length > 0 || plan.items.some(({ conflict, impossible }) => conflict ?? impossible);
  if (!json) await show(plan, at);
  const isEmpty = plan.items.length === 0 && !isBlocked;
  if (isEmpty && !dryRun) return await finishWithoutChanges(plan, at, { json });
  if (dryRun || (isBlocked && !force)) {
    if (json) await writeLine(at.out, jsonText(asJson(plan, at.cwd)));
    if (!isBlocked || force) return exitCode.ok;
    const outcome = dryRun ? 'This would not be undone' : 'Nothing was undone';
    await writeLine(
      at.errors,
      `helve: ${outcome}, for the reasons above. To undo the rest, and to replace what was changed since, add --force.`,
    );
    return dryRun ? exitCode.ok : exitCode.failed;
  }
  if (!yes && plan.items.length > 0) {
    const answer = (await at.ask?.('Undo this? [y/N] ')) ?? '';
    if (!/^y(es)?$/i.test(answer.trim())) {
      return await cancelled(at);
    }
  }
  const outcome = await applyUndo(plan, { force }).catch((error: unknown) => {
    // An undo that stopped in the middle reports that itself.
    const isWhole = error instanceof UndoFailure && error.message.startsWith('Nothing was undone');
    const cause = isWhole ? error.cause : error;
    if (!isUnwritable(cause, plan.dataFolder)) throw error;
    throw new UndoFailure(
      `Nothing was undone, because an undo is recorded in the data folder first, and ${plan.dataFolder} can't be written: ${clause(cause.message)}. Make it writable, then run the same helve undo again.`,
    );
  });
  await writeLine(at.out, json ? jsonText(asJson(plan, at.cwd, outcome)) : await resultText(plan, outcome, at));
  return exitCode.ok;
}

async function cancelled(at: UndoSurroundings): Promise<number> {
  await writeLine(at.out, 'Nothing was undone.');
  return exitCode.failed;
}

/** Whether it is the data folder that can't be written, and not a file of the project. */
const isUnwritable = (error: unknown, folder: string): error is Error =>
  error instanceof JournalUnwritable ||
  (error instanceof Error && 'path' in error && typeof error.path === 'string' && isInside(folder, error.path));

/**
 * There is nothing to do. Calls whose changes are all known are marked as undone, so that the next undo goes a step
 * further.
 */
async function finishWithoutChanges(
  plan: UndoPlan,
  at: UndoSurroundings,
  { json }: { json: boolean },
): Promise<number> {
  const outcome = plan.unclaimed.length > 0 ? undefined : await applyUndo(plan);
  if (json) await writeLine(at.out, jsonText(asJson(plan, at.cwd, outcome)));
  const next = outcome
    ? `${plan.calls.map(({ callId }) => callId).join(', ')} counts as undone, so that the next helve undo goes one step further.`
    : `To undo what may be the work of another session, add --force.${await callBefore(plan)}`;
  await writeLine(at.errors, `helve: Nothing was undone. ${next}`);
  return exitCode.failed;
}

async function callBefore({ dataFolder, sessionId, calls }: UndoPlan): Promise<string> {
  const open = (await listUndoable(dataFolder, sessionId)).filter((call) => !call.undoes && !call.undoneBy);
  return open.length > calls.length ? ` To undo the call before as well, say --calls ${calls.length + 1}.` : '';
}

async function show(plan: UndoPlan, at: UndoSurroundings): Promise<void> {
  const { dataFolder, sessionId, calls, items, notCovered, notes, unclaimed, hasCommands } = plan;
  await writeLine(at.out, `To undo, of session ${sessionId}:`);
  for (const line of planLines(calls, outlineSession(dataFolder, sessionId), at.cwd)) {
    await writeLine(at.out, visible(line));
  }
  for (const lines of (await undoLooks(at)).changes(items, at.cwd)) await writeLine(at.out, lines);
  if (items.length === 0 && notCovered.length + unclaimed.length === 0) await writeLine(at.out, NOTHING_TO_DO);
  for (const why of notCovered) await writeLine(at.out, visible(`! ${why}`));
  for (const note of [...notes, ...unclaimedLines(unclaimed, at.cwd), ...runningLines(plan)]) {
    await writeLine(at.out, wrapped(visible(note), at.out));
  }
  if (hasCommands) await writeLine(at.out, wrapped(NEVER_COVERED, at.out));
}

async function resultText(plan: UndoPlan, { done, left, undoId }: UndoOutcome, at: UndoSurroundings): Promise<string> {
  const lines = left.map(({ real, why }) => visible(`Left: ${shortPath(at.cwd, real)}, because ${clause(why)}.`));
  const { muted } = await undoLooks(at);
  const reversal = muted(`To reverse this undo: ${undoCommand(plan.sessionId, undoId)}`);
  return [...lines, restoredWords(plan, done), reversal].join('\n');
}

function asJson(
  { sessionId, calls, items, notCovered, notes, unclaimed, running }: UndoPlan,
  cwd: string,
  outcome?: UndoOutcome,
): object {
  return {
    session: sessionId,
    calls: calls.map(({ callId }) => callId),
    files: items.map(({ real, action, diff, conflict, impossible, stays }) => ({
      path: real,
      shown: shortPath(cwd, real),
      action,
      diff,
      conflict,
      impossible,
      stays,
    })),
    notCovered,
    notes,
    unclaimed,
    running,
    applied: outcome !== undefined,
    ...(outcome && { undo: outcome.undoId, done: outcome.done, left: outcome.left }),
  };
}
