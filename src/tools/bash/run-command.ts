// Runs a command: in the foreground with progress, or in the background, to which a running one may move.
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolProgress } from '../../contract/tool.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { monotonicMs } from '../../platform/clock.js';
import { randomHex } from '../../platform/crypto.js';
import { parseSize } from '../../platform/shell/limits.js';
import { readLastLines } from '../../platform/shell/read-output.js';
import {
  MAX_OUTPUT_BYTES,
  type ProcessOptions,
  type ProcessResult,
  type RunningProcess,
  startCommand,
} from '../../platform/shell/run-process.js';
import { DEFAULT_LIFE_MS, LONGEST_TIMER_MS, MAX_FAILURE_CHARS, TIMEOUT_LINES } from './limits.js';
import { assertBackgroundAllowed, sessionOutput } from './session-bounds.js';
import { sessionBackground, sessionShells } from './session-shells.js';
import { environmentFile, environmentFor } from './shell-environment.js';
import { seconds, shortTitle } from './title.js';
import type { WatchedChanges } from './watched-changes.js';

const PROGRESS_LINES = 5;
const MAX_PROGRESS_CHARS = 1_000;
const PROGRESS_MS = 500;

/** A command, with the sandbox that it runs in and what tracks the files that it changes. */
type WatchedCommand = Pick<ProcessOptions, 'command' | 'cwd' | 'limits' | 'wrap'> & {
  /** Creates the file for its output. */
  outputFile(): Promise<string>;
  /** In the model's words. */
  description: string | undefined;
  watched: WatchedChanges | undefined;
};

/** A command that runs in the background, as the call reports it. */
export interface BackgroundStart {
  /** The id for BashOutput and KillShell. */
  backgroundId: string;
  /** The last lines of what it has written so far. */
  output: string;
  note: string;
  outputFile: string;
  durationMs: number;
  /** It ran in the foreground first. */
  isMoved: boolean;
}

/** Options shared by foreground and background commands. */
function commonOptions(
  { watched: _, description: __, ...asked }: WatchedCommand,
  { env, root, session, approved, confinement }: ToolContext,
) {
  const harmless = environmentFor(approved, { env, confinement });
  const [sourceFile] = environmentFile(env, root);
  let kill = (): void => {};
  /** Lists it among running tasks, now that it may outlive the call. */
  const nameToPerson = (what: string): void => void session.whileRunning(kill, what);
  const options = {
    ...asked,
    shells: session.own(sessionShells),
    ...(harmless && { env: harmless }),
    maxOutputBytes: parseSize(env['HELVE_MAX_OUTPUT'] ?? '') ?? MAX_OUTPUT_BYTES,
    sharedOutput: session.own(sessionOutput),
    ...(sourceFile !== undefined && { sourceFile }),
    onRunning: (killAll: () => void) => {
      kill = killAll;
      return session.whileRunning(kill);
    },
    onLeftRunning: (end: () => Promise<void>) => {
      nameToPerson(`what is left of ${shortTitle(asked.command)}`);
      session.atEnd(end);
    },
  } satisfies Partial<ProcessOptions>;
  return { options, nameToPerson };
}

export async function startInBackground(
  asked: WatchedCommand,
  lifeMs: number,
  context: ToolContext,
): Promise<BackgroundStart> {
  const { session, signal } = context;
  signal.throwIfAborted();
  assertBackgroundAllowed(session);
  const id = newBackgroundId();
  const { options, nameToPerson } = commonOptions(asked, context);
  // It outlives the call, so it does not use the call's signal; its lifetime is limited by the background registry.
  const outputFile = await asked.outputFile();
  const signals = { timeoutMs: LONGEST_TIMER_MS, signal: new AbortController().signal };
  const running = await startCommand({ ...options, ...signals, outputFile });
  const { command, watched } = asked;
  nameToPerson(`${id}: ${shortTitle(command)}`);
  watched?.leave(running.finished);
  session.own(sessionBackground).add({ id, command, ...described(asked), outputFile, running, lifeMs });
  const note = `Command running in background with ID: ${id}. Output is being written to: ${outputFile}. It is stopped when the session ends, at the latest after ${seconds(lifeMs)}. ${BACKGROUND_ADVICE}`;
  return { backgroundId: id, output: '', note, outputFile, durationMs: 0, isMoved: false };
}

