// Git: its forms are a table of what reads. Harmless holds only together with the environment that the runner sets, which
// turns off what a repository's own configuration could start.
import { type Form, forms, nested } from './git-forms.js';
import { hasOption, parseOptions, touch } from './options.js';
import { type Field, known, notHarmless, type Program, type Started, type Touch, type Verdict } from './program.js';

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
