// Git: what reads, option by option. What runs other programs stays out (external diffs, text conversion, signatures,
// pagers), and so does whatever writes a ref, the index or a file. Harmless holds only together with the environment
// that the runner sets, which turns off what a repository's own configuration could start.
import { hasOption, type OptionTable, optionTable, type Parsed, parseOptions, touch } from './options.js';
import { type Field, known, notHarmless, type Program, type Started, type Touch, type Verdict } from './program.js';

const diffOptions = `-# -abBCDMRWpsuwzr -B? -C? -M? -U= -S= -G= -X? -l= --patch --no-patch --raw --patch-with-raw --patch-with-stat --unified=
  --output-indicator-new= --output-indicator-old= --output-indicator-context= --minimal --patience --histogram --anchored= --diff-algorithm=
  --stat? --stat-width= --stat-name-width= --stat-count= --compact-summary --numstat --shortstat --dirstat? --cumulative --summary --name-only
  --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws= --word-diff? --word-diff-regex=
  --color-words? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev? --no-abbrev
  --break-rewrites? --find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all
  --pickaxe-regex --skip-to= --rotate-to= --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change
  --ignore-all-space --ignore-blank-lines --ignore-matching-lines= -I= --inter-hunk-context= --function-context --exit-code --quiet
  --no-ext-diff --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index --output=write`;

const revisionOptions = `-n= --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --author= --committer= --grep= --grep-reflog=
  --all-match --invert-grep --regexp-ignore-case -i -E -F -P --basic-regexp --extended-regexp --fixed-strings --perl-regexp --merges --no-merges
  --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? --tags?
  --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --boundary --left-only
  --right-only --cherry-mark --cherry-pick --cherry --left-right --walk-reflogs -g --merge --simplify-by-decoration --show-pulls --full-history
  --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --date=
  --relative-date --parents --children --count --timestamp --objects --disk-usage? --in-commit-order`;

const formatOptions = `--pretty? --format= --oneline --abbrev-commit --no-abbrev-commit --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes
  --graph --no-graph --show-linear-break? --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source
  --use-mailmap --mailmap --no-mailmap --log-size --follow --full-diff --remerge-diff --diff-merges= --no-diff-merges --cc -c -m -t --dd
  --combined-all-paths -L= -q `;

const table = (...parts: string[]): OptionTable => optionTable(parts.join(' '));

interface Form {
  options: OptionTable;
  /** `paths`: revisions and files; `values`: names that only git knows; `none`. */
  operands: 'paths' | 'values' | 'none';
  /** What else has to hold. */
  only?: (parsed: Parsed) => string | undefined;
  /** It looks into every file. */
  tree?: boolean;
  /** Whether it prints what is in files, be they named or not. */
  shows?: (parsed: Parsed) => boolean;
  /** Whether it prints the names of files in the project, and nothing else. */
  lists?: (parsed: Parsed) => boolean;
}

