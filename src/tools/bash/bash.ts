import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { ToolFailure } from '../../contract/failure.js';
import { type DisplayBody, defineTool, type ToolProgress } from '../../contract/tool.js';
import type { DescribeContext, SessionPort, ToolContext } from '../../contract/tool-context.js';
import { limitsFrom } from '../../platform/shell/limits.js';
import type { ProcessResult } from '../../platform/shell/run-process.js';
import type { WrapShell } from '../../platform/shell/wrap-shell.js';
import { grouped } from '../../platform/text/digits.js';
import { shortDuration } from '../../platform/text/duration.js';
import { refusal } from '../refusal.js';
import { confinedShell, probeConfinement } from './confined.js';
import { describeEnding, limitFact, limitNote } from './describe-ending.js';
import {
  backgroundLife,
  DEFAULT_TIMEOUT_MS,
  MAX_OUTPUT_CHARS,
  MAX_TIMEOUT_MS,
  MOST_OUTPUT_CHARS,
  positiveInteger,
  timeoutFor,
  timeoutNote,
} from './limits.js';
import { refusalNote, refusedCommands, sandboxNote } from './refused-commands.js';
import { type BackgroundStart, runWithProgress, startInBackground } from './run-command.js';
import { sessionOutput } from './session-bounds.js';
import { sessionAnalyzer, sessionShells } from './session-shells.js';
import { watchShown } from './shown-files.js';
import { firstLine, seconds } from './title.js';
import { type WatchedChanges, watchChanges } from './watched-changes.js';
import { carryDirectory, workingDirectory } from './working-directory.js';

const MAX_NOTES_CHARS = 10_000; // paths may be 4,096 long each
const MAX_REPEATS = 2; // for a command whose hidden files change while it runs
const REFILL_MS = 20; // after a result, so that the next request is sent first
const LONG_MS = 10_000; // from here on the model learns the duration
const TOLD_MS = 1_000; // and the person from here on

const simpleAdvice = 'Read (cat, head), Edit (sed)';
const advice = 'Read (cat, head), Glob (find), Grep (rg), Edit (sed), Write (echo >)';

/** Names only tools that are enabled. */
const description = ({
  mode,
}: Pick<DescribeContext, 'mode'>): string => `Run a command in bash; standard output and error come together.
For builds, tests, git and programs. Not where a tool does it: ${mode === 'simple' ? simpleAdvice : advice}.
- Each is a new bash: the working directory carries over, variables and functions do not.
- Send independent commands as separate calls. No terminal, no input: pass -y, --no-edit, -m.
- Risky commands ask the user. Do not look for another way around a refusal.
- Stopped after ${seconds(DEFAULT_TIMEOUT_MS)} or timeout. Output over ${grouped(MAX_OUTPUT_CHARS)} characters is cut; a file has the whole.
- run_in_background, for servers and long builds, gives an ID at once. You are notified when it ends, so don't sleep. ${mode === 'simple' ? 'Read shows its output.' : 'BashOutput shows its output, KillShell ends it.'} It ends with the session, as does what & leaves behind.`;

const input = z.strictObject({
  command: z.string().min(1),
  // A longer one is capped, with a note: refusing it would cost the model a turn.
  timeout: z.number().positive().optional().meta({ description: 'Milliseconds', maximum: MAX_TIMEOUT_MS }),
  description: z.string().optional().describe('For the user, in 5 to 10 words'),
  run_in_background: z.boolean().optional(),
  dangerouslyDisableSandbox: z.boolean().optional().describe('The user is asked each time'),
});

type BashInput = z.output<typeof input>;

