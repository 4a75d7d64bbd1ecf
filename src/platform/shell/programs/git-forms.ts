// What git's subcommands read, option by option. Forms that run other programs are left out (external diffs, text
// conversion, signatures, pagers), and so are those that write a ref, the index or a file.
import {
  atMostOne,
  listsOnly,
  MAY_BE_SECRET,
  namesOnly,
  noSignatures,
  notOnlyFigures,
  ownSubmodules,
  readsConfig,
  withPatch,
} from './git-form-checks.js';
import { diffOptions, formatOptions, revisionOptions } from './git-options.js';
import { mayBeFileObject } from './git-reads.js';
import { hasOption, type OptionTable, optionTable, type ParsedArguments } from './options.js';

const table = (...parts: string[]): OptionTable => optionTable(parts.join(' '));

/** A read-only form of a subcommand. */
export interface GitForm {
  options: OptionTable;
  /** `paths`: revisions and files; `values`: names that only git knows; `none`. */
  operands: 'paths' | 'values' | 'none';
  /** Further conditions. */
  only?: (parsed: ParsedArguments) => string | undefined;
  /** It reads every file. */
  tree?: boolean;
  /** Whether it prints the content of files, named or not. */
  shows?: (parsed: ParsedArguments) => boolean;
  /** It is about one file, which an operand names. */
  file?: boolean;
  /** For two revisions or folders it prints the content of their files. */
  comparesTrees?: boolean;
  /** Whether it may write something that can't be switched off, such as a refreshed index. */
  needsWalls?: (parsed: ParsedArguments) => boolean;
  /** Whether it prints only the names of files in the project. */
  lists?: (parsed: ParsedArguments) => boolean;
}

