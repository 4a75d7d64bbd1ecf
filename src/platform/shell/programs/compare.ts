// Programs that compare files, and trees of files.
import {
  hasOption,
  judgePlain,
  type OptionTable,
  optionTable,
  parseOptions,
  plain,
  type TabledProgram,
} from './options.js';
import type { Program, Touch } from './program.js';

// Not -l (runs pr). If operands are folders, the files in them are read, and symlinks in them are followed.
const diffText = `-abBcdeEfHinNpPqrstTuvwyZ0123456789 -C= -U= -D= -F= -I= -L= -S= -W= -x= -X=read --normal --brief
  --report-identical-files --context? --unified? --ed --rcs --side-by-side --width= --left-column --suppress-common-lines
  --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= --suppress-blank-empty
  --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case
  --exclude= --exclude-from=read --starting-file= --from-file=read-tree --to-file=read-tree --ignore-case
  --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines
  --ignore-matching-lines= --text --strip-trailing-cr --ifdef= --line-format= --minimal --horizon-lines=
  --speed-large-files --color? --palette= --help --version`;

/** Marks a tree in which symlinks are followed, so that their targets count as read too. */
function throughLinks(touch: Touch): Touch {
  const { file, tree, access } = touch;
  if (!tree || access !== 'read' || file.value === undefined) return touch;
  const { text, value } = file;
  return { ...touch, file: { text, mayBeOption: false, splits: false, pathSpecs: [{ path: value, tree: true }] } };
}

function comparer(
  names: string,
  table: OptionTable,
  needsWalls: boolean,
  examples: Program['examples'],
): TabledProgram {
  return {
    names: names.split(' '),
    table,
    examples,
    judge({ args }) {
      const parsed = parseOptions(args, table);
      const { touches = [], ...verdict } = judgePlain(parsed, { operands: ['read-tree'] });
      const followed = hasOption(parsed, '--no-dereference') ? touches : touches.map(throughLinks);
      return { ...verdict, touches: followed, ...(needsWalls && { needsWalls }) };
    },
  };
}

export const comparers: readonly Program[] = [
  comparer('diff', optionTable(diffText), false, {
    harmless: ['diff a.txt b.txt', 'diff -u a b', 'diff -r src test', 'diff <(ls src) <(ls test)', 'diff -U3 a b'],
    not: [
      'diff --unheard-of a b',
      'diff <(touch x) a',
      'diff -l a b',
      'diff -ul a b',
      'diff --paginate a b',
      'diff --from a b',
    ],
  }),
  comparer('colordiff', optionTable(diffText), true, {
    harmless: ['colordiff a b', 'colordiff -u a b'],
    not: ['colordiff --difftype=diffy a b', 'colordiff -l a b', 'colordiff > x'],
  }),
  plain({
    names: 'cmp',
    options: '-bls -i= -n= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['cmp a b', 'cmp -s a b'], not: ['cmp -Q a b'] },
  }),
  plain({
    // Runs diff, and an editor if it writes a file.
    names: 'sdiff',
    options: `-abBdEiHlstvWZ -o=write --output=write -w= -I= --ignore-case --ignore-all-space --width= --left-column
      --suppress-common-lines --text --minimal --help --version`,
    operands: ['read'],
    examples: {
      harmless: ['sdiff a b', 'sdiff -s a b'],
      not: [
        'sdiff -o out a b',
        'sdiff -so out a b',
        'sdiff --output=x a b',
        'sdiff --out x a b',
        'sdiff --diff-program=x a b',
      ],
    },
  }),
];
