import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { chooseAction } from './choose-action.js';
import { complete } from './completion/complete.js';
import { completionScripts } from './completion/scripts.js';
import type { Candidate, Values } from './completion/values.js';
import { exitCode } from './exit-codes.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const USAGE = 'Use helve completion bash, zsh or fish.';

/** Prints a shell's completion script, and answers its queries. */
export async function completion(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'words') return await answer(argv.slice(argv[1] === '--' ? 2 : 1));
  const { positionals } = readArgs(argv, {});
  const [shell, ...more] = positionals;
  const script = chooseAction('completion', shell, completionScripts, USAGE);
  if (more.length > 0)
    throw new UsageProblem(`helve completion takes one shell, but there is "${more[0]}" too. ${USAGE}`);
  await writeLine(process.stdout, script);
  return exitCode.ok;
}

/** Errors are ignored during completion: what can't be determined is not offered. */
async function answer(words: readonly string[]): Promise<number> {
  const values = await complete(words).catch((): Values => []);
  const lines = typeof values === 'string' ? [`:${values}`] : values.filter(isPlain).map(asLine);
  if (lines.length > 0) await writeLine(process.stdout, lines.join('\n'));
  return exitCode.ok;
}

/** A shell inserts the word unquoted, and it may come from a file of the project. */
const isPlain = ({ word }: Candidate): boolean => /^[\w@%+=:,./-]+$/.test(word);

const asLine = ({ word, about = '' }: Candidate): string => `${word}\t${visible(about).replaceAll(/\s+/g, ' ')}`;