export const forms = (): ReadonlyMap<string, GitForm> =>
  new Map<string, GitForm>([
    [
      'status',
      {
        options: table(
          '-bsvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?',
        ),
        operands: 'paths',
        shows: (parsed) => hasOption(parsed, '-v', '--verbose'),
      },
    ],
    [
      'log',
      {
        options: table(revisionOptions, formatOptions, diffOptions),
        operands: 'paths',
        only: noSignatures,
        shows: withPatch,
      },
    ],
    [
      'whatchanged',
      {
        options: table(revisionOptions, formatOptions, diffOptions),
        operands: 'paths',
        only: noSignatures,
        shows: withPatch,
      },
    ],
    [
      'show',
      {
        options: table(revisionOptions, formatOptions, diffOptions),
        operands: 'paths',
        only: noSignatures,
        shows: (parsed) => notOnlyFigures(parsed) || parsed.operands.some(mayBeFileObject),
      },
    ],
    [
      'diff',
      {
        options: table(
          diffOptions,
          '-0123 -q --cached --staged --merge-base --no-index --base --ours --theirs --cc -c --combined-all-paths',
        ),
        operands: 'paths',
        lists: namesOnly,
        only: ownSubmodules,
        shows: notOnlyFigures,
        comparesTrees: true,
      },
    ],
    [
      'diff-tree',
      {
        options: table(diffOptions, formatOptions, '-r -t --root --no-commit-id --merge-base'),
        operands: 'paths',
        lists: namesOnly,
        only: noSignatures,
        shows: withPatch,
        comparesTrees: true,
      },
    ],
    [
      'diff-files',
      { options: table(diffOptions, '-q -0123'), operands: 'paths', only: ownSubmodules, shows: withPatch },
    ],
    [
      'diff-index',
      {
        options: table(diffOptions, '-m --cached --merge-base'),
        operands: 'paths',
        only: ownSubmodules,
        shows: withPatch,
        comparesTrees: true,
      },
    ],
    [
      'shortlog',
      {
        options: table(revisionOptions, '-nsec -w? --numbered --summary --email --committer --group= --format='),
        operands: 'paths',
        only: noSignatures,
      },
    ],
    [
      'rev-list',
      {
        options: table(
          revisionOptions,
          '-# --oneline --abbrev-commit --abbrev? --pretty? --format= --header --graph --no-object-names --max-age= --min-age= --quiet',
        ),
        operands: 'paths',
        only: noSignatures,
      },
    ],
    [
      'blame',
      {
        options: table(
          '-bcefhklnpstw -L= -M? -C? --root --show-stats --reverse --porcelain --line-porcelain --incremental --encoding= --contents=read --date= --score-debug --show-name --show-number --show-email --abbrev? --ignore-rev= --color-lines --color-by-age --progress --no-progress --since=',
        ),
        operands: 'paths',
        shows: () => true,
        file: true,
      },
    ],
    ['annotate', { options: table('-L= -l -t'), operands: 'paths', shows: () => true, file: true }],
    [
      'ls-files',
      {
        options: table(
          '-cdmoiusktvfzxXe -x= -X=read --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --deduplicate --exclude= --exclude-from=read --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev? --format= --debug --sparse',
        ),
        lists: ({ options }) =>
          !options.some(({ name }) => /^(--format|--eol|--debug|-[stvfu]|--stage|--unmerged)$/.test(name)),
        operands: 'paths',
      },
    ],
    [
      'ls-tree',
      {
        options: table(
          '-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=',
        ),
        operands: 'paths',
      },
    ],
    [
      'cat-file',
      {
        options: table('-tspe --batch-check? --batch-all-objects --unordered --follow-symlinks'),
        operands: 'paths',
        shows: (parsed) => !hasOption(parsed, '-t', '-s', '-e', '--batch-check'),
      },
    ],
    [
      'grep',
      {
        options: table(
          '-# -acEFGhHiIlLnopPqvwWz -A= -B= -C= -e= -f=read -m= --cached --untracked --no-index --text --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --only-matching --count --color? --no-color --break --heading --show-function --function-context --max-depth= --recursive --no-recursive --and --or --not --all-match --quiet --threads= --exclude-standard --no-exclude-standard --full-name --context= --after-context= --before-context= --max-count= --null --recurse-submodules',
        ),
        operands: 'paths',
        tree: true,
        lists: (parsed) => hasOption(parsed, '-l', '--files-with-matches', '--name-only'),
      },
    ],
    [
      'describe',
      {
        options: table(
          '--dirty? --broken? --all --tags --contains --abbrev? --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent',
        ),
        operands: 'values',
        needsWalls: (parsed) => hasOption(parsed, '--dirty', '--broken'), // it refreshes the index
      },
    ],
    [
      'name-rev',
      { options: table('--tags --refs= --exclude= --all --name-only --no-undefined --always'), operands: 'values' },
    ],
    [
      'rev-parse',
      {
        options: table(
          '-q --quiet --verify --abbrev-ref? --short? --symbolic --symbolic-full-name --show-toplevel --show-superproject-working-tree --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-object-format? --show-ref-format --all --branches? --tags? --remotes? --since? --until? --revs-only --no-revs --flags --no-flags --default= --local-env-vars --path-format= --end-of-options --not',
        ),
        operands: 'values',
      },
    ],
    [
      'merge-base',
      { options: table('-a --all --octopus --independent --is-ancestor --fork-point'), operands: 'values' },
    ],
    [
      'for-each-ref',
      {
        options: table(
          '--count= --sort= --format= --color? --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --exclude= --include-root-refs',
        ),
        operands: 'values',
        only: noSignatures,
      },
    ],
    [
      'show-ref',
      {
        options: table(
          '-dqhs --head --heads --branches --tags --dereference --hash? --verify --abbrev? --quiet --exists',
        ),
        operands: 'values',
      },
    ],
    ['count-objects', { options: table('-vH --verbose --human-readable'), operands: 'none' }],
    ['check-ignore', { options: table('-qvnz --quiet --verbose --non-matching --no-index'), operands: 'paths' }],
    ['check-attr', { options: table('-az --all --cached --source='), operands: 'values' }],
    ['var', { options: table(''), operands: 'values' }],
    ['version', { options: table('--build-options'), operands: 'none' }],
    ['help', { options: table('-a -g --all'), operands: 'none' }],
    ['cherry', { options: table('-v --abbrev?'), operands: 'values' }],
    [
      'range-diff',
      {
        options: table(diffOptions, '--no-dual-color --creation-factor= --left-only --right-only'),
        operands: 'values',
        only: ownSubmodules,
        shows: () => true,
      },
    ],
    [
      'branch',
      {
        options: table(
          '-alrvi --all --list --remotes --verbose --show-current --contains= --no-contains= --merged? --no-merged? --points-at= --sort= --format= --color? --no-color --column? --no-column --abbrev? --no-abbrev --ignore-case --omit-empty',
        ),
        operands: 'values',
        only: listsOnly(),
      },
    ],
    [
      'tag',
      {
        options: table(
          '-li -n? --list --contains= --no-contains= --merged? --no-merged? --points-at= --sort= --format= --color? --column? --no-column --ignore-case --omit-empty',
        ),
        operands: 'values',
        only: listsOnly('-n'),
      },
    ],
    ['symbolic-ref', { options: table('-q --quiet --short --no-recurse'), operands: 'values', only: atMostOne }],
  ]);

