import type { ParseArgsConfig } from 'node:util';
import { nearestWords } from '../platform/text/similar-text.js';
import { UsageProblem } from './usage-problem.js';

type OptionSpecs = NonNullable<ParseArgsConfig['options']>;

/** Flags that hold for every command that runs or judges calls. */
export const engineFlags = {
  'permission-mode': { type: 'string' },
  'dangerously-skip-permissions': { type: 'boolean' },
  'add-dir': { type: 'string', multiple: true },
  'allowed-tools': { type: 'string', multiple: true },
  allowedTools: { type: 'string', multiple: true },
  'disallowed-tools': { type: 'string', multiple: true },
  disallowedTools: { type: 'string', multiple: true },
  settings: { type: 'string' },
  trust: { type: 'boolean' },
  simple: { type: 'boolean' },
} as const satisfies OptionSpecs;

/** Parses strictly: an unknown or incomplete flag is a usage problem that names the nearest known one. */
export function readArgs<Options extends OptionSpecs>(argv: readonly string[], options: Options) {
  const { parseArgs } = process.getBuiltinModule('node:util'); // an import of it would load far more than this
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageProblem(explain(error, options));
  }
}

function explain(error: unknown, options: OptionSpecs): string {
  const message = error instanceof Error ? error.message : String(error);
  const incomplete = /^Option '(?:-\w, )?(--[\w-]+) <value>' argument missing/.exec(message)?.[1];
  if (incomplete !== undefined) return `${incomplete} needs a value after it.`;
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return `${message.split('. ')[0]}.`;
  const [nearest] = nearestWords(unknown.replace(/^-+/, ''), Object.keys(options));
  return `There is no option ${unknown} here.${nearest ? ` Did you mean --${nearest}?` : ''}`;
}
