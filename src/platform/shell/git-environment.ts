// Environment variables that keep git from starting programs that a repository configures: fsmonitor, hooks, pagers,
// remote helpers. A harmless git command runs with them, and so do our own queries of git.
import { basename } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that override those of every configuration file. */
const settings: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'safe.bareRepository': 'explicit',
  'log.showSignature': 'false',
};

/** The variables, appended to settings that the environment may already pass in the same way. */
export function protectiveVariables(env: Environment = {}): Record<string, string> {
  const inherited = Number(env['GIT_CONFIG_COUNT']);
  const first = Number.isSafeInteger(inherited) && inherited > 0 ? inherited : 0;
  const pairs = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(first + Object.keys(settings).length),
    ...Object.fromEntries(pairs),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none', // older than GIT_NO_LAZY_FETCH, and overrides the repository's setting
  };
}

/** Whether the settings that git reports show that it has applied the variables. */
export const isProtected = (reported: ReadonlyArray<{ key: string; value: string; scope: string }>): boolean =>
  reported.some(({ scope, key, value }) => scope === 'command' && key === 'core.fsmonitor' && value === 'false');

interface Judged {
  harmless: boolean;
  /** The name of its program; undefined if it is unknown. */
  program: string | undefined;
}

// Programs that write the files they are given and start nothing.
const plainWriters: ReadonlySet<string> = new Set(
  'mkdir rmdir touch rm unlink mv cp ln sed tee chmod truncate install'.split(' '),
);

/**
 * Whether a call runs with the variables: every command in it is harmless or only writes files. Other programs may
 * run git themselves, with hooks and over the network, and the variables would change their behaviour. In such a call
 * a git command counts as harmless only if the repository configures nothing to start.
 */
export const runsProtected = (commands: readonly Judged[]): boolean =>
  commands.every(({ harmless, program }) => harmless || (program !== undefined && plainWriters.has(program)));

/** The name of the program that a command runs, without the folder. */
export const programName = (words: ReadonlyArray<string | null | undefined> | undefined): string | undefined => {
  const [name] = words ?? [];
  return typeof name === 'string' ? basename(name) : undefined;
};
