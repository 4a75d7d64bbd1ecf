// Parses git's options before the subcommand, and expands aliases.
import { known, quoteWord, type ShellField, type Started } from './program.js';

const globalFlags = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '--icase-pathspecs',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--no-lazy-fetch',
  '--no-advice',
]);
const globalWithValue = new Set([
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
  '--list-cmds',
]);

export interface GitWords {
  /** Why the options before the subcommand make it not harmless. */
  why?: string;
  folder?: ShellField;
  /** Aliases that options define; without a value if it is unknown. */
  aliases: { name: string; value?: string }[];
  /** The options before the subcommand. */
  globals: readonly ShellField[];
  /** The subcommand and its arguments. */
  rest: readonly ShellField[];
  ignoresCase: boolean;
}

export function gitWords(args: readonly ShellField[]): GitWords {
  const rest = [...args];
  const aliases: GitWords['aliases'] = [];
  let why: string | undefined;
  let folder: ShellField | undefined;
  let ignoresCase = false;
  let isVersion = false;
  for (let first = rest[0]; first?.value?.startsWith('-'); first = rest[0]) {
    rest.shift();
    const { value } = first;
    const [name = value] = value.split('=');
    const takesNext = globalWithValue.has(value);
    const operand = takesNext ? rest.shift() : value.includes('=') ? known(value.slice(name.length + 1)) : undefined;
    ignoresCase ||= value === '--icase-pathspecs';
    if (globalFlags.has(value)) continue;
    if (/^(--version|-v|--help|-h)$/.test(value) && rest.length === 0) {
      isVersion = true;
      break;
    }
    if (name === '-C' && operand && folder === undefined) {
      folder = operand;
      continue;
    }
    const [, alias, given, text] = /^alias\.([^=]*)(=?)(.*)$/is.exec(operand?.value ?? '') ?? [];
    if (alias !== undefined && name === '-c') aliases.push({ name: alias, value: given === '' ? '' : (text ?? '') });
    if (alias !== undefined && name === '--config-env') aliases.push({ name: alias });
    why ??= `the option ${name} before the subcommand may change what git runs`;
  }
  return {
    aliases,
    globals: args.slice(0, args.length - rest.length),
    rest: isVersion ? [known('version')] : rest,
    ignoresCase,
    ...(why !== undefined && { why }),
    ...(folder && { folder }),
  };
}

/** The command that git runs for an alias, with the following words; undefined if it is unknown. */
export function expandAlias(
  value: string,
  globals: readonly ShellField[],
  after: readonly ShellField[],
): Started | undefined {
  if (value.startsWith('!')) {
    const known = after.flatMap(({ value: word }) => word ?? []);
    if (known.length < after.length) return undefined;
    return { script: [value.slice(1), ...known.map(quoteWord)].join(' '), dialect: 'posix' };
  }
  const words = splitLikeGit(value);
  return words && { words: [known('git'), ...globals, ...words.map(known), ...after] };
}

/** Quotes and backslashes as git parses them in an alias; undefined if git rejects it. */
function splitLikeGit(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && /["']/.test(letter)) {
      quote = letter;
      word ??= '';
    } else if (letter === quote) {
      quote = '';
    } else {
      if (letter === '\\' && quote !== "'") at += 1;
      if (at >= text.length) return undefined;
      word = (word ?? '') + (text[at] ?? '');
    }
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}

/** Git's own commands: no alias can replace them. */
export const gitCommands: ReadonlySet<string> = new Set(
  `add am annotate apply archimport archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore
  check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph
  commit-tree config count-objects credential credential-cache credential-store cvsexportcommit cvsimport cvsserver daemon
  describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack
  filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc get-tar-commit-id gitk gitweb grep
  gui hash-object help history hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb
  interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file
  merge-index merge-octopus merge-one-file merge-ours merge-recursive merge-resolve merge-subtree merge-tree mergetool mktag
  mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push
  quiltimport range-diff read-tree rebase receive-pack reflog refs remote repack replace replay repo request-pull rerere reset
  restore rev-list rev-parse revert rm scalar send-email send-pack sh-i18n sh-setup shell shortlog show show-branch show-index
  show-ref sparse-checkout stage stash status stripspace submodule svn switch symbolic-ref tag unpack-file unpack-objects
  update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version
  whatchanged worktree write-tree`.split(/\s+/),
);
