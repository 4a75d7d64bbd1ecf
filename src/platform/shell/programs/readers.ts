// Core utilities that only print files or facts about them. Each has its own option table: a table that two programs
// share is wrong for one of them.
import { comparers } from './compare.js';
import { digests } from './digests.js';
import { dumps } from './dumps.js';
import {
  hasOption,
  judgePlain,
  mayBecomeOption,
  optionTable,
  parseOptions,
  plain,
  type TabledProgram,
} from './options.js';
import type { Program } from './program.js';
import { tree } from './tree.js';

// -I, -w and -T take no value on BSD systems.
const listOptions = optionTable(
  `-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I=either -w=either -T=either --all --almost-all --author --escape --block-size=
  --ignore-backups --color? --directory --dired --classify? --file-type --format= --full-time --group-directories-first
  --no-group --human-readable --si --dereference-command-line --dereference --hide= --hyperlink? --indicator-style=
  --inode --ignore= --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name
  --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero
  --help --version`,
);

const ls: TabledProgram = {
  names: ['ls', 'dir', 'vdir'],
  table: listOptions,
  judge({ args }) {
    const parsed = parseOptions(args, listOptions, { anyOption: true });
    const meaning = hasOption(parsed, '-R', '--recursive') ? 'list-tree' : 'list';
    const verdict = {
      ...judgePlain(parsed, { operands: [meaning], without: { place: '.', meaning } }),
      takesAnyOption: true,
    };
    const printed = parsed.operands.every(({ value }) => value !== undefined)
      ? (parsed.operands.length ? parsed.operands : [{ value: '.' }]).map(({ value = '.' }) => ({
          path: value,
          tree: true,
        }))
      : undefined;
    // Without the folder's name in front, its output is relative to that folder; with more than names in it, such as
    // symlink targets, a line is no file; `-a` lists the parent folder.
    const namesOnly = parsed.options.every(({ name }) => /^-[1AtrSvUXcu]$/.test(name));
    return parsed.operands.length === 0 && namesOnly && printed ? { ...verdict, prints: printed } : verdict;
  },
  examples: {
    harmless: ['ls', 'ls -la', 'ls -lah src', 'ls -R src', 'ls --color=auto *.ts', 'ls -1t | head'],
    not: ['ls > out.txt', 'ls --unheard-of', './ls', '/tmp/ls', 'ls --recur'],
  },
};

const statOptions = optionTable(
  '-LftxnqFrls -c= --dereference --file-system --cached= --format= --printf= --terse --help --version',
);

const stat: TabledProgram = {
  names: ['stat'],
  table: statOptions,
  judge({ args }) {
    const parsed = parseOptions(args, statOptions, { anyOption: true });
    const fileSystem = hasOption(parsed, '-f', '--file-system');
    return {
      ...judgePlain(parsed, { operands: ['list'] }),
      ...(args.some(mayBecomeOption) && { needsWalls: true }),
      ...(fileSystem && { observes: 'machine' as const }),
    };
  },
  examples: {
    harmless: ['stat a.txt', "stat -c '%s' a.txt", 'stat --format=%n *', 'stat -f .', 'stat -f %z a.txt'],
    not: ['stat -Z a', 'stat --file-sys a'],
  },
};

