import type { StartedAgent } from '../../contract/agents.js';
import type { LeftCommand } from '../../contract/background.js';
import type { ServerTask } from '../../contract/server-tasks.js';
import type { BackgroundState } from '../../platform/shell/background.js';
import { shortTime } from '../../platform/text/short-amounts.js';
import { cleanLine, cut } from '../views/fit.js';
import type { OpenedSession } from './opened-session.js';

const LOOK_MS = 1_000; // a clock that counts seconds is shown beside each item
const LAST_LINE_CHARS = 400;
const TITLE_CHARS = 100;
const MAX_OUTPUT_CHARS = 200_000;
const MAX_OUTPUT_LINES = 2_000;

/** A command in the background, a task of an MCP server, or a child agent, while it runs. */
export interface WorkItem {
  readonly id: string;
  readonly kind: 'command' | 'task' | 'agent';
  /** The command, the task's server and tool, or the agent's type and task. */
  readonly title: string;
  readonly isAsking: boolean;
  readonly milliseconds: number;
  /** Of an agent. */
  readonly tokens?: number;
  /** The last line of output, the last report, or the last call. */
  readonly latest: string | undefined;
}

/** Work that has ended without a call to report it. */
export interface EndedWork {
  id: string;
  title: string;
  /** `exit code 0`, `stopped`, `done`. */
  outcome: string;
  hasFailed: boolean;
  milliseconds: number;
  lastLine: string;
}

export interface BackgroundWorkOptions {
  session(): OpenedSession | undefined;
  now(): number;
  /** Called once for each that runs in the background. */
  onStart?(title: string): void;
  /** Called once for each. */
  onEnd(ended: EndedWork): void;
  onChange(): void;
}

/** Follows what runs beside the conversation: commands and tasks in the background, and child agents. */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  #followed: OpenedSession | undefined;
  #commands = new Map<string, { command: LeftCommand; startedAt: number; latest: string | undefined }>();
  #agents = new Map<string, StartedAgent>();
  #tasks = new Map<string, ServerTask>();
  /** How long each command ran that has ended, in milliseconds. */
  readonly #ended = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
  }

  get items(): WorkItem[] {
    const { now } = this.#options;
    const commands = [...this.#commands.values()].map(({ command, startedAt, latest }) => ({
      id: command.id,
      kind: 'command' as const,
      title: commandTitle(command),
      isAsking: false,
      milliseconds: now() - startedAt,
      latest,
    }));
    const agents = [...this.#agents.values()].map(({ id, type, description, activity }) => ({
      id,
      kind: 'agent' as const,
      title: `${type}: ${description}`,
      isAsking: activity.isAsking,
      milliseconds: activity.milliseconds,
      tokens: activity.tokens,
      latest: activity.steps.at(-1),
    }));
    const tasks = [...this.#tasks.values()].map(({ id, title, isAsking, milliseconds, reports }) => ({
      id,
      kind: 'task' as const,
      title,
      isAsking,
      milliseconds,
      latest: reports.at(-1),
    }));
    return [...commands, ...tasks, ...agents];
  }

  /** In milliseconds: how long it has run, or ran until it ended. */
  ranFor(id: string): number | undefined {
    const session = this.#followed?.engine.session;
    const agent = this.#agents.get(id) ?? session?.agents?.find(id);
    if (agent) return agent.activity.milliseconds;
    const task = session?.serverTasks?.find(id);
    if (task) return task.milliseconds;
    const running = this.#commands.get(id);
    return running ? this.#options.now() - running.startedAt : this.#ended.get(id);
  }

  /** Looks at what runs now. */
  refresh(): void {
    const opened = this.#options.session();
    if (opened !== this.#followed) this.#follow(opened);
    if (!opened) return;
    const { session } = opened.engine;
    const running = session.background ?? [];
    const before = this.#commands;
    this.#commands = new Map(
      running.map((command) => [
        command.id,
        before.get(command.id) ?? {
          command,
          startedAt: this.#options.now() - (command.ranBeforeMs ?? 0),
          latest: undefined,
        },
      ]),
    );
    for (const command of running) if (!before.has(command.id)) this.#options.onStart?.(commandTitle(command));
    for (const [id, { command, startedAt }] of before) {
      if (this.#commands.has(id)) continue;
      this.#ended.set(id, this.#options.now() - startedAt);
      void this.#reportCommand(opened, command, startedAt);
    }
    const agentsBefore = this.#agents;
    this.#agents = new Map((session.agents?.all ?? []).filter(({ report }) => !report).map((one) => [one.id, one]));
    for (const [id, { inBackground, type, description }] of this.#agents) {
      if (inBackground && !agentsBefore.has(id)) this.#options.onStart?.(`${type}: ${description}`);
    }
    for (const [id, agent] of agentsBefore) if (!this.#agents.has(id) && agent.inBackground) this.#reportAgent(agent);
    this.#refreshTasks(session.serverTasks?.all ?? []);
    this.#keepTime();
    this.#options.onChange();
  }

  #refreshTasks(all: readonly ServerTask[]): void {
    const before = this.#tasks;
    this.#tasks = new Map(all.filter(({ outcome }) => !outcome).map((task) => [task.id, task]));
    for (const { id, title } of this.#tasks.values()) if (!before.has(id)) this.#options.onStart?.(title);
    for (const [id, task] of before) if (!this.#tasks.has(id)) this.#reportTask(task);
  }

  /** Stops it, and resolves once it has ended. */
  async stop(id: string): Promise<void> {
    const agent = this.#agents.get(id);
    if (agent) {
      agent.stop();
      await agent.wait();
    } else if (this.#tasks.has(id)) {
      await this.#tasks.get(id)?.stop();
    } else if (this.#followed) {
      await (await backgroundOf(this.#followed)).stop(id);
    }
    this.refresh();
  }

  /** What it has written or done so far, as lines. */
  async look(id: string): Promise<string[]> {
    const agent = this.#agents.get(id) ?? this.#followed?.engine.session.agents?.find(id);
    if (agent) return agentLines(agent);
    const task = this.#followed?.engine.session.serverTasks?.find(id);
    if (task) return taskLines(task);
    const command = this.#followed && (await backgroundOf(this.#followed)).find(id);
    if (!command) return [];
    const { readLastLines } = await import('../../platform/shell/read-output.js');
    const { text, cut } = await readLastLines(command.outputFile, {
      lines: MAX_OUTPUT_LINES,
      maxChars: MAX_OUTPUT_CHARS,
    });
    const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
    // What the headline does not say.
    const head = command.description?.trim() ? [...`$ ${command.command.trim()}`.split('\n'), ''] : [];
    return [...head, ...(cut ? [`… the whole output is in ${command.outputFile}`] : []), ...lines];
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #follow(opened: OpenedSession | undefined): void {
    this.#followed = opened;
    this.#commands = new Map();
    this.#agents = new Map();
    this.#tasks = new Map();
    this.#ended.clear();
  }

  #keepTime(): void {
    if (this.#commands.size + this.#agents.size + this.#tasks.size === 0) this.end();
    else this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    const { readLastLines } = await import('../../platform/shell/read-output.js');
    await Promise.all(
      [...this.#commands.values()].map(async (entry) => {
        const last = await readLastLines(entry.command.outputFile, { lines: 1, maxChars: LAST_LINE_CHARS }).catch(
          () => undefined, // it may not have written anything yet
        );
        entry.latest = last?.text.trim() || entry.latest;
      }),
    );
    this.refresh();
  }

  async #reportCommand(opened: OpenedSession, command: LeftCommand, startedAt: number) {
    const { id, outputFile } = command;
    const { readLastLines } = await import('../../platform/shell/read-output.js');
    const state = (await backgroundOf(opened)).find(id)?.state;
    if (!state || state.status === 'running' || opened !== this.#options.session()) return;
    const last = await readLastLines(outputFile, { lines: 1, maxChars: LAST_LINE_CHARS }).catch(() => undefined);
    const { exitCode, stoppedBy } = state;
    this.#options.onEnd({
      id,
      title: commandTitle(command),
      outcome: stateWords(state),
      hasFailed: stoppedBy !== 'request' && exitCode !== 0,
      milliseconds: this.#options.now() - startedAt,
      lastLine: last?.text.trim() ?? '',
    });
  }

  #reportAgent({ id, type, description, report, activity }: StartedAgent): void {
    if (!report) return;
    this.#options.onEnd({
      id,
      title: `${type}: ${description}`,
      outcome: report.isInterrupted ? 'stopped' : (report.problem ?? 'done'),
      hasFailed: report.problem !== undefined && !report.isInterrupted,
      milliseconds: activity.milliseconds,
      lastLine: report.answer.trim().split('\n', 1)[0] ?? '',
    });
  }

  #reportTask({ id, title, state, outcome, milliseconds }: ServerTask): void {
    if (!outcome) return;
    const last = outcome.how === 'done' ? outcome.result.shown : outcome.failure.problem;
    this.#options.onEnd({
      id,
      title,
      outcome: state,
      hasFailed: outcome.how === 'failed' || outcome.how === 'lost',
      milliseconds,
      lastLine: outcome.how === 'stopped' ? '' : (last.trim().split('\n', 1)[0] ?? ''),
    });
  }
}

