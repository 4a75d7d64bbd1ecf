// Git: its read-only forms are in a table. They are harmless only in the environment that the runner sets, which
// switches off programs that a repository's own configuration could start.
import { forms, type GitForm, nested } from './git-forms.js';
import {
  addressOf,
  fileOfRevision,
  isFileOfRevision,
  isPlainPathspec,
  pathOf,
  splitOperands,
  wholeTree,
} from './git-reads.js';
import { expandAlias, type GitWords, gitWords } from './git-words.js';
import { hasOption, type ParsedArguments, parseOptions, touch } from './options.js';
import {
  known,
  notHarmless,
  type Program,
  type ProgramVerdict,
  type ShellField,
  type Started,
  type Touch,
} from './program.js';

function judgeGit(args: readonly ShellField[], tables: Tables): ProgramVerdict {
  const words = gitWords(args);
  const { why, folder, rest, globals } = words;
  const [subcommand, ...after] = rest;
  if (subcommand === undefined) return why === undefined ? {} : notHarmless(why);
  const verdict = judgeSubcommand(subcommand, after, words, tables);
  const { starts = [], unknown } = startedByAlias(subcommand, after, words);
  const touches: Touch[] = [...(folder ? touch('list', folder) : []), ...(verdict.touches ?? [])];
  const reason = why ?? verdict.why;
  // With options in front, a rule about `git push` would not match: so the plain form is added as well.
  const plainForm: Started[] = globals.length > 0 ? [{ words: [known('git'), ...rest] }] : [];
  return {
    ...verdict,
    touches,
    starts: [...starts, ...plainForm],
    ...(reason !== undefined && { why: reason }),
    ...(unknown !== undefined && { unknown }),
  };
}

/** `git -c alias.p=push p` is a push. */
function startedByAlias(
  subcommand: ShellField,
  after: readonly ShellField[],
  { aliases, globals }: GitWords,
): Pick<ProgramVerdict, 'starts' | 'unknown'> {
  const alias = aliases.findLast(({ name }) => name.toLowerCase() === subcommand.value?.toLowerCase());
  if (alias === undefined) return {};
  // Without its own definition, so that a recursive alias ends.
  const isOwn = (field: ShellField | undefined): boolean =>
    field?.value?.split('=')[0]?.toLowerCase() === `alias.${alias.name.toLowerCase()}`;
  const others = globals.filter((field, index) => !isOwn(field) && !isOwn(globals[index + 1]));
  const started = alias.value === undefined ? undefined : expandAlias(alias.value, others, after);
  return started ? { starts: [started] } : { unknown: `which command the alias ${alias.name} stands for is not known` };
}

function judgeSubcommand(
  subcommand: ShellField,
  args: readonly ShellField[],
  words: GitWords,
  tables: Tables,
): ProgramVerdict {
  const name = subcommand.value;
  if (name === undefined) return notHarmless(`which subcommand ${subcommand.text} stands for is not known`);
  const below = tables.nested.get(name);
  if (below) {
    const [second] = args;
    const isName = second?.value !== undefined && below.has(second.value);
    const form = below.get(isName ? (second?.value ?? '') : '');
    const verdict: ProgramVerdict = form
      ? judgeForm(form, isName ? args.slice(1) : args, words)
      : notHarmless(`git ${name} is not known to be harmless in this form`);
    return name === 'remote' || name === 'stash' ? { ...verdict, ...reaches(args) } : verdict;
  }
  const form = tables.forms.get(name);
  return form
    ? judgeForm(form, args, words)
    : {
        why: `git ${name} is not known to be harmless`,
        touches: changes(name, args, words.folder),
        ...(REMOTE.has(name) && reaches(args)),
      };
}

const REMOTE: ReadonlySet<string> = new Set(
  'clone fetch pull push ls-remote submodule archive fetch-pack send-pack request-pull bundle svn send-email'.split(
    ' ',
  ),
);

function reaches(args: readonly ShellField[]): { network?: readonly string[] } {
  const network = args.flatMap((field) => {
    const glued = /^--(?:repo|remote|url|push-url)=(.+)$/s.exec(field.value ?? '')?.[1];
    return addressOf(glued === undefined ? field : known(glued));
  });
  return network.length > 0 ? { network } : {};
}

function judgeForm(form: GitForm, args: readonly ShellField[], { folder, ignoresCase }: GitWords): ProgramVerdict {
  const parsed = parseOptions(args, form.options);
  const why =
    parsed.problem ??
    form.only?.(parsed) ??
    (form.operands === 'none' && parsed.operands.length > 0 ? 'it takes no operand in this form' : undefined);
  const optionPaths = parsed.options.flatMap(({ value, meaning }) => (value ? touch(meaning, value) : []));
  const touches = [...operandTouches(form, args, parsed, ignoresCase), ...optionPaths];
  const prints = form.lists?.(parsed) && folder === undefined ? [{ path: '.', tree: true }] : undefined;
  const writes = touches.some(({ access }) => access === 'write') ? 'it writes a file' : undefined;
  return {
    touches: touches.map((each) => inFolder(each, folder)),
    ...((why ?? writes) !== undefined && { why: why ?? writes }),
    ...(prints && { prints }),
    ...(form.needsWalls?.(parsed) && { needsWalls: true }),
  };
}