export interface BashData {
  output: string;
  /** The output with ANSI colours, for a terminal; undefined if it has none. */
  styledOutput?: string;
  /** Undefined while the command runs in the background. */
  exitCode?: number;
  /** The tool's own notes for the model: the meaning of the exit code, a changed directory. */
  notes: readonly string[];
  /** The same for the person, in a few words. */
  facts: readonly string[];
  durationMs: number;
  /** The session's working directory after the command. */
  cwd: string;
  /** The file with the whole output, if that was too long to show or is still growing. */
  outputFile?: string;
  /** The id for BashOutput and KillShell. */
  backgroundId?: string;
}

export const bashTool = defineTool({
  name: 'Bash',
  about: 'Runs a shell command.',
  traits: {
    family: 'command',
    subject: ['command'],
    fields: ['command', 'timeout', 'description', 'run_in_background', 'dangerouslyDisableSandbox'],
    printsCommands: true,
  },
  description,
  input,
  async preload(session) {
    await session.own(sessionShells).fill();
    await (await session.own(sessionAnalyzer)).preload();
  },
  maxResultChars: MOST_OUTPUT_CHARS + MAX_NOTES_CHARS, // the tool has already cut the output to its own limit

  async effects({ command, dangerouslyDisableSandbox }, { cwd, session }) {
    const analyzer = await session.own(sessionAnalyzer);
    const { home, workspace } = session;
    const [effects] = await Promise.all([
      analyzer.effects(command, { cwd, workspace, ...(home !== undefined && { home }) }),
      probeConfinement(session),
    ]);
    const refusal = session.own(refusedCommands).whyRefused(command);
    if (refusal !== undefined) effects.push({ kind: 'unknown', why: refusal });
    // A separate effect, with or without a sandbox: a rule that allows the command does not allow this.
    if (dangerouslyDisableSandbox) effects.push({ kind: 'unknown', why: 'it is to run outside the sandbox' });
    return effects;
  },

  async validate({ command }) {
    refuseTypedPatch(command);
    return undefined;
  },

  async *execute(asked, context): AsyncGenerator<ToolProgress, BashData, void> {
    const watching = watchChanges(context, asked.command);
    try {
      return yield* run(asked, context, watching);
    } finally {
      const watched = await watching.catch(() => undefined); // if it failed, the command has not run
      await watched?.ended();
    }
  },

  toModel: ({ output, notes, backgroundId }) => lines([output || (backgroundId ? '' : NO_OUTPUT), ...notes]),

  // stdout and stderr are merged, so nothing is known to be stderr only.
  toHooks: ({ output, backgroundId }) => ({
    stdout: output,
    stderr: '',
    interrupted: false,
    isImage: false,
    ...(backgroundId !== undefined && { backgroundTaskId: backgroundId }),
  }),

  displayCall: ({ command = '' }) => ({ title: firstLine(command) }),
  displayResult: (data, { command }) => ({
    title: firstLine(command),
    facts: data.facts,
    ...(data.backgroundId !== undefined && { background: data.backgroundId }),
    ...(data.output !== '' && { body: outputBody(data.output, data.styledOutput) }),
  }),
  displayRefusal: ({ command }) => ({ title: firstLine(command), body: { type: 'text', text: command } }),
});

const outputBody = (text: string, styled: string | undefined): DisplayBody => ({
  type: 'output',
  text,
  ...(styled !== undefined && { styled: styled.trimEnd() }),
});

const NO_OUTPUT = '(no output)';

const TYPED_PATCH = /apply_patch\s(?<=(?:^|[;&|\n])\s*apply_patch\s)/;

/** Models that were trained on patches know apply_patch as a program, and type patches into shells. */
function refuseTypedPatch(command: string): void {
  const typed = command.search(TYPED_PATCH);
  if (typed === -1 || !command.includes('*** Begin Patch', typed + 'apply_patch '.length)) return;
  throw refusal('apply_patch is a tool, not a program, so the command was not run.', {
    advice:
      'If you have the tool, send it the patch as its input, alone and with paths from the working directory. Otherwise make the changes by Edit, MultiEdit or Write.',
  });
}

