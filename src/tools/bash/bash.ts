import { realpath, rm, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { ToolFailure } from '../../contract/failure.js';
import { defineTool, type ToolProgress } from '../../contract/tool.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { readLastLines, readOutput } from '../../platform/shell/read-output.js';
import { type ProcessResult, runProcess } from '../../platform/shell/run-process.js';
import { description } from './description.js';
import { meaningOfExitOne } from './exit-meaning.js';
import { DEFAULT_TIMEOUT_MS, MAX_OUTPUT_CHARS, MAX_TIMEOUT_MS } from './limits.js';

const MAX_FAILURE_CHARS = 10_000; // the end says what went wrong, the beginning what was done; the middle rarely helps
const MAX_NOTES_CHARS = 10_000; // paths may be 4,096 long each
const TIMEOUT_LINES = 40;
const PROGRESS_LINES = 5;
const MAX_PROGRESS_CHARS = 1_000;
const PROGRESS_MS = 500;
const MAX_TITLE_CHARS = 120; // of a command within a sentence
const LONGEST_TIMER_MS = 2 ** 31 - 1; // a longer one would fire at once

const input = z.strictObject({
  command: z.string().min(1).describe('The command, exactly as bash shall see it. It may have several lines.'),
  timeout: z
    .number()
    .positive()
    .optional()
    .describe(
      `Milliseconds after which the command is stopped. Default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}; more counts as the most.`,
    ),
  description: z.string().optional().describe('For the user, in 5 to 10 plain words: what the command does.'),
});

export interface BashData {
  output: string;
  exitCode: number;
  /** What the tool itself has to say: what the exit code means, where the directory is now. */
  notes: readonly string[];
  durationMs: number;
  /** The whole output, where it was too long to be shown or still grows. */
  outputFile?: string;
}

export const bashTool = defineTool({
  name: 'Bash',
  description,
  input,
  preload: async () => process.getBuiltinModule('node:child_process'),
  maxResultChars: MAX_OUTPUT_CHARS + MAX_NOTES_CHARS, // the output is already cut to its own limit when the engine sees it

  effects: ({ command }) => [
    { kind: 'command', text: command, harmless: false },
    { kind: 'unknown', why: 'the command is not analysed, so it could touch anything' },
    { kind: 'session', access: 'write', what: 'cwd' },
  ],

  async *execute({ command, timeout }, context): AsyncGenerator<ToolProgress, BashData, void> {
    const place = await workingDirectory(context);
    const timeoutMs = timeoutFor(timeout, context.env);
    const outputFile = await context.session.resultFile(`${context.callId}.txt`);
    const result = yield* runWithProgress(command, { cwd: place.cwd, timeoutMs, outputFile }, context);

    const moved = await carryDirectory(result.finalCwd, place.cwd, context);
    const notes = [place.note, moved, result.leftRunning ? leftRunningNote(outputFile) : undefined];
    const ending = await describeEnding(result, command, timeoutMs);
    if (!ending.cut && !result.leftRunning) await rm(outputFile, { force: true });
    if (ending.failure !== undefined) {
      throw new ToolFailure(lines([ending.failure, ending.output || '(no output)', ...notes]), {
        ...(result.aborted && { kind: 'interrupted', cause: context.signal.reason }),
      });
    }
    return {
      output: ending.output,
      exitCode: result.exitCode ?? 0,
      notes: [ending.meaning, ...notes].filter((note) => note !== undefined),
      durationMs: result.durationMs,
      ...((ending.cut || result.leftRunning) && { outputFile }),
    };
  },

  toModel: ({ output, notes }) => lines([output || '(no output)', ...notes]),

  displayCall: ({ command = '' }) => ({ title: firstLine(command) }),
  displayResult: (data, { command }) => ({
    title: firstLine(command),
    body: { type: 'text', text: lines([data.output || '(no output)', ...data.notes]) },
  }),
  displayRefusal: ({ command }) => ({ title: firstLine(command), body: { type: 'text', text: command } }),
});

/** The session's directory, or the project's root where that is gone: a shell can't start in a directory that isn't. */
async function workingDirectory({ cwd, root, session }: ToolContext): Promise<{ cwd: string; note?: string }> {
  if (await isDirectory(cwd)) return { cwd };
  if (!(await isDirectory(root))) {
    throw new ToolFailure(
      `The command was not run: neither the working directory ${cwd} nor the project's root ${root} exists any more. Ask the user where to go on.`,
    );
  }
  session.changeDirectory(root);
  return {
    cwd: root,
    note: `The working directory ${cwd} no longer exists, so the command ran in the project's root, ${root}.`,
  };
}

function timeoutFor(asked: number | undefined, env: ToolContext['env']): number {
  const standard =
    positiveInteger(env['CLAUDE_BASH_TIMEOUT_MS']) ??
    positiveInteger(env['BASH_DEFAULT_TIMEOUT_MS']) ??
    DEFAULT_TIMEOUT_MS;
  // Whoever sets a longer default than the limit wants commands to take that long.
  return Math.min(asked ?? standard, Math.max(standard, MAX_TIMEOUT_MS), LONGEST_TIMER_MS);
}

async function* runWithProgress(
  command: string,
  { cwd, timeoutMs, outputFile }: { cwd: string; timeoutMs: number; outputFile: string },
  { env, root, session, signal }: ToolContext,
): AsyncGenerator<ToolProgress, ProcessResult, void> {
  const envFile = env['HELVE_ENV_FILE'] || env['CLAUDE_ENV_FILE'];
  const left = new AbortController(); // whoever stops reading our progress has given up the call
  const running = runProcess({
    command,
    cwd,
    env,
    outputFile,
    timeoutMs,
    signal: AbortSignal.any([signal, left.signal]),
    ...(envFile && { sourceFile: resolve(root, envFile) }),
    onRunning: (kill) => session.whileRunning(kill),
    onLeftRunning: (end) => session.atEnd(end),
  });
  try {
    const done = running.then(() => true);
    let shown = '';
    while (!(await Promise.race([done, delay(PROGRESS_MS, false, { ref: false })]))) {
      const { text } = await readLastLines(outputFile, { lines: PROGRESS_LINES, maxChars: MAX_PROGRESS_CHARS });
      if (text === shown) continue;
      shown = text;
      yield { text };
    }
    return await running;
  } finally {
    left.abort();
    await Promise.allSettled([running]);
  }
}

/** Makes the directory that the command ended in the session's, and says so where that is another one. */
async function carryDirectory(
  finalCwd: string | undefined,
  cwd: string,
  { session }: ToolContext,
): Promise<string | undefined> {
  if (finalCwd === undefined || !(await isDirectory(finalCwd))) return undefined;
  const before = await realpath(cwd).catch(() => undefined);
  if (finalCwd === before) return undefined;
  session.changeDirectory(finalCwd);
  return `The working directory is now ${finalCwd}.`;
}

const leftRunningNote = (outputFile: string): string =>
  `A process that the command started is still running and ends with the session, unless it has detached itself; what it writes goes to ${outputFile}.`;

interface Ending {
  output: string;
  cut: boolean;
  /** The first line of the failure that this is. */
  failure?: string;
  /** What the exit code says, where it is an answer. */
  meaning?: string;
}

async function describeEnding(result: ProcessResult, command: string, timeoutMs: number): Promise<Ending> {
  if (result.timedOut) {
    const tail = await readLastLines(result.outputFile, { lines: TIMEOUT_LINES, maxChars: MAX_FAILURE_CHARS });
    return { output: tail.text, cut: tail.cut, failure: timeoutText(command, timeoutMs, result.outputFile, tail.cut) };
  }
  const exitCode = result.exitCode ?? 128 + constants.signals[result.signal ?? 'SIGKILL'];
  const meaning = exitCode === 1 ? meaningOfExitOne(command) : undefined;
  const failed = result.aborted || result.capped || (exitCode !== 0 && meaning === undefined);
  const { text, cut } = await readOutput(result.outputFile, {
    maxChars: failed ? MAX_FAILURE_CHARS : MAX_OUTPUT_CHARS,
  });
  const output = text.replace(/\s+$/, '');
  if (!failed) return { output, cut, ...(meaning && { meaning: `(exit code 1: ${meaning})` }) };
  if (result.aborted) return { output, cut, failure: abortText(result) };
  if (result.capped) return { output, cut, failure: capText(result) };
  return { output, cut, failure: exitText(exitCode, result.signal) };
}

function timeoutText(command: string, timeoutMs: number, outputFile: string, cut: boolean): string {
  const shown = cut
    ? `The last ${TIMEOUT_LINES} lines of output follow, all of it is in ${outputFile}.`
    : 'Its output follows.';
  const next = timeoutMs < MAX_TIMEOUT_MS ? 'Run a smaller part, or raise timeout' : 'Run a smaller part';
  const title = firstLine(command);
  const name = title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS)}…` : title;
  return `${name} did not finish in ${timeoutMs / 1000} s and was stopped. ${shown} ${next}.`;
}

const abortText = ({ durationMs }: ProcessResult): string =>
  `The command was interrupted after ${(durationMs / 1000).toFixed(1)} s and everything it had started was ended. What it did before that stands. Its output until then:`;

const capText = ({ outputBytes, outputFile }: ProcessResult): string =>
  `The command wrote more than ${Math.floor(outputBytes / 1024 / 1024)} MiB of output and was stopped. What it wrote until then is in ${outputFile}; its beginning and end follow. Filter the output, or send it to a file.`;

function exitText(exitCode: number, signal: NodeJS.Signals | null): string {
  if (signal !== null) return `Exit code ${exitCode} (the shell was ended by ${signal})`;
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return `Exit code ${exitCode}${name ? ` (128 + ${exitCode - 128}: a process was ended by ${name})` : ''}`;
}

function positiveInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

function firstLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
}

const lines = (parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n');