/** Forms below a second word: `git stash list`. */
export const nested = (): ReadonlyMap<string, ReadonlyMap<string, GitForm>> =>
  new Map([
    [
      'stash',
      new Map<string, GitForm>([
        [
          'list',
          {
            options: table(revisionOptions, formatOptions, diffOptions),
            operands: 'values',
            only: noSignatures,
            shows: withPatch,
          },
        ],
        [
          'show',
          {
            options: table(diffOptions, '--include-untracked --only-untracked'),
            operands: 'values',
            only: ownSubmodules,
            shows: notOnlyFigures, // without options the configuration determines what is shown
          },
        ],
      ]),
    ],
    [
      'remote',
      new Map<string, GitForm>([
        ['', { options: table('-v --verbose'), operands: 'none' }],
        ['get-url', { options: table('--push --all'), operands: 'values' }],
      ]),
    ],
    [
      'reflog',
      new Map<string, GitForm>([
        [
          '',
          {
            options: table(revisionOptions, formatOptions, diffOptions),
            operands: 'values',
            shows: withPatch,
            only: (parsed) =>
              // A word that is not a ref may be a subcommand.
              parsed.operands.every(({ value }) => /^(HEAD|@|.+\/.+)(@\{.*\})?$/.test(value ?? ''))
                ? noSignatures(parsed)
                : 'it is not known to be harmless in this form',
          },
        ],
        [
          'show',
          {
            options: table(revisionOptions, formatOptions, diffOptions),
            operands: 'values',
            only: noSignatures,
            shows: withPatch,
          },
        ],
        ['exists', { options: table(''), operands: 'values' }],
      ]),
    ],
    [
      'worktree',
      new Map<string, GitForm>([['list', { options: table('-vz --verbose --porcelain'), operands: 'none' }]]),
    ],
    [
      'notes',
      new Map<string, GitForm>([
        ['list', { options: table(''), operands: 'values' }],
        ['show', { options: table(''), operands: 'values' }],
      ]),
    ],
    ['bisect', new Map<string, GitForm>([['log', { options: table(''), operands: 'none' }]])],
    [
      'config',
      new Map<string, GitForm>([
        [
          '',
          {
            options: table(
              '-lz --get --get-all --get-regexp --get-urlmatch --list --local --global --system --worktree --show-origin --show-scope --name-only --null --includes --no-includes --type= --bool --int --path --default=',
            ),
            operands: 'values',
            only: readsConfig,
          },
        ],
        [
          'get',
          {
            options: table(
              '--all --regexp --local --global --system --show-origin --show-scope --null --type= --default= --name-only -z',
            ),
            operands: 'values',
            only: (parsed) => atMostOne(parsed) ?? readsConfig(parsed),
          },
        ],
        [
          'list',
          {
            options: table('--local --global --system --show-origin --show-scope --null --name-only -z'),
            operands: 'none',
            only: (parsed) => (hasOption(parsed, '--name-only') ? undefined : MAY_BE_SECRET),
          },
        ],
      ]),
    ],
  ]);
