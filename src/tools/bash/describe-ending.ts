import { constants } from 'node:os';
import { type Limits, showSize } from '../../platform/shell/limits.js';
import type { SharedQuota } from '../../platform/shell/output-pipe.js';
import { type ReadOutput, readHeldOutput, readLastLines, readOutput } from '../../platform/shell/read-output.js';
import type { ProcessResult } from '../../platform/shell/run-process.js';
import { meaningOfExitOne } from './exit-meaning.js';
import { MAX_FAILURE_CHARS, MAX_TIMEOUT_MS, TIMEOUT_LINES } from './limits.js';
import { seconds, shortTitle } from './title.js';

interface CommandEnding {
  output: string;
  cut: boolean;
  styled?: string;
  hasOtherBytes?: boolean;
  /** The first line of the failure for the model, if it is one. */
  failure?: string;
  /** The same for the person. */
  problem?: string;
  /** What the exit code means, if it is a result and not an error. */
  meaning?: string;
}

/** The part of the output to show, and whether the command failed. */
export async function describeEnding(
  result: ProcessResult,
  command: string,
  {
    timeoutMs,
    limits,
    maxChars,
    room,
  }: { timeoutMs: number; limits: Limits | undefined; maxChars: number; room: SharedQuota },
): Promise<CommandEnding> {
  const { stoppedBy, outputFile = '' } = result; // a stopped command has one
  if (stoppedBy === 'timeout') {
    const tail = await readLastLines(outputFile, { lines: TIMEOUT_LINES, maxChars: MAX_FAILURE_CHARS });
    const failure = timeoutText(command, timeoutMs, outputFile, tail.cut);
    return {
      output: tail.text,
      cut: tail.cut,
      failure,
      problem: `Stopped: it did not finish in ${seconds(timeoutMs)}`,
    };
  }
  const exitCode = result.exitCode ?? 128 + constants.signals[result.signal ?? 'SIGKILL'];
  const meaning = exitCode === 1 ? meaningOfExitOne(command) : undefined;
  const failed = stoppedBy !== null || (exitCode !== 0 && meaning === undefined);
  const shownChars = failed ? Math.min(maxChars, MAX_FAILURE_CHARS) : maxChars;
  const read = await readResult(result, shownChars);
  const { cut, styled, hasOtherBytes = false } = read;
  const output = read.text.trimEnd();
  const shown = { output, cut, hasOtherBytes, ...(styled !== undefined && { styled }) };
  if (!failed) return { ...shown, ...(meaning && { meaning }) };
  if (stoppedBy === 'output') return { ...shown, ...tooMuchOutput(result, room) };
  if (stoppedBy !== null) return { ...shown, failure: abortText(result), problem: 'Interrupted' };
  return { ...shown, ...exitText(exitCode, result, limits) };
}

/** A short output is read without a file, unless only a part of it is shown: then the model is told where all of it is. */
async function readResult({ heldOutput, outputFile, save }: ProcessResult, maxChars: number): Promise<ReadOutput> {
  if (heldOutput && heldOutput.length <= maxChars) return readHeldOutput(heldOutput);
  return await readOutput(outputFile ?? (await save()), { maxChars });
}

type FailureTexts = Required<Pick<CommandEnding, 'failure' | 'problem'>>;

function timeoutText(command: string, timeoutMs: number, outputFile: string, cut: boolean): string {
  const shown = cut
    ? `The last ${TIMEOUT_LINES} lines of output follow, all of it is in ${outputFile}.`
    : 'Its output follows.';
  const next = timeoutMs < MAX_TIMEOUT_MS ? 'Run a smaller part, raise timeout' : 'Run a smaller part';
  return `${shortTitle(command)} did not finish in ${seconds(timeoutMs)} and was stopped. ${shown} ${next}, or use run_in_background.`;
}

const abortText = ({ durationMs }: ProcessResult): string =>
  `The command was interrupted after ${(durationMs / 1000).toFixed(1)} s and everything it had started was ended. What it did before that stands. Its output until then:`;

function tooMuchOutput(result: ProcessResult, room: SharedQuota): FailureTexts {
  if (room.left() > 0) {
    const problem = `Stopped: it wrote more than ${showSize(result.outputBytes)} of output`;
    return { failure: capText(result), problem };
  }
  const problem = `Stopped: the commands of this session have written ${showSize(room.bytes)} of output, the most that is kept`;
  return { failure: noRoomText(result, room), problem };
}

const noRoomText = ({ outputFile = '' }: ProcessResult, { bytes }: SharedQuota): string =>
  `The command was stopped because the commands of this session have written ${showSize(bytes)} of output together, which is as much as is kept. What it wrote until then is in ${outputFile}; its beginning and end follow. Send output to a file of the project, or ask the user to raise the setting bash.maxSessionOutput.`;

const capText = ({ outputBytes, outputFile = '' }: ProcessResult): string =>
  `The command wrote more than ${showSize(outputBytes)} of output and was stopped. What it wrote until then is in ${outputFile}; its beginning and end follow. Filter the output, or send it to a file.`;

function exitText(
  exitCode: number,
  { signal, limits: report }: ProcessResult,
  limits: Limits | undefined,
): FailureTexts {
  const code = `Exit code ${exitCode}`;
  const isKill = exitCode === 128 + constants.signals.SIGKILL;
  if (isKill && report?.memoryKills && limits?.memoryBytes) {
    const killed = `Killed by the memory limit of ${showSize(limits.memoryBytes)}`;
    const failure = `${code}. ${killed}, which holds for the command and all it starts together. Work on less at a time, or ask the user to raise the limit.`;
    return { failure, problem: `${code}. ${killed}` };
  }
  if (signal !== null) {
    const failure = `${code} (the shell was ended by ${signal})`;
    return { failure, problem: failure };
  }
  // A shell reports a signal as 128 + its number, but programs use such codes too: git exits with 129 on wrong usage.
  const name = deadlySignals.find((each) => constants.signals[each] === exitCode - 128);
  const failure = `${code}${name ? ` (perhaps 128 + ${exitCode - 128}, which is ${name})` : ''}`;
  return { failure, problem: name ? `${code} (perhaps ${name})` : code };
}

const deadlySignals = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const;

/** The same in a few words, for the person. */
export function limitFact({ limits: report }: ProcessResult): string | undefined {
  if (report?.memoryKills) return 'a process was killed by the memory limit';
  return report?.refusedProcesses ? 'the limit of processes was reached' : undefined;
}

/** Effects of resource limits that the exit code may not show. */
export function limitNote({ limits: report }: ProcessResult, limits: Limits | undefined): string | undefined {
  if (report?.memoryKills && limits?.memoryBytes) {
    const count = report.memoryKills === 1 ? 'One process was' : `${report.memoryKills} processes were`;
    return `${count} killed by the memory limit of ${showSize(limits.memoryBytes)}.`;
  }
  if (report?.refusedProcesses && limits?.processes) {
    return `The command reached its limit of ${limits.processes} processes at once, so some could not be started.`;
  }
  return undefined;
}