const forms = (): ReadonlyMap<string, Form> =>
  new Map<string, Form>([
    [
      'status',
      {
        options: table(
          '-bsvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?',
        ),
        operands: 'paths',
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
        shows: notOnlyFigures,
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
        shows: notOnlyFigures,
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
      },
    ],
    ['diff-files', { options: table(diffOptions, '-q -0123'), operands: 'paths', shows: withPatch }],
    ['diff-index', { options: table(diffOptions, '-m --cached --merge-base'), operands: 'paths', shows: withPatch }],
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
          '-bcefhklnpstw -L= -M? -C? --root --show-stats --reverse --porcelain --line-porcelain --incremental --encoding= --contents=read --date= --score-debug --show-name --show-number --show-email --abbrev= --ignore-rev= --color-lines --color-by-age --progress --no-progress --since=',
        ),
        operands: 'paths',
      },
    ],
    ['annotate', { options: table('-L= -l -t'), operands: 'paths' }],
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
          '--dirty? --broken? --all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent',
        ),
        operands: 'values',
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
          '-q --quiet --verify --abbrev-ref? --short? --symbolic --symbolic-full-name --show-toplevel --show-superproject-working-tree --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-object-format? --show-ref-format --all --branches? --tags? --remotes? --since= --until= --revs-only --no-revs --flags --no-flags --default= --local-env-vars --path-format= --end-of-options --not',
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
    ['var', { options: table('-l'), operands: 'values' }],
    ['version', { options: table('--build-options'), operands: 'none' }],
    ['help', { options: table('-a -g --all'), operands: 'none' }],
    ['cherry', { options: table('-v --abbrev?'), operands: 'values' }],
    [
      'range-diff',
      {
        options: table(diffOptions, '--no-dual-color --creation-factor= --left-only --right-only'),
        operands: 'values',
      },
    ],
    [
      'branch',
      {
        options: table(
          '-alrvi --all --list --remotes --verbose --show-current --contains= --no-contains= --merged? --no-merged? --points-at= --sort= --format= --color? --no-color --column? --no-column --abbrev= --no-abbrev --ignore-case --omit-empty',
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
const nested = (): ReadonlyMap<string, ReadonlyMap<string, Form>> =>
  new Map([
    [
      'stash',
      new Map<string, Form>([
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
          { options: table(diffOptions, '--include-untracked --only-untracked'), operands: 'values', shows: withPatch },
        ],
      ]),
    ],
    [
      'remote',
      new Map<string, Form>([
        ['', { options: table('-v --verbose'), operands: 'none' }],
        ['get-url', { options: table('--push --all'), operands: 'values' }],
      ]),
    ],
    [
      'reflog',
      new Map<string, Form>([
        [
          '',
          {
            options: table(revisionOptions, formatOptions, diffOptions),
            operands: 'values',
            only: (parsed) =>
              // A word that is no ref may be a subcommand.
              parsed.operands.every(({ value }) => /^(HEAD|@|.+\/.+)(@\{.*\})?$/.test(value ?? ''))
                ? noSignatures(parsed)
                : 'it is not known to be harmless in this form',
          },
        ],
        [
          'show',
          { options: table(revisionOptions, formatOptions, diffOptions), operands: 'values', only: noSignatures },
        ],
        ['exists', { options: table(''), operands: 'values' }],
      ]),
    ],
    ['worktree', new Map<string, Form>([['list', { options: table('-vz --verbose --porcelain'), operands: 'none' }]])],
    [
      'notes',
      new Map<string, Form>([
        ['list', { options: table(''), operands: 'values' }],
        ['show', { options: table(''), operands: 'values' }],
      ]),
    ],
    ['bisect', new Map<string, Form>([['log', { options: table(''), operands: 'none' }]])],
    [
      'config',
      new Map<string, Form>([
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
            only: atMostOne,
          },
        ],
        [
          'list',
          {
            options: table('--local --global --system --show-origin --show-scope --null --name-only -z'),
            operands: 'none',
          },
        ],
      ]),
    ],
  ]);

const besideNames =
  /^(--name-only|--cached|--staged|--diff-filter|--merge-base|--no-renames|--root|--no-commit-id|--color|--no-color|-[rzwM])$/;

function namesOnly(parsed: Parsed): boolean {
  return hasOption(parsed, '--name-only') && parsed.options.every(({ name }) => besideNames.test(name));
}

/** Formats that check a signature start the program that does it. */
function noSignatures({ options }: Parsed): string | undefined {
  const formats = options.filter(({ name }) => name === '--format' || name === '--pretty');
  const unsafe = formats.some(
    ({ value }) => value !== undefined && (value.value === undefined || /%G|signature/.test(value.value)),
  );
  return unsafe ? 'its format may check signatures, which starts another program' : undefined;
}

// With one of them, a name is what the list is compared with.
const listFlags = ['-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'];

function listsOnly(...flags: string[]) {
  return (parsed: Parsed): string | undefined =>
    parsed.operands.length > 0 && !hasOption(parsed, ...listFlags, ...flags)
      ? 'with a name it may create something'
      : noSignatures(parsed);
}

const atMostOne = ({ operands }: Parsed): string | undefined =>
  operands.length > 1 || operands.some(({ splits }) => splits) ? 'with a second operand it writes' : undefined;

function readsConfig(parsed: Parsed): string | undefined {
  if (hasOption(parsed, '--get', '--get-all', '--get-regexp', '--get-urlmatch', '--list', '-l')) return undefined;
  return parsed.operands.length === 0 ? 'without an operand it is not known to read only' : atMostOne(parsed);
}

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

interface Global {
  /** Why the options before the subcommand make it not harmless. */
  why?: string;
  folder?: Field;
  starts: Started[];
  rest: Field[];
  count: number;
}

function globalOptions(args: readonly Field[]): Global {
  const rest = [...args];
  const found: Global = { starts: [], rest, count: 0 };
  for (let first = rest[0]; first?.value?.startsWith('-'); first = rest[0]) {
    rest.shift();
    found.count += 1;
    const { value } = first;
    const [name = value] = value.split('=');
    const takesNext = globalWithValue.has(value);
    const operand = takesNext ? rest.shift() : value.includes('=') ? known(value.slice(name.length + 1)) : undefined;
    if (globalFlags.has(value)) continue;
    if (value === '--version' || value === '-v' || value === '--help' || value === '-h') {
      if (rest.length === 0) return { ...found, rest: [known('version')] };
    }
    if (name === '-C' && operand && found.folder === undefined) {
      found.folder = operand;
      continue;
    }
    const alias = /^alias\.[^=]*=!(.*)$/s.exec(operand?.value ?? '')?.[1];
    if (name === '-c' && alias !== undefined) found.starts.push({ script: alias, dialect: 'posix' });
    found.why ??= `the option ${name} before the subcommand may change what git runs`;
  }
  return found;
}

