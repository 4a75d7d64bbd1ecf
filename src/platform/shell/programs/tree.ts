// tree has its own parser: an option that takes a value takes the next unused word, and the letters after it in the
// same word are still options (`-Lo 1 out` writes `out`).
import { type Meaning, touch } from './options.js';
import type { Program, ProgramVerdict, ShellField, Touch } from './program.js';

// Not -l (follows links) and -R (writes 00Tree.html).
const flags = new Set('adfxqNQpugshDFvtcUriASnCXJ');
const valueLetters: ReadonlyMap<string, Meaning> = new Map([
  ['L', 'value'],
  ['P', 'value'],
  ['I', 'value'],
  ['H', 'value'],
  ['T', 'value'],
  ['o', 'write'],
]);
// Not those that read other files: --fromfile, --gitfile, --info, --infofile, --hintro, --houtro.
const longFlags = new Set(
  '--gitignore --ignore-case --matchdirs --metafirst --prune --noreport --si --du --inodes --device --dirsfirst --filesfirst --nolinks --version --help'.split(
    ' ',
  ),
);
const longValues = /^--(?:charset|filelimit|timefmt|sort)=[^=]*$/;

function judgeTree({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  const rest = [...args];
  const operands: ShellField[] = [];
  const touches: Touch[] = [];
  let why: string | undefined;
  for (let field = rest.shift(); field !== undefined; field = rest.shift()) {
    const { value } = field;
    if (value === undefined && field.mayBeOption) {
      why ??= `${field.text} may be an option`;
      operands.push(field);
    } else if (value === '--') {
      operands.push(...rest.splice(0));
    } else if (value === undefined || !value.startsWith('-') || value === '-') {
      operands.push(field);
    } else if (value.startsWith('--')) {
      // Versions of tree that do not know the option would take a separate value for a folder.
      if (!longFlags.has(value) && !longValues.test(value)) why ??= `the option ${value} is not known to be harmless`;
    } else if (!/^-L\d+$/.test(value)) {
      for (const letter of value.slice(1)) {
        const meaning = valueLetters.get(letter);
        if (meaning !== undefined) {
          const taken = rest.shift();
          if (taken === undefined) why ??= `the option -${letter} lacks its value`;
          else if (taken.splits) why ??= `${taken.text} may be several words`;
          else touches.push(...touch(meaning, taken));
        } else if (!flags.has(letter)) why ??= `the option -${letter} is not known to be harmless`;
      }
    }
  }
  if (touches.some(({ access }) => access === 'write')) why ??= 'it writes a file';
  const pathSpecs = operands.length > 0 ? operands : [{ text: '.', value: '.', mayBeOption: false, splits: false }];
  // Then it reads its operand as a list of names to skip, if that is a file.
  const filters = args.some(({ value }) => value === '--gitignore');
  return {
    touches: [
      ...touches,
      ...pathSpecs.flatMap((place) => touch('list-tree', place)),
      ...(filters ? operands.flatMap((operand) => touch('read', operand)) : []),
    ],
    ...(why !== undefined && { why }),
  };
}

export const tree: Program = {
  names: ['tree'],
  judge: judgeTree,
  examples: {
    harmless: [
      'tree',
      'tree -L 2 src',
      "tree -a -I 'node_modules|.git'",
      'tree -aL 2',
      'tree -L2',
      'tree --charset=ascii',
    ],
    not: [
      'tree -o out.txt',
      'tree -H . -o x',
      'tree *',
      'tree -Lo 1 .git/config',
      'tree -oL out 1',
      'tree -aLo 1 out',
      'tree -PIo a b out',
      'tree -R -L 1 -H .',
      'tree --fromfile list',
      'tree --fromfile=list',
      'tree --info',
      'tree --gitfile x',
      'tree --hintro=x',
      'tree -l',
      'tree --output x',
    ],
  },
};
