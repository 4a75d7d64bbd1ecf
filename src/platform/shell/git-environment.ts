// The variables under which git starts nothing that a repository names: watchers, hooks, pagers, remote helpers. A git
// command that counts as harmless runs with them, and so does git when it is asked about a repository.
import { basename } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that override those of every configuration file. */
const settings: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'safe.bareRepository': 'explicit',
  'log.showSignature': 'false',
};

/** The variables, after the settings that the environment may bring in the same way. */
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
    GIT_ALLOW_PROTOCOL: 'none', // older than GIT_NO_LAZY_FETCH, and overrides what a repository allows
  };
}

/** Whether settings, as git reports them, show that git has taken the variables into account. */
export const isProtected = (reported: ReadonlyArray<{ key: string; value: string; scope: string }>): boolean =>
  reported.some(({ scope, key, value }) => scope === 'command' && key === 'core.fsmonitor' && value === 'false');

interface Judged {
  harmless: boolean;
  /** The name of its program; undefined where it is not known. */
  program: string | undefined;
}

// Programs that write the files they are given and start nothing.
const plainWriters: ReadonlySet<string> = new Set(
  'mkdir rmdir touch rm unlink mv cp ln sed tee chmod truncate install'.split(' '),
);

/**
 * Whether a call runs with the variables: where every command is harmless or only writes files. Other programs may run
 * git themselves, with hooks and over the network, and the variables would change what they do. In such a call a git
 * command counts as harmless only where the repository gives git nothing to start.
 */
export const runsProtected = (commands: readonly Judged[]): boolean =>
  commands.every(({ harmless, program }) => harmless || (program !== undefined && plainWriters.has(program)));

/** The name of the program that a command runs, without the folder. */
export const programName = (words: ReadonlyArray<string | null | undefined> | undefined): string | undefined => {
  const [name] = words ?? [];
  return typeof name === 'string' ? basename(name) : undefined;
};