function judgeGit(args: readonly Field[], tables: Tables): Verdict {
  const { why, folder, starts, rest, count } = globalOptions(args);
  const [subcommand, ...after] = rest;
  if (subcommand === undefined) return why === undefined ? {} : notHarmless(why, { starts });
  const verdict = judgeSubcommand(subcommand, after, folder, tables);
  const touches: Touch[] = [...(folder ? touch('list', folder) : []), ...(verdict.touches ?? [])];
  const reason = why ?? verdict.why;
  // With options in front, a rule about `git push` would not see that it is one: so the plain form is there as well.
  const plainForm: Started[] = count > 0 ? [{ words: [known('git'), ...rest] }] : [];
  return { ...verdict, touches, starts: [...starts, ...plainForm], ...(reason !== undefined && { why: reason }) };
}

function judgeSubcommand(
  subcommand: Field,
  args: readonly Field[],
  folder: Field | undefined,
  tables: Tables,
): Verdict {
  const name = subcommand.value;
  if (name === undefined) return notHarmless(`which subcommand ${subcommand.text} stands for is not known`);
  const below = tables.nested.get(name);
  if (below) {
    const [second] = args;
    const isName = second?.value !== undefined && below.has(second.value);
    const form = below.get(isName ? (second?.value ?? '') : '');
    return form
      ? judgeForm(form, isName ? args.slice(1) : args, folder)
      : notHarmless(`git ${name} is not known to be harmless in this form`);
  }
  const form = tables.forms.get(name);
  return form
    ? judgeForm(form, args, folder)
    : { why: `git ${name} is not known to be harmless`, touches: changes(name, args, folder) };
}

function judgeForm(form: Form, args: readonly Field[], folder: Field | undefined): Verdict {
  const parsed = parseOptions(args, form.options);
  const why =
    parsed.problem ??
    form.only?.(parsed) ??
    (form.operands === 'none' && parsed.operands.length > 0 ? 'it takes no operand in this form' : undefined);
  const given = form.tree && !hasOption(parsed, '-e', '-f') ? parsed.operands.slice(1) : parsed.operands;
  const paths = form.operands === 'paths' ? given.flatMap(pathOf) : [];
  const optionPaths = parsed.options.flatMap(({ value, meaning }) => (value ? touch(meaning, value) : []));
  // A revision and a file look alike, so only what comes after "--" says for sure which files are meant.
  const areNamed = args.some(({ value }, index) => value === '--' && index < args.length - 1);
  const showsAny = form.shows?.(parsed) === true && !areNamed && !parsed.operands.some(isFileOfRevision);
  const whole = (form.tree && paths.length === 0) || showsAny ? touch('read-tree', known('.')) : [];
  const touches = [...paths.flatMap((path) => touch(form.tree ? 'read-tree' : 'read', path)), ...optionPaths, ...whole];
  const prints = form.lists?.(parsed) && folder === undefined ? [{ path: '.', tree: true }] : undefined;
  const writes = touches.some(({ access }) => access === 'write') ? 'it writes a file' : undefined;
  return {
    touches: touches.map((each) => inFolder(each, folder)),
    ...((why ?? writes) !== undefined && { why: why ?? writes }),
    ...(prints && { prints }),
  };
}

const isFileOfRevision = ({ value }: Field): boolean => value !== undefined && /^[^:]+:./s.test(value);

const withPatch = (parsed: Parsed): boolean =>
  hasOption(parsed, '-p', '-u', '--patch', '-U', '--unified', '-L', '-W', '--function-context', '--binary') ||
  hasOption(
    parsed,
    '--patch-with-stat',
    '--patch-with-raw',
    '--word-diff',
    '--word-diff-regex',
    '--color-words',
    '-c',
    '--cc',
  );

const figures = [
  '--stat',
  '--numstat',
  '--shortstat',
  '--dirstat',
  '--summary',
  '--name-only',
  '--name-status',
  '--raw',
  '-s',
  '--no-patch',
  '--quiet',
  '--check',
];

const notOnlyFigures = (parsed: Parsed): boolean => withPatch(parsed) || !hasOption(parsed, ...figures);

function inFolder(each: Touch, folder: Field | undefined): Touch {
  if (folder === undefined || each.file.value?.startsWith('/')) return each;
  if (folder.value === undefined || each.file.value === undefined) {
    return { ...each, file: { text: each.file.text, mayBeOption: false, splits: false } };
  }
  return { ...each, file: known(`${folder.value}/${each.file.value}`) };
}

