import { type CommandBudget, nothingSpent } from '../agent/budget/spent.js';
import { type BudgetLimits, type BudgetUnit, budgetUnits } from '../contract/budget.js';
import type { Goal } from '../contract/goal.js';
import { type Effort, efforts } from '../contract/model.js';
import { permissionModes } from '../contract/permission.js';
import { type WorktreeEnd, worktreeEnds } from '../contract/worktree.js';
import { serverPartOf } from '../platform/text/mcp-names.js';
import { conversationFlags, readArgs, readWorktreeName, withOpenValues, worktreeFlags } from './args.js';
import type { EngineFlagValues } from './engine-options.js';
import { flagsWithoutEffect, hostFlags, readAgentsFlag, readHostEffort } from './host-flags.js';
import { terminalFlags } from './interactive/terminal-flags.js';
import { oneOf } from './one-of.js';
import { type TelemetryFlags, telemetryFlags, withDebugFile } from './telemetry-flags.js';
import { UsageProblem } from './usage-problem.js';

export const outputFormats = ['text', 'json', 'stream-json'] as const;
export const inputFormats = ['text', 'stream-json'] as const;

const flags = {
  ...conversationFlags,
  ...worktreeFlags,
  ...telemetryFlags,
  ...terminalFlags,
  ...hostFlags,
  print: { type: 'boolean', short: 'p' },
  'output-format': { type: 'string' },
  'input-format': { type: 'string' },
  'include-partial-messages': { type: 'boolean' },
  'replay-user-messages': { type: 'boolean' },
  'permission-prompt-tool': { type: 'string' },
  'json-schema': { type: 'string' },
  init: { type: 'boolean' },
  maintenance: { type: 'boolean' },
  continue: { type: 'boolean', short: 'c' },
  resume: { type: 'string', short: 'r' },
  'session-id': { type: 'string' },
  fork: { type: 'boolean' },
  'fork-session': { type: 'boolean' },
  'no-save': { type: 'boolean' },
  'no-session-persistence': { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  verbose: { type: 'boolean' }, // other programs send it along with stream-json
} as const;

export interface RunFlags {
  engine: EngineFlagValues;
  observation: TelemetryFlags;
  model: string | undefined;
  fallbackModel: string | undefined;
  effort: string | undefined;
  format: (typeof outputFormats)[number];
  /** Prompts come from the host, line by line. */
  hostInput: boolean;
  /** The host is asked for permission. */
  asksHost: boolean;
  /** The tool of an MCP server that is asked instead. */
  permissionTool: string | undefined;
  partialMessages: boolean;
  /** The host gets a line when a hook starts and when it has answered. */
  hookEvents: boolean;
  /** The type of agent that the conversation itself is held with. */
  agent: string | undefined;
  /** Types of agents, as JSON has them. */
  agents: unknown;
  /** Flags that are accepted without effect, each with its reason. */
  withoutEffect: readonly string[];
  replayPrompts: boolean;
  maxTurns: number | undefined;
  maxTimeMs: number | undefined;
  /** What the conversation works towards; without a text, the prompt says it. */
  goal: { text: string | undefined; until: string | undefined } | undefined;
  /** What all prompts of this process may use. */
  commandBudget: CommandBudget | undefined;
  jsonSchema: string | undefined;
  systemPrompt: string | undefined;
  appendSystemPrompt: string | undefined;
  /** Hooks of the Setup event run with the first prompt. */
  setup: 'init' | 'maintenance' | undefined;
  /** Whether instruction files are sent to the model. */
  instructions: boolean;
  /** Whether prompts may use commands, and the model skills. */
  commands: boolean;
  /** An id, a prefix of one, or `last`. */
  resume: string | undefined;
  /** Resume a session, and ask the user which. */
  picksSession: boolean;
  fork: boolean;
  /** The name of the worktree to work in; empty for a new one. */
  worktree: string | undefined;
  worktreeEnd: WorktreeEnd | undefined;
  sessionId: string | undefined;
  save: boolean;
  /** With -p on a terminal: no steps, no rendering, no hint how to continue. */
  quiet: boolean;
  /** Plain lines at the terminal. */
  screenReader: boolean;
  /** The arguments that are not flags. */
  words: readonly string[];
}

/** Parses the flags of a run, with `-p` or at a terminal, and validates them individually and together. */
export function readRunFlags(argv: readonly string[], { isInteractive = false } = {}): RunFlags {
  const { values, positionals } = readArgs(withOpenValues(withDebugFile(argv)), flags, ['version']);
  const format = oneOf('--output-format', outputFormats, values['output-format'] ?? 'text');
  const hostInput = oneOf('--input-format', inputFormats, values['input-format'] ?? 'text') === 'stream-json';
  if (values.init && values.maintenance) {
    throw new UsageProblem('--init and --maintenance are two ways to set up. Give one of them.');
  }
  if (values['screen-reader'] && !isInteractive) {
    throw new UsageProblem('--screen-reader is for a conversation at the terminal, and does not go with -p.');
  }
  const read: RunFlags = {
    engine: values,
    observation: values,
    model: values.model,
    fallbackModel: values['fallback-model'],
    effort: readHostEffort(values.effort, values),
    format,
    hostInput,
    ...readPromptTool(values['permission-prompts'] === 'none' ? undefined : values['permission-prompt-tool']),
    partialMessages: values['include-partial-messages'] === true,
    hookEvents: values['include-hook-events'] === true,
    agent: values.agent,
    agents: readAgentsFlag(values.agents),
    withoutEffect: flagsWithoutEffect(values),
    replayPrompts: values['replay-user-messages'] === true,
    maxTurns: readMaxTurns(values['max-turns']),
    maxTimeMs: readMaxTime(values['max-time']),
    goal: readGoal(values),
    commandBudget: readBudget(values),
    jsonSchema: values['json-schema'],
    systemPrompt: values['system-prompt'],
    appendSystemPrompt: values['append-system-prompt'],
    setup: values.init ? 'init' : values.maintenance ? 'maintenance' : undefined,
    instructions: !values['no-instructions'],
    commands: !values['disable-slash-commands'],
    resume: readResume(values) || undefined,
    picksSession: values.resume === '',
    fork: values.fork === true || values['fork-session'] === true,
    worktree: readWorktreeName(values.worktree, { argv, prompts: positionals }),
    ...readWorktreeEnd(values['worktree-end']),
    sessionId: readSessionId(values['session-id']),
    save: !values['no-save'] && !values['no-session-persistence'],
    quiet: values.quiet === true,
    screenReader: values['screen-reader'] === true,
    words: hostInput ? positionals.filter((word) => word !== '') : positionals, // hosts send empty arguments
  };
  refuseCombinations(read);
  // After every value, so that a wrong one is not hidden. A host that sends its prompts line by line implies -p.
  if (!values.print && !hostInput && !isInteractive && values.resume !== '') {
    const mode = values['permission-mode'];
    if (mode !== undefined) oneOf('--permission-mode', permissionModes, mode);
    throw new UsageProblem(
      'To run a prompt, use helve -p "…"; a conversation needs a terminal. The options of a command come after its name.',
    );
  }
  return read;
}

function refuseCombinations(read: RunFlags): void {
  const streams = read.format === 'stream-json';
  if (read.hostInput && !streams) {
    throw new UsageProblem('--input-format stream-json goes with --output-format stream-json.');
  }
  if (read.hostInput && read.words.length > 0) {
    throw new UsageProblem(
      '--input-format stream-json takes its prompts from standard input, so leave the argument out.',
    );
  }
  if (read.partialMessages && !streams) {
    throw new UsageProblem('--include-partial-messages goes with --output-format stream-json.');
  }
  if (read.replayPrompts && !read.hostInput) {
    throw new UsageProblem('--replay-user-messages goes with --input-format stream-json.');
  }
  if (read.asksHost && !read.hostInput) {
    throw new UsageProblem(
      '--permission-prompt-tool stdio goes with --input-format stream-json, by which answers come.',
    );
  }
  const takesUp = read.resume !== undefined || read.picksSession;
  if (read.fork && !takesUp) {
    throw new UsageProblem('--fork goes with --resume ID or --continue.');
  }
  if (read.worktree !== undefined && takesUp) {
    throw new UsageProblem(
      '--worktree is for a new session: one that is resumed goes back to the worktree that it worked in. Leave it out.',
    );
  }
  if (read.sessionId !== undefined && takesUp) {
    throw new UsageProblem('--session-id names a new session, so it does not go with --resume or --continue.');
  }
  if (read.permissionTool !== undefined && read.engine.simple) {
    throw new UsageProblem('--permission-prompt-tool names a tool of an MCP server, and --simple starts none.');
  }
  if (read.jsonSchema !== undefined && read.engine.simple) {
    throw new UsageProblem('--json-schema adds a tool, so it does not go with --simple.');
  }
}

function readPromptTool(text: string | undefined): Pick<RunFlags, 'asksHost' | 'permissionTool'> {
  if (text === undefined || text === 'stdio') return { asksHost: text === 'stdio', permissionTool: undefined };
  if (serverPartOf(text) !== undefined) return { asksHost: false, permissionTool: text };
  throw new UsageProblem(
    `--permission-prompt-tool takes stdio or a tool of an MCP server (mcp__server__tool), but was "${text}".`,
  );
}

function readWorktreeEnd(text: string | undefined): { worktreeEnd: WorktreeEnd | undefined } {
  return { worktreeEnd: text === undefined ? undefined : oneOf('--worktree-end', worktreeEnds, text) };
}

function readMaxTurns(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const turns = Number(text);
  if (Number.isInteger(turns) && turns > 0) return turns;
  throw new UsageProblem(`--max-turns takes a whole number above 0, but was "${text}".`);
}

const unitMs: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 };

function readMaxTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d+)?)([smh]?)$/.exec(text.trim()) ?? [];
  const milliseconds = Number(number) * (unitMs[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new UsageProblem(`--max-time takes a time such as 90s, 10m or 2h, but was "${text}".`);
}

function readGoal({ goal: text, until }: { goal?: string | undefined; until?: string | undefined }): RunFlags['goal'] {
  for (const [flag, value] of Object.entries({ '--goal': text, '--until': until })) {
    if (value?.trim() === '') throw new UsageProblem(`${flag} needs a text.`);
  }
  return text === undefined && until === undefined ? undefined : { text, until };
}

/** The goal of the flags, with the prompt as its text if they give none. */
export function goalOf({ goal }: Pick<RunFlags, 'goal'>, prompt: string | undefined): Goal | undefined {
  if (!goal) return undefined;
  const text = goal.text ?? prompt;
  if (text === undefined) throw new UsageProblem('--until needs a prompt, or --goal with what is to be done.');
  return { text, ...(goal.until !== undefined && { until: goal.until }) };
}

type BudgetFlags = { readonly [Unit in BudgetUnit as `max-budget-${Unit}`]?: string | undefined };

function readBudget(values: BudgetFlags): CommandBudget | undefined {
  const limits: BudgetLimits = {};
  for (const unit of budgetUnits) {
    const text = values[`max-budget-${unit}`];
    if (text !== undefined) limits[unit] = readLimit(unit, text);
  }
  return Object.keys(limits).length === 0 ? undefined : { limits, spent: nothingSpent };
}

function readLimit(unit: BudgetUnit, text: string): number {
  const limit = Number(text);
  const isWhole = unit === 'tokens' || unit === 'turns';
  if (text.trim() !== '' && Number.isFinite(limit) && limit > 0 && (!isWhole || Number.isInteger(limit))) return limit;
  const what = isWhole ? 'a whole number' : unit === 'usd' ? 'a number of US dollars' : 'a number of minutes';
  throw new UsageProblem(`--max-budget-${unit} takes ${what} above 0, but was "${text}".`);
}

function readResume({ resume, continue: last }: { resume?: string | undefined; continue?: boolean | undefined }) {
  if (resume !== undefined && last) {
    throw new UsageProblem('--resume names a session and --continue means the last one here. Leave one of them out.');
  }
  return resume ?? (last ? 'last' : undefined);
}

function readSessionId(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new UsageProblem(`--session-id takes a UUID, but was "${text}".`);
}

export function readEffort(text: string | undefined): { effort?: Effort } {
  return text === undefined ? {} : { effort: oneOf('--effort', efforts, text) };
}
