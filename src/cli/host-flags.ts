// Flags that hosts of Claude Code send, such as programs on its Agent SDK.
import { type Effort, efforts } from '../contract/model.js';
import { type OptionalSource, optionalSources } from '../settings/locations.js';
import { oneOf } from './one-of.js';
import { UsageProblem } from './usage-problem.js';

/** Those that change what tools may do, or which there are. */
export const hostEngineFlags = {
  'setting-sources': { type: 'string' },
  'managed-settings': { type: 'string' },
  tools: { type: 'string', multiple: true },
} as const;

export const hostFlags = {
  ...hostEngineFlags,
  agent: { type: 'string' },
  agents: { type: 'string' },
  thinking: { type: 'string' },
  'thinking-display': { type: 'string' },
  'max-thinking-tokens': { type: 'string' },
  'include-hook-events': { type: 'boolean' },
  'permission-prompts': { type: 'string' },
  'resume-session-at': { type: 'string' },
  'resume-drops-turn': { type: 'string' },
  'plugin-dir-no-mcp': { type: 'string', multiple: true },
  'project-config-root': { type: 'string' },
  betas: { type: 'string', multiple: true },
  'task-budget': { type: 'string' },
  'session-mirror': { type: 'boolean' },
  'debug-to-stderr': { type: 'boolean' },
  'await-initialize': { type: 'boolean' },
  'allow-dangerously-skip-permissions': { type: 'boolean' },
} as const;

export interface HostFlagValues {
  'max-thinking-tokens'?: string | undefined;
  'permission-prompts'?: string | undefined;
  'plugin-dir-no-mcp'?: string[] | undefined;
  'project-config-root'?: string | undefined;
  betas?: string[] | undefined;
  'task-budget'?: string | undefined;
  'session-mirror'?: boolean | undefined;
  'resume-session-at'?: string | undefined;
  'resume-drops-turn'?: string | undefined;
  thinking?: string | undefined;
}

/** The flags that are accepted without effect, each with the reason, for the host and the person. */
export function flagsWithoutEffect(values: HostFlagValues): string[] {
  const reasons: Array<[boolean, string]> = [
    [
      values['plugin-dir-no-mcp'] !== undefined,
      `--plugin-dir-no-mcp has no effect: a plugin is loaded with its servers or not at all, so ${values['plugin-dir-no-mcp']?.join(', ')} is left out. Use --plugin-dir.`,
    ],
    [values.betas !== undefined, `--betas has no effect: Helve sends the betas that it needs itself.`],
    [
      values['task-budget'] !== undefined,
      '--task-budget has no effect: use --max-budget-usd or --max-turns to limit a run.',
    ],
    [
      values['session-mirror'] === true,
      '--session-mirror has no effect: sessions are kept in the data folder of Helve alone.',
    ],
    [
      values['resume-session-at'] !== undefined || values['resume-drops-turn'] !== undefined,
      'The conversation is resumed as a whole: --resume-session-at and --resume-drops-turn name a message by an id that Helve does not keep.',
    ],
    [
      values['project-config-root'] !== undefined,
      '--project-config-root has no effect: the settings of a project are read from the folder that Helve is started in.',
    ],
  ];
  return reasons.filter(([isGiven]) => isGiven).map(([, reason]) => reason);
}

/** The sources of `--setting-sources`; undefined if it is not given. */
export function readSettingSources(text: string | undefined): readonly OptionalSource[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => oneOf('--setting-sources', optionalSources, name));
}

/** `--tools`: which built-in tools there are, as switches; undefined for all of them. */
export function readToolSwitches(
  given: readonly string[] | undefined,
  builtIn: readonly string[],
): Readonly<Record<string, boolean>> | undefined {
  if (!given) return undefined;
  const names = given.flatMap((text) => text.split(',').map((name) => name.trim()));
  if (names.includes('default')) return undefined;
  // The name of a tool that only other agents have turns nothing on.
  return Object.fromEntries(builtIn.map((name) => [name, names.includes(name)]));
}

const EFFORT_OF_TOKENS: ReadonlyArray<[tokens: number, Effort]> = [
  [0, 'none'],
  [4_000, 'low'],
  [10_000, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
];

/** The effort that comes closest to a number of tokens for thinking. */
export const effortOfTokens = (tokens: number): Effort =>
  EFFORT_OF_TOKENS.find(([most]) => tokens <= most)?.[1] ?? 'high';

const effortNames: ReadonlyMap<string, Effort> = new Map([['xhigh', 'max']]);

/** `--effort`, else what `--thinking` and `--max-thinking-tokens` come closest to. */
export function readHostEffort(effort: string | undefined, values: HostFlagValues): Effort | undefined {
  if (effort !== undefined) return effortNames.get(effort) ?? oneOf('--effort', efforts, effort);
  const { thinking, 'max-thinking-tokens': tokens } = values;
  if (thinking !== undefined && oneOf('--thinking', ['adaptive', 'enabled', 'disabled'], thinking) === 'disabled') {
    return 'none';
  }
  if (tokens === undefined) return undefined;
  const count = Number(tokens);
  if (tokens.trim() !== '' && Number.isInteger(count) && count >= 0) return effortOfTokens(count);
  throw new UsageProblem(`--max-thinking-tokens takes a whole number, 0 or more, but was "${tokens}".`);
}

/** The agents of `--agents`, as JSON. */
export function readAgentsFlag(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageProblem('--agents takes a JSON object with an agent for each name, but is not valid JSON.');
  }
}