/**
 * The files that operands name. A form that prints the content of files reads all of them unless plain names restrict
 * it.
 */
function operandTouches(
  form: GitForm,
  args: readonly ShellField[],
  parsed: ParsedArguments,
  ignoresCase: boolean,
): Touch[] {
  const shows =
    form.tree === true || (form.shows !== undefined && (parsed.problem !== undefined || form.shows(parsed)));
  if (form.operands !== 'paths') return shows ? wholeTree() : [];
  const { before, behind } = splitOperands(args, form.options, parsed);
  if (hasOption(parsed, '--no-index')) {
    const paths =
      form.tree && !hasOption(parsed, '-e', '-f') ? [...before, ...behind].slice(1) : [...before, ...behind];
    return paths.length === 0 ? wholeTree() : paths.flatMap((path) => touch('read-tree', path));
  }
  const patterns = form.tree && !hasOption(parsed, '-e', '-f') ? 1 : 0; // the pattern of grep
  const given = before.slice(patterns);
  const pathspecs = before.length < patterns ? behind.slice(patterns - before.length) : behind;
  const named = given.flatMap(pathOf).flatMap((path) => touch(form.tree ? 'read-tree' : 'read', path));
  if (!shows) return [...named, ...pathspecs.flatMap(pathOf).flatMap((path) => touch('read', path))];
  const arePlain = pathspecs.every(isPlainPathspec) && !ignoresCase;
  const limits = form.tree
    ? pathspecs.length > 0 || named.length > 0
    : pathspecs.length > 0 || form.file === true || (given.length > 0 && given.every(isFileOfRevision));
  const trees = form.comparesTrees ? given.flatMap(({ value }) => fileOfRevision(value ?? '') ?? []) : [];
  return [
    ...named,
    ...trees.flatMap((path) => touch('read-tree', known(path))),
    ...pathspecs.filter(isPlainPathspec).flatMap((path) => touch(form.file ? 'read' : 'read-tree', path)),
    ...(limits && arePlain ? [] : wholeTree()),
  ];
}

function inFolder(each: Touch, folder: ShellField | undefined): Touch {
  if (folder === undefined || each.file.value?.startsWith('/')) return each;
  if (folder.value === undefined || each.file.value === undefined) {
    return { ...each, file: { text: each.file.text, mayBeOption: false, splits: false } };
  }
  return { ...each, file: known(`${folder.value}/${each.file.value}`) };
}

/**
 * The files that subcommands which change the working tree would write, and those that others print, as far as their
 * words show.
 */
function changes(name: string, args: readonly ShellField[], folder: ShellField | undefined): Touch[] {
  const operands = args.filter(({ value }) => !value?.startsWith('-'));
  const named = ['mv', 'rm', 'restore'].includes(name)
    ? operands.flatMap((path) => touch(name === 'rm' ? 'remove-tree' : 'write-tree', path))
    : [];
  const writesTree = CHANGING.has(name) ? touch('write-tree', known('.')) : [];
  const readsTree = PRINTING.has(name) ? wholeTree() : [];
  return [...named, ...writesTree, ...readsTree].map((each) => inFolder(each, folder));
}

const CHANGING: ReadonlySet<string> = new Set(
  'checkout switch reset clean merge rebase pull stash cherry-pick revert am apply bisect submodule'.split(' '),
);

// They print or send the content of files.
const PRINTING: ReadonlySet<string> = new Set(
  'archive bundle fast-export format-patch difftool mergetool merge-file merge-tree send-email request-pull upload-archive unpack-file pack-objects last-modified show-index gitk gui instaweb daemon'.split(
    ' ',
  ),
);

interface Tables {
  forms: ReadonlyMap<string, GitForm>;
  nested: ReadonlyMap<string, ReadonlyMap<string, GitForm>>;
}

function judgeWithTables(): Program['judge'] {
  let tables: Tables | undefined; // created on first use
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
        'git config --list --name-only',
        "git config --get-regexp '^alias'",
        'git config user.name',
        'git branch --abbrev=7',
        'git show --stat HEAD',
        'git diff --submodule=short',
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
        'git branch --abbrev name',
        'git branch --color name',
        'git branch --column name',
        'git config --list',
        'git config -l',
        'git config list',
        'git config --global --list',
        'git config --get-regexp .',
        "git config --get-regexp '^alias|http'",
        'git config --get http.extraHeader',
        'git config http.https://example.com.extraheader',
        'git config get credential.helper',
        'git config --get-urlmatch http https://example.com',
        'git var -l',
        'git branch --sort=signature',
        'git diff --submodule=log',
        'git log --submodule -1',
        'git -c alias.p=push p',
        'git clone https://example.com/x.git',
      ],
    },
  },
];