/** The file that an operand may name: of `HEAD:src/a.ts`, what follows the colon. Plain revisions name none. */
function pathOf(field: Field): Field[] {
  const { value } = field;
  if (value === undefined) return [field];
  const isRange = /[^/.]\.\.|\.\.[^/.]/.test(value) && !/^(\/|\.)/.test(value);
  if (/^(HEAD|@|[0-9a-f]{7,40})([~^@{].*)?$/.test(value) || isRange) return [];
  const afterColon = /^[^:]+:(.+)$/s.exec(value)?.[1];
  return [known(afterColon ?? value.replace(/^:[/!^]?/, ''))];
}

/** What the subcommands that change the working tree would write, as far as their words tell. */
function changes(name: string, args: readonly Field[], folder: Field | undefined): Touch[] {
  const operands = args.filter(({ value }) => !value?.startsWith('-'));
  const named = ['mv', 'rm', 'restore'].includes(name)
    ? operands.flatMap((path) => touch(name === 'rm' ? 'remove-tree' : 'write-tree', path))
    : [];
  const wholeTree = [
    'checkout',
    'switch',
    'reset',
    'clean',
    'merge',
    'rebase',
    'pull',
    'stash',
    'cherry-pick',
    'revert',
    'am',
    'apply',
    'bisect',
    'submodule',
  ];
  const tree = wholeTree.includes(name) ? touch('write-tree', known('.')) : [];
  return [...named, ...tree].map((each) => inFolder(each, folder));
}

interface Tables {
  forms: ReadonlyMap<string, Form>;
  nested: ReadonlyMap<string, ReadonlyMap<string, Form>>;
}

function judgeWithTables(): Program['judge'] {
  let tables: Tables | undefined; // made when first needed
  return ({ args }) => {
    tables ??= { forms: forms(), nested: nested() };
    return judgeGit(args, tables);
  };
}

export const git: readonly Program[] = [
  {
    names: ['git'],
    judge: judgeWithTables(),
    examples: {
      harmless: [
        'git status',
        'git   status',
        'git status -sb',
        'git diff --stat HEAD~1',
        'git log --author=alice --since="2 weeks ago"',
        'git log --oneline -5',
        "git log --format='%h %s'",
        'git log -p -- src/a.ts',
        'git show HEAD',
        'git show HEAD:src/a.ts',
        'git diff --cached',
        'git diff main...HEAD -- src',
        'git branch',
        'git branch -a',
        'git branch -vv',
        "git branch --list 'a*'",
        'git branch --show-current',
        'git tag',
        "git tag -l 'v*'",
        'git remote -v',
        'git remote',
        'git rev-parse HEAD',
        'git rev-parse --abbrev-ref HEAD',
        'git rev-parse --show-toplevel',
        'git ls-files',
        'git ls-tree -r HEAD --name-only',
        'git blame src/a.ts',
        'git blame -L 1,10 a.txt',
        'git stash list',
        'git reflog',
        'git reflog show',
        'git reflog HEAD',
        'git branch --merged main',
        'git diff --name-only HEAD | xargs cat',
        'git grep -l foo | xargs wc -l',
        'git tag --contains HEAD',
        'git config --get user.name',
        'git config --list',
        'git config user.name',
        'git worktree list',
        'git describe --tags',
        'git shortlog -sn',
        'git grep -n foo',
        'git merge-base main HEAD',
        'git cat-file -p HEAD',
        'git --no-pager log',
        'git -C src status',
        'git --version',
        'git rev-list --count HEAD',
      ],
      not: [
        'git add -A',
        'git commit -m x',
        'git push',
        'git -c core.pager=x log',
        'git --git-dir=x log',
        'git --exec-path=x log',
        'git log --output=x',
        'git log -1 --output x',
        'git diff --ext-diff',
        'git show --textconv HEAD',
        'git branch new',
        'git branch -D x',
        'git branch -v new',
        'git reflog expire',
        'git tag v1',
        'git tag -d v1',
        'git remote show origin',
        'git remote add a b',
        'git config user.name x',
        'git config --unset a',
        'git reflog expire --all',
        'git reflog delete HEAD@{0}',
        'git stash',
        'git stash drop',
        'git grep -O./evil.sh foo',
        'git grep --open-files-in-pager=x foo',
        'git submodule foreach x',
        'git difftool -x y',
        "git log --format='%G?'",
        'git log --show-signature',
        'git fetch',
        'git ls-remote',
        'git -p log',
        'git log $x',
        'git diff *',
        'git update-ref HEAD HEAD~1',
        'git symbolic-ref HEAD refs/heads/x',
        'git worktree add x',
        'git archive HEAD',
        'git bundle create x',
        'git diff -Oorder',
        'git blame --unheard-of x',
        'git var GIT_EDITOR x -q',
        'git notes add x',
        'git checkout x',
      ],
    },
  },
];