export const readers: readonly Program[] = [
  plain({
    names: 'more',
    options: '-# -dflcpsu',
    operands: ['read'],
    needsWalls: true,
    // `+/pattern` and `+number` are options too, not files.
    examples: { harmless: ['more a.txt', 'more -s a.txt'], not: ['more -x a', 'more $x', 'less a.txt', 'more -e a'] },
  }),
  ls,
  plain({
    names: 'du',
    options: `-0abchHDklLmPsSx -B= -d= -t= -X=read --null --all --apparent-size --block-size= --bytes --total
      --max-depth= --human-readable --inodes --count-links --dereference --dereference-args --no-dereference --separate-dirs --si --summarize
      --threshold= --time? --time-style= --exclude-from=read --exclude= --one-file-system --files0-from=names`,
    operands: ['list-tree'],
    anyOption: true,
    without: { place: '.', meaning: 'list-tree' },
    followsLinks: ['-L', '-H', '-D', '--dereference', '--dereference-args'],
    examples: {
      harmless: ['du -sh .', 'du -h --max-depth=1 src', 'du -sh *', 'du -sk src', 'du -L .', 'du --files0-from=list'],
      not: ['du --unheard-of', 'du . > x', 'du --files0 list'],
    },
  }),
  tree,
  plain({
    names: 'cat',
    options: `-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting
      --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['cat a.txt', 'cat -n a.txt b.txt', 'cat', 'cat src/*.ts', 'cat -- -n'],
      not: ['cat a > b', 'cat --unheard-of a'],
    },
  }),
  plain({
    names: 'head',
    filters: ['-#', '-n', '--lines'],
    options: '-# -n= -c= -qvz --lines= --bytes= --quiet --silent --verbose --zero-terminated --help --version',
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['head -20 README.md', 'head -n 5 a b', 'head --lines=3 a', 'head -c100 a'],
      not: ['head -x a', 'head --line 3 a'],
    },
  }),
  plain({
    names: 'tail',
    filters: ['-#', '-n', '--lines'],
    options: `-# -n= -c= -fFqvzr -s= --lines= --bytes= --follow? --retry --pid= --sleep-interval= --max-unchanged-stats=
      --quiet --silent --verbose --zero-terminated --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['tail -n 5 log.txt', 'tail -n +2 a', 'tail -5 a', 'tail -f log.txt'], not: ['tail -x a'] },
  }),
  plain({
    names: 'wc',
    options: '-clmLw --bytes --chars --lines --max-line-length --words --total= --files0-from=names --help --version',
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['wc -l a.txt', 'wc -lw *.md', 'wc', 'wc --files0-from=list', 'wc -l --files0-from=-'],
      not: ['wc -x a', 'wc --files=list'],
    },
  }),
  plain({
    names: 'nl',
    options: `-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering=
      --header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator=
      --starting-line-number= --number-width= --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['nl a.txt', 'nl -ba a.txt', 'nl -p a.txt'], not: ['nl -Z a', 'nl -r a', 'nl --before a'] },
  }),
  plain({
    names: 'tac',
    options: '-br -s= --before --regex --separator= --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['tac a.txt', 'tac -s , a.csv'], not: ['tac a > b', 'tac -n 5 a', 'tac -p a'] },
  }),
  plain({
    names: 'rev',
    options: '-hV --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['rev a.txt', 'rev'], not: ['rev -s a b', 'rev a > b'] },
  }),
  stat,
  plain({
    // Not -z (runs a decompressor), -p (sets the access time), -m, -f and -C (read or write other files).
    names: 'file',
    options: `-bchikLnNrsSvE0 -I -F= -e= -P= --brief --checking-printout --extension --separator= --no-buffer --no-pad --raw --mime
      --mime-type --mime-encoding --keep-going --dereference --no-dereference --special-files --print0 --exclude=
      --exclude-quiet= --parameter= --no-sandbox --apple --help --version`,
    operands: ['read'],
    examples: {
      harmless: ['file src/a.ts', 'file -b --mime-type a.bin', 'file -bi a.bin', 'file -F : a'],
      not: [
        'file -m evil a',
        'file -bm evil a',
        'file -mevil a',
        'file -f list',
        'file -C -m x',
        'file --files-from=x',
        'file --files x',
        'file -z a.gz',
        'file -p a',
        'file *',
      ],
    },
  }),
  plain({
    names: 'df',
    options: `-ahHiklPTv -B= -t= -x= --all --block-size= --human-readable --si --inodes --local --no-sync --output? --portability
      --total --type= --print-type --exclude-type= --help --version`,
    operands: ['read'], // df opens what it is asked about, so that the kernel mounts it
    anyOption: true,
    observes: 'machine',
    examples: { harmless: ['df -h', 'df -h .'], not: ['df --sync', 'df -Q'] },
  }),
  plain({
    names: 'realpath',
    options: `-eEmLPqsz --canonicalize --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip
      --no-symlinks --zero --relative-to=list --relative-base=list --help --version`,
    operands: ['list'],
    anyOption: true,
    examples: {
      harmless: ['realpath a.txt', 'realpath --relative-to=src a.txt', 'realpath -s a'],
      not: ['realpath --unheard-of a', 'realpath -f a'],
    },
  }),
  plain({
    names: 'readlink',
    options: `-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose
      --zero --help --version`,
    operands: ['list'],
    anyOption: true,
    examples: { harmless: ['readlink -f a.txt', 'readlink a'], not: ['readlink --relative-to=src a', 'readlink -L a'] },
  }),
  plain({
    names: 'basename',
    options: '-az -s= --multiple --suffix= --zero --help --version',
    operands: ['value'],
    anyOption: true,
    examples: {
      harmless: ['basename /usr/lib/x.so', 'basename "$x" .ts', 'basename -s .ts a.ts'],
      not: ['basename -Q x'],
    },
  }),
  plain({
    names: 'dirname',
    options: '-z --zero --help --version',
    operands: ['value'],
    anyOption: true,
    examples: { harmless: ['dirname src/a.ts', 'dirname "$x"'], not: ['dirname -s x y', 'dirname -Q x'] },
  }),
  ...digests,
  ...dumps,
  ...comparers,
];