/** The command's result or, if it moved to the background, what the call reports about that. */
export async function* runWithProgress(
  asked: WatchedCommand,
  timeoutMs: number,
  context: ToolContext,
): AsyncGenerator<ToolProgress, ProcessResult | BackgroundStart, void> {
  const { session, signal } = context;
  const { command, watched } = asked;
  const left = new AbortController(); // a consumer that stops reading progress has abandoned the call
  const { options, nameToPerson } = commonOptions(asked, context);
  const moved = Promise.withResolvers<{ id: string; outputFile: string }>();
  let running: RunningProcess | undefined;
  let isWanted = false; // the user asked to move it to the background
  let isMoved = false;
  let began = 0;
  const moveToBackground = (): boolean => {
    if (!running || !(isWanted || mayMove(command, context))) return false;
    const id = newBackgroundId();
    nameToPerson(`${id}: ${shortTitle(command)}`);
    watched?.leave(running.finished);
    const ranBeforeMs = Math.round(monotonicMs() - began);
    const about = { id, command, ...described(asked), running, lifeMs: DEFAULT_LIFE_MS, ranBeforeMs };
    isMoved = true;
    void running.save().then((outputFile) => {
      if (outputFile === undefined) return; // that ends it, and says why
      session.own(sessionBackground).add({ ...about, outputFile });
      moved.resolve({ id, outputFile });
    });
    return true;
  };
  const bothSignals = AbortSignal.any([signal, left.signal]);
  began = monotonicMs();
  running = await startCommand({ ...options, timeoutMs, signal: bothSignals, onTimeUp: moveToBackground });
  const { finished, timeUp } = running;
  const forget = session.whileInForeground?.(() => {
    if (isMoved) return false;
    isWanted = true;
    timeUp();
    return isMoved;
  }, context.callId);
  try {
    const done = Promise.race([finished, moved.promise]).then(() => true);
    let shown = '';
    while (!(await Promise.race([done, delay(PROGRESS_MS, false, { ref: false })]))) {
      const file = await running.save();
      if (file === undefined) continue;
      const { text } = await readLastLines(file, { lines: PROGRESS_LINES, maxChars: MAX_PROGRESS_CHARS });
      if (text === shown) continue;
      shown = text;
      yield { text };
    }
    const outcome = await Promise.race([moved.promise, finished]);
    if (!('id' in outcome)) return outcome;
    const { id, outputFile } = outcome;
    const { text } = await readLastLines(outputFile, { lines: TIMEOUT_LINES, maxChars: MAX_FAILURE_CHARS });
    const why = isWanted ? 'was' : `did not finish in ${seconds(timeoutMs)} and was`;
    const whose = isWanted ? ' by the user' : '';
    const note = `${shortTitle(command)} ${why} moved to the background${whose} with ID: ${id}. Output is being written to: ${outputFile}. ${BACKGROUND_ADVICE}`;
    return { backgroundId: id, output: text, note, outputFile, durationMs: monotonicMs() - began, isMoved };
  } finally {
    forget?.();
    if (!isMoved) {
      left.abort();
      await Promise.allSettled([finished]);
    }
  }
}

/**
 * In an interactive session a timeout moves a command to the background instead of killing it, unless it only waits.
 */
const mayMove = (command: string, { session }: ToolContext): boolean =>
  session.interactive && !/^\s*sleep\b/.test(command);

const described = ({ description }: WatchedCommand): { description?: string } =>
  description === undefined ? {} : { description };

const newBackgroundId = (): string => `b${randomHex(4)}`;

const BACKGROUND_ADVICE =
  'You are notified when it ends; BashOutput shows what is new until then, KillShell ends it. A cd inside it does not change the working directory of later commands.';