/** The sandbox code is loaded only if a sandbox is configured. */
async function sandboxOf(context: ToolContext, leaves: boolean | undefined): Promise<WrapShell | undefined> {
  const { confinement = 'approved', session } = context;
  if (confinement !== 'sandbox' && !(session.sandbox && confinement === 'approved')) return undefined;
  const { sandboxFor } = await import('./sandboxed.js');
  return await sandboxFor(context, { leaves });
}

async function* run(
  asked: BashInput,
  context: ToolContext,
  watching: Promise<WatchedChanges | undefined>,
): AsyncGenerator<ToolProgress, BashData, void> {
  const prepared = await prepare(asked, context, watching);
  const { toRun, timeoutMs, confined, watched } = prepared;
  if (watched?.warning !== undefined) yield { text: watched.warning };
  if (asked.run_in_background) {
    return inBackground(await startInBackground(toRun, timeoutMs, context), prepared, context);
  }
  const shown = await watchShown(asked.command, context);
  let result = yield* runWithProgress(toRun, timeoutMs, context);
  if ('backgroundId' in result) return inBackground(result, prepared, context);
  // A hidden file was replaced or added while it ran: its output can't be trusted, and it changed nothing, so it runs
  // again.
  let current = confined;
  for (let again = 0; current?.hasChanged(); again += 1) {
    if (result.outputFile !== undefined) await rm(result.outputFile, { force: true });
    if (again === MAX_REPEATS) throw hiddenFilesChange();
    current = await confinedShell(context);
    result = yield* runWithProgress({ ...toRun, wrap: current?.wrap ?? toRun.wrap }, timeoutMs, context);
    if ('backgroundId' in result) return inBackground(result, prepared, context);
  }
  if (confined) refillLater(context.session);
  return await report(result, prepared, context, shown);
}

type PreparedRun = Awaited<ReturnType<typeof prepare>>;

/** Everything that has to be known before the command starts. */
async function prepare(
  { command, description, timeout, run_in_background, dangerouslyDisableSandbox: leaves }: BashInput,
  context: ToolContext,
  watching: Promise<WatchedChanges | undefined>,
) {
  const limits = limitsFrom(context.env);
  const outputFile = (): Promise<string> => context.session.resultFile(`${context.callId}.txt`);
  const [place, sandboxed, confined, watched] = await Promise.all([
    workingDirectory(context),
    sandboxOf(context, leaves),
    confinedShell(context, { leaves }),
    watching,
  ]);
  const timeoutMs = run_in_background ? backgroundLife(timeout) : timeoutFor(timeout, context.env);
  const cutNote = timeoutNote(timeout, timeoutMs);
  const wrap = confined?.wrap ?? sandboxed;
  const toRun = { command, description, cwd: place.cwd, outputFile, limits, wrap, watched };
  return { toRun, place, sandboxed, confined, watched, limits, timeoutMs, cutNote };
}

function inBackground(
  { backgroundId, output, note, outputFile, durationMs, isMoved }: BackgroundStart,
  { place, watched, cutNote }: PreparedRun,
  { cwd }: ToolContext,
): BashData {
  const notes = known([place.note, watched?.note, watched?.warning, cutNote, note]);
  const facts = [place.fact, isMoved ? 'moved to the background' : 'in the background', undoFact(watched)];
  return { output, notes, facts: known(facts), durationMs, cwd, outputFile, backgroundId };
}

