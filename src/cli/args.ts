import type { ParseArgsConfig } from 'node:util';
import { messageOf } from '../platform/message-of.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { worktreeNameProblem } from '../platform/worktrees/worktree-name.js';
import { UsageProblem } from './usage-problem.js';

type OptionSpecs = NonNullable<ParseArgsConfig['options']>;

/** Flags for permissions. */
export const permissionFlags = {
  'permission-mode': { type: 'string' },
  'dangerously-skip-permissions': { type: 'boolean' },
  'add-dir': { type: 'string', multiple: true },
  'allowed-tools': { type: 'string', multiple: true },
  allowedTools: { type: 'string', multiple: true },
  'disallowed-tools': { type: 'string', multiple: true },
  disallowedTools: { type: 'string', multiple: true },
  settings: { type: 'string' },
  trust: { type: 'boolean' },
} as const satisfies OptionSpecs;

/** Flags shared by all commands that run calls. */
export const engineFlags = {
  ...permissionFlags,
  'mcp-config': { type: 'string', multiple: true },
  'strict-mcp-config': { type: 'boolean' },
  'plugin-dir': { type: 'string', multiple: true },
  simple: { type: 'boolean' },
  profile: { type: 'string' },
} as const satisfies OptionSpecs;

/** Flags of a conversation, apart from what is read and written. */
export const conversationFlags = {
  ...engineFlags,
  model: { type: 'string' },
  'fallback-model': { type: 'string' },
  effort: { type: 'string' },
  'max-turns': { type: 'string' },
  'max-time': { type: 'string' },
  'max-budget-usd': { type: 'string' },
  'max-budget-tokens': { type: 'string' },
  'max-budget-turns': { type: 'string' },
  'max-budget-minutes': { type: 'string' },
  goal: { type: 'string' },
  until: { type: 'string' },
  'system-prompt': { type: 'string' },
  'append-system-prompt': { type: 'string' },
  'no-instructions': { type: 'boolean' },
  'disable-slash-commands': { type: 'boolean' },
} as const satisfies OptionSpecs;

/** Flags of a session in a git worktree. */
export const worktreeFlags = {
  worktree: { type: 'string', short: 'w' },
  'worktree-end': { type: 'string' },
} as const satisfies OptionSpecs;

/** Where settings are read from, by the flags --settings and --trust. */
export const settingsOptions = ({
  settings,
  trust,
}: {
  settings?: string | undefined;
  trust?: boolean | undefined;
} = {}) => ({
  root: process.cwd(),
  env: process.env,
  ...(settings !== undefined && { flag: settings }),
  ...(trust && { trust: true }),
});

/**
 * Parses strictly: an unknown or incomplete flag is a usage error that suggests the nearest known one, or one of
 * `also`.
 */
export function readArgs<Options extends OptionSpecs>(
  argv: readonly string[],
  options: Options,
  also: readonly string[] = [],
) {
  const { parseArgs } = process.getBuiltinModule('node:util'); // an import would load far more than this
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageProblem(explain(error, argv, [...Object.keys(options), 'help', ...also]));
  }
}

/** Turns `--resume` without an id into `--resume=`: node:util's options have a value either always or never. */
export function withOpenValues(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const flag = Object.hasOwn(openFlags, word) ? openFlags[word] : undefined;
    if (flag === undefined || (end >= 0 && index > end)) return word;
    const next = argv[index + 1];
    const isOpen = next === undefined || next.startsWith('-') || (flag === '--worktree' && /\s/.test(next)); // a prompt
    return isOpen ? `${flag}=` : word;
  });
}

/**
 * The name that --worktree gives; an empty text asks for a new one. Throws if it can't be one. `argv` is as it was
 * typed: a word with blanks in it is a prompt, unless there is another prompt.
 */
export function readWorktreeName(
  worktree: string | undefined,
  { argv, prompts }: { argv: readonly string[]; prompts: readonly string[] },
): string | undefined {
  const [prompt] = worktree === '' && prompts.length > 1 ? prompts.filter((word) => isAfterWorktree(word, argv)) : [];
  const name = prompt ?? worktree;
  const problem = name === undefined || name === '' ? undefined : worktreeNameProblem(name);
  if (problem !== undefined) throw new UsageProblem(problem);
  return worktree;
}

const isAfterWorktree = (word: string, argv: readonly string[]): boolean =>
  argv.some((flag, index) => openFlags[flag] === '--worktree' && argv[index + 1] === word);

/** Flags whose value may be left out. */
const openFlags: Readonly<Record<string, string | undefined>> = {
  '--resume': '--resume',
  '-r': '--resume',
  '--worktree': '--worktree',
  '-w': '--worktree',
};

function explain(error: unknown, argv: readonly string[], known: readonly string[]): string {
  const message = messageOf(error);
  const incomplete = /^Option '(?:-\w, )?(--[\w-]+) <value>' argument missing/.exec(message)?.[1];
  if (incomplete !== undefined) return `${incomplete} needs a value after it.`;
  const followed = /^Option '(-[^']+)' argument is ambiguous/.exec(message)?.[1];
  if (followed !== undefined) {
    const long = /use '(--[\w-]+)=/.exec(message)?.[1] ?? followed;
    const next = argv[argv.indexOf(followed) + 1] ?? '';
    return `${long} needs a value after it, but "${next}" follows, which looks like an option. If it is the value, write ${long}=${next}`;
  }
  const alone = /^Option '(?:-\w, )?(--[\w-]+)' does not take an argument/.exec(message)?.[1];
  if (alone !== undefined) return `${alone} takes no value. Write it alone.`;
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return `${message.split('. ')[0]}.`;
  const name = unknown.replace(/^-+/, '');
  if (ofOtherAgents.has(name)) return `There is no option ${unknown} here: other agents have it, helve does not yet.`;
  if (/^(cwd|cd|dir|directory|working-dir(ectory)?)$/.test(name)) {
    return `There is no option ${unknown} here: helve works in the folder it is started in. Use cd before it.`;
  }
  const [nearest] = nearestWords(name, known);
  return `There is no option ${unknown} here.${nearest ? ` Did you mean --${nearest}?` : ''}`;
}

const ofOtherAgents: ReadonlySet<string> = new Set([...['chrome', 'file', 'from-pr', 'ide', 'remote', 'teleport']]);
