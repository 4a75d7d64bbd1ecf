import type { EndedCommand, LeftCommand } from '../../contract/background.js';
import { identityOf } from '../journal/process-identity.js';
import { messageOf } from '../message-of.js';
import { noteEnding, removeNote } from './ended-note.js';
import type { ProcessResult, ProcessStopReason, RunningProcess } from './run-process.js';

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly description?: string;
  readonly outputFile: string;
  readonly state: BackgroundState;
  /** The byte offset up to which its output has been read. */
  seenBytes: number;
}

export type BackgroundState =
  | { status: 'running' }
  | {
      /** `lost`: it may still be running, but this session can't end it. */
      status: 'completed' | 'failed' | 'killed' | 'lost';
      exitCode: number | null;
      /** What ended the shell, if there is no exit code. */
      signal: NodeJS.Signals | null;
      stoppedBy: ProcessStopReason | null;
      /** Why nothing more is known about it. */
      why?: string;
    };

/** The commands of a session that run in the background, and those that have ended. */
export interface BackgroundCommands {
  /** Takes over a running command, for at most `lifeMs` more. */
  add(entry: {
    id: string;
    command: string;
    description?: string;
    outputFile: string;
    running: RunningProcess;
    lifeMs: number;
    /** Since its start. */
    ranBeforeMs?: number;
  }): void;
  find(id: string): BackgroundCommand | undefined;
  /** Resolves with the command once it has ended, at once if it has, and with undefined for an unknown id. */
  ended(id: string): Promise<BackgroundCommand | undefined>;
  readonly all: readonly BackgroundCommand[];
  /** Ends it with all its child processes, and waits until they are gone. */
  stop(id: string): Promise<void>;
  end(): Promise<void>;
}

interface Entry {
  command: BackgroundCommand;
  running?: RunningProcess;
  process?: LeftCommand['process'];
  ranBeforeMs?: number;
  over?: Promise<void>;
}

export interface BackgroundOptions {
  /**
   * Called for every command that ends by itself, by its timeout or by its output limit; not for those ended on
   * request.
   */
  onEnd(command: BackgroundCommand): void;
  /** Called with the running commands whenever they change. */
  onChange?(running: readonly LeftCommand[]): void;
  /** Commands that ended with an earlier process, whose output can still be read. */
  left?: readonly EndedCommand[];
}

export function createBackgroundCommands({ onEnd, onChange, left = [] }: BackgroundOptions): BackgroundCommands {
  const entries = new Map<string, Entry>();
  let isOver = false;
  for (const { command, isRunning, why, exitCode = null } of left) {
    const ended = exitCode === null ? 'killed' : exitCode === 0 ? 'completed' : 'failed';
    const state = {
      status: isRunning ? 'lost' : ended,
      exitCode,
      signal: null,
      stoppedBy: null,
      why,
    } as const;
    entries.set(command.id, { command: { ...command, state, seenBytes: 0 } });
  }
  const changed = (): void =>
    onChange?.(
      [...entries.values()].flatMap(
        ({ command: { id, command, description, outputFile, state }, process, ranBeforeMs }) =>
          state.status === 'running'
            ? [
                {
                  id,
                  command,
                  ...(description !== undefined && { description }),
                  outputFile,
                  ...(ranBeforeMs !== undefined && { ranBeforeMs }),
                  ...(process && { process }),
                },
              ]
            : [],
      ),
    );

  const stop = async (id: string): Promise<void> => {
    const entry = entries.get(id);
    entry?.running?.stop('request');
    await entry?.over;
  };
  return {
    add({ running, lifeMs, ranBeforeMs, ...about }) {
      let state: BackgroundState = { status: 'running' };
      const command: BackgroundCommand = {
        ...about,
        get state() {
          return state;
        },
        seenBytes: 0,
      };
      const timer = setTimeout(() => running.stop('timeout'), lifeMs).unref();
      const over = running.finished.then(endOf, failureOf).then((ended) => {
        clearTimeout(timer);
        state = ended;
        if (!isOver) noteEnding(about.outputFile, ended);
        changed();
        if (ended.stoppedBy !== 'request') onEnd(command);
      });
      const process = identityOf(running.group);
      entries.set(about.id, {
        command,
        running,
        over,
        ...(ranBeforeMs !== undefined && { ranBeforeMs }),
        ...(process && { process }),
      });
      changed();
    },
    find: (id) => entries.get(id)?.command,
    async ended(id) {
      const entry = entries.get(id);
      await entry?.over;
      return entry?.command;
    },
    get all() {
      return [...entries.values()].map(({ command }) => command);
    },
    stop,
    async end() {
      isOver = true;
      await Promise.all([...entries.keys()].map(stop));
      for (const { command } of entries.values()) removeNote(command.outputFile);
    },
  };
}

type Ended = Exclude<BackgroundState, { status: 'running' }>;

function endOf({ exitCode, signal, stoppedBy }: ProcessResult): Ended {
  if (stoppedBy !== null) return { status: 'killed', exitCode, signal, stoppedBy };
  return { status: exitCode === 0 ? 'completed' : 'failed', exitCode, signal, stoppedBy };
}

function failureOf(error: unknown): Ended {
  const why = messageOf(error);
  return { status: 'failed', exitCode: null, signal: null, stoppedBy: null, why };
}