/** The data of a command that has ended. Throws `ToolFailure` if it failed. */
async function report(
  result: ProcessResult,
  { toRun, place, sandboxed, confined, watched, limits, timeoutMs, cutNote }: PreparedRun,
  context: ToolContext,
  shown: Awaited<ReturnType<typeof watchShown>>,
): Promise<BashData> {
  const { command } = toRun;
  const [moved, ending, lost] = await Promise.all([
    carryDirectory(result.finalCwd, place.cwd, context),
    describeEnding(result, command, {
      timeoutMs,
      limits,
      maxChars: maxOutputChars(context.env),
      room: context.session.own(sessionOutput),
    }),
    watched?.ended(result),
  ]);
  const outputFile = ending.cut || result.leftRunning ? await result.save() : undefined;
  const notes = [
    place.note,
    moved?.note,
    ending.hasOtherBytes ? 'Bytes of the output that are not UTF-8 text are shown as \ufffd.' : undefined,
    limitNote(result, limits),
    result.durationMs >= LONG_MS ? `It took ${seconds(result.durationMs)}.` : undefined,
    result.leftRunning && outputFile !== undefined ? leftRunningNote(outputFile) : undefined,
    watched?.note,
    cutNote,
    watched?.warning,
    lost,
    confined?.note,
    confined && result.exitCode !== 0 ? refusalNote(command, ending.output, context) : undefined,
    !confined && sandboxed && context.session.sandbox && result.exitCode !== 0
      ? sandboxNote(ending.output, context.session.sandbox)
      : undefined,
  ];
  const facts = known([
    place.fact,
    moved?.fact,
    result.leftRunning ? 'left a process running' : undefined,
    undoFact(watched, lost),
    result.durationMs >= TOLD_MS ? shortDuration(result.durationMs) : undefined,
  ]);
  if (!ending.cut && !result.leftRunning) {
    if (result.outputFile !== undefined) await rm(result.outputFile, { force: true });
    context.session.own(sessionOutput).giveBack(result.outputBytes);
  }
  if (ending.failure !== undefined) {
    throw new ToolFailure(lines([ending.failure, ending.output || NO_OUTPUT, ...notes]), {
      ...(result.stoppedBy === 'abort' && { kind: 'interrupted', cause: context.signal.reason }),
      ...(ending.styled !== undefined && { data: { output: ending.output, styledOutput: ending.styled } }),
      ...(ending.problem !== undefined && { problem: ending.problem }),
      display: { facts, body: outputBody(ending.output, ending.styled) },
    });
  }
  if (!ending.cut) await shown?.ended(ending.output);
  const said = [...known([ending.meaning, limitFact(result)]), ...facts];
  return {
    output: ending.output,
    ...(ending.styled !== undefined && { styledOutput: ending.styled }),
    exitCode: result.exitCode ?? 0,
    notes: known([ending.meaning && `(exit code 1: ${ending.meaning})`, ...notes]),
    facts: ending.output === '' && said.length === 0 ? ['no output'] : said,
    durationMs: result.durationMs,
    cwd: context.cwd,
    ...(outputFile !== undefined && { outputFile }),
  };
}

function hiddenFilesChange(): ToolFailure {
  return new ToolFailure(
    'The output was dropped: while the command ran, another program kept replacing files that rules keep from being read, so the command may have read them.',
    { advice: 'Try again when that program has ended.' },
  );
}

/** Starts shells for the next confined commands while the model thinks. */
function refillLater(session: SessionPort): void {
  setTimeout(() => void session.own(sessionShells).fill(), REFILL_MS).unref();
}

function maxOutputChars(env: ToolContext['env']): number {
  return Math.min(positiveInteger(env['BASH_MAX_OUTPUT_LENGTH']) ?? MAX_OUTPUT_CHARS, MOST_OUTPUT_CHARS);
}

/** For the person: whether `helve undo` can take back all that the command did. */
const undoFact = (watched: WatchedChanges | undefined, lost?: string): string | undefined =>
  watched?.note === undefined && watched?.warning === undefined && lost === undefined
    ? undefined
    : 'undo is incomplete';

const known = <Value>(values: ReadonlyArray<Value | undefined>): Value[] =>
  values.filter((value) => value !== undefined);

const leftRunningNote = (outputFile: string): string =>
  `A process that the command started is still running and ends with the session; what it writes goes to ${outputFile}.`;

const lines = (parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n');