const taskLines = ({ reports, outcome }: ServerTask): string[] => [
  ...reports.map((report) => `• ${report}`),
  ...(outcome?.how === 'done' ? ['', ...outcome.result.shown.split('\n')] : []),
];

const agentLines = ({ activity, report }: StartedAgent): string[] => [
  ...activity.steps.map((step) => `• ${step}`),
  ...(report && report.answer !== '' ? ['', ...report.answer.split('\n')] : []),
];

/** The state of a background command in a few words. */
export function stateWords(state: BackgroundState): string {
  if (state.status === 'running') return 'running';
  const { exitCode, signal, stoppedBy, why } = state;
  if (stoppedBy === 'request') return 'stopped';
  if (stoppedBy === 'timeout') return 'stopped: its time was up';
  if (exitCode !== null) return `exit code ${exitCode}`;
  return why ?? `ended by ${signal ?? 'an error'}`;
}

/** The description that the model gave it, or the command itself. */
export const commandTitle = ({ command, description = '' }: Pick<LeftCommand, 'command' | 'description'>): string =>
  description.trim() || command.trim();

async function backgroundOf({ engine }: OpenedSession) {
  const { sessionBackground } = await import('../../tools/bash/session-shells.js');
  return engine.session.own(sessionBackground);
}

/** Events after which other work may run beside the conversation than before. */
export const mayChangeWork: ReadonlySet<string> = new Set(['tool_result', 'agent_event', 'session_start', 'result']);

/** What is noted about work that has ended. */
export function endedWords({ title, outcome, milliseconds, lastLine }: EndedWork): string {
  const last = lastLine === '' ? '' : `\n${lastLine}`;
  return `${cut(cleanLine(title), TITLE_CHARS)} ended in the background: ${outcome} (${shortTime(milliseconds)})${last}`;
}
