// Builtins of the shell. The walk itself tracks what they change for later commands (directory, variables).
import { isPlainVariable } from '../assignments.js';
import { storesCount } from '../printf-format.js';
import { optionTable, parseOptions, plain, touch } from './options.js';
import { notHarmless, type Program, type ProgramVerdict, type ShellField } from './program.js';
import { fromStream, isStream } from './program-input.js';

const isName = ({ value }: ShellField): boolean => value !== undefined && /^[A-Za-z_]\w*$/.test(value);

/** A word in which nothing can be evaluated, whatever operator precedes it. */
const hasNoSubscript = ({ value }: ShellField): boolean => value !== undefined && !value.includes('[');

const testFiles = /^-[abcdefghkprsuwxLNOGS]$/;

/**
 * `test` evaluates the subscript of the word after -v or -R, wherever that appears; all other operators only inspect.
 * A word that is not literal may be such an operator, and the next word its operand.
 */
function judgeTest({ name, args }: { name: string; args: readonly ShellField[] }): ProgramVerdict {
  const last = args.at(-1);
  if (name === '[' && last?.value !== ']') return notHarmless('it has no closing ]');
  const words = name === '[' ? args.slice(0, -1) : args;
  const mayEvaluate = ({ value }: ShellField): boolean => value === undefined || value === '-v' || value === '-R';
  const maySubscript = (field: ShellField | undefined): boolean =>
    field !== undefined && !field.isNumber && !hasNoSubscript(field);
  if (words.some((word, index) => !word.isNumber && mayEvaluate(word) && maySubscript(words[index + 1])))
    return notHarmless('it may evaluate the subscript of what it is given');
  if (words.some(({ value, splits, isNumber }) => value === undefined && splits && !isNumber))
    return notHarmless('a word of it may be several words');
  const touches = words.flatMap(({ value }, index) => {
    const next = words[index + 1];
    // Whether an unknown file exists is only one bit of information; a known one counts as read.
    const isKnown = next !== undefined && (next.value !== undefined || next.pathSpecs !== undefined);
    const compared = /^-(nt|ot|ef)$/.test(value ?? '') ? [words[index - 1], next] : [];
    const looked = value !== undefined && testFiles.test(value) && isKnown ? [next] : compared;
    return looked.flatMap((file) => (file?.value === undefined ? [] : touch('list', file)));
  });
  const asksToWrite = words.some(({ value }) => value === '-w');
  return { touches, ...(asksToWrite && { observes: 'machine' }) };
}

const setOptions = new Set(['errexit', 'nounset', 'pipefail', 'xtrace', 'verbose']);

function judgeSet({ args }: { args: readonly ShellField[] }): ProgramVerdict {
  if (args.length === 0) return notHarmless('it prints every variable');
  for (let index = 0; index < args.length; index += 1) {
    const value = args[index]?.value;
    if (value === '--') return {};
    if (value === undefined || !/^[-+][euxvo]+$/.test(value))
      return notHarmless('it may change how the shell reads commands');
    if (value.includes('o')) {
      index += 1;
      if (!setOptions.has(args[index]?.value ?? '')) return notHarmless('it may change how the shell reads commands');
    }
  }
  return {};
}

const declareOptions = optionTable('-r -x -g');

function judgeDeclare({ name, args }: { name: string; args: readonly ShellField[] }): ProgramVerdict {
  const parsed = parseOptions(args, declareOptions);
  if (parsed.problem !== undefined) return notHarmless(parsed.problem);
  const isPlainName = ({ value, text }: ShellField): boolean =>
    isPlainVariable(/^([A-Za-z_]\w*)(=|$)/.exec(value ?? text)?.[1] ?? 'PATH');
  const exports = name === 'export' || parsed.options.some(({ name: option }) => option === '-x');
  if (exports) return notHarmless('it sets what later programs get as their environment');
  if (parsed.operands.length === 0) return notHarmless('it prints every variable');
  return parsed.operands.every(isPlainName) ? {} : notHarmless('it may set a variable that programs know');
}

const readOptions = optionTable('-r -s -d= -n= -N= -t= -p= -a=');

export const shell: readonly Program[] = [
  plain({
    names: 'cd',
    options: '-LPe',
    operands: ['list'],
    maxOperands: 1,
    examples: { harmless: ['cd src && ls', 'cd', 'cd ..'], not: ['cd a b', 'CDPATH=/tmp cd evil'] },
  }),
  plain({
    names: 'pushd',
    operands: ['list'],
    maxOperands: 1,
    examples: { harmless: ['pushd src'], not: ['pushd -n x'] },
  }),
  plain({ names: 'popd dirs', operands: 'none', examples: { harmless: ['popd', 'dirs'], not: ['popd -n'] } }),
  plain({
    names: 'pwd',
    options: '-LP --logical --physical --help --version',
    operands: 'none',
    examples: { harmless: ['pwd', 'pwd -P'], not: ['pwd x'] },
  }),
  plain({
    names: 'true false :',
    operands: ['value'],
    anyOption: true,
    examples: { harmless: ['true', 'false', ': "$x"', 'true || ls'], not: ['true > x'] },
  }),
  {
    names: ['echo'],
    // Printing a glob lists the folder.
    judge: ({ args }) => ({
      touches: args
        .filter(({ value, pathSpecs, text }) => value === undefined && pathSpecs && /^[^"$`']*[*?[]/.test(text))
        .flatMap((field) => touch('list', field)),
    }),
    examples: {
      harmless: ['echo hello', 'echo "$HOME"', 'echo -n a', 'echo "$(git rev-parse HEAD)"', 'echo *'],
      not: ['echo x > a', 'echo $(touch x)'],
    },
  },
  {
    names: ['printf'],
    judge({ args }) {
      const [first, second] = args;
      if (first?.value === undefined && first?.mayBeOption) return notHarmless(`${first.text} may be the option -v`);
      if (first?.value?.startsWith('-') && first.value !== '--' && first.value !== '-')
        return notHarmless('-v sets a variable');
      const format = first?.value === '--' ? second : first;
      return format && storesCount(format.value) ? notHarmless('its format may set a variable by %n') : {};
    },
    examples: {
      harmless: ["printf '%s\\n' foo", 'printf -- x', 'printf \'%s\' "$x"'],
      not: [
        "printf -v 'a[$(x)]' y",
        'printf $x',
        'printf "$x" y',
        'printf "a$x" y',
        "printf 'a%n' PATH",
        "printf -- '%5.3n' PATH",
        "printf '%hhn' x",
        "printf '%*n' 3 x",
      ],
    },
  },
  {
    names: ['test', '['],
    judge: judgeTest,
    examples: {
      harmless: [
        'test -f a.txt',
        '[ -d src ]',
        'i=0; while [ $i -lt 3 ]; do i=$((i+1)); done',
        '[ "$a" = b ]',
        'test -z "$x" && echo y',
      ],
      not: [
        "test -v 'a[$(touch x)]'",
        '[ -f a',
        'test $x',
        '[ ! ! "$1" "$2" ]',
        '[ "$op" "$x" ]',
        '[ -v "$x" ]',
        "[ a -o -v 'b[1]' ]",
        '[ ! "$op" \'a[1]\' ]',
      ],
    },
  },
  plain({
    names: 'sleep',
    operands: ['value'],
    anyOption: true,
    examples: { harmless: ['sleep 1', 'sleep 0.5'], not: ['sleep 1 > x'] },
  }),
  plain({
    names: 'seq yes',
    options: '-w -f= -s= --format= --separator= --equal-width -# --help --version',
    operands: ['value'],
    anyOption: true,
    examples: { harmless: ['seq 1 10', 'seq -s, 3', 'yes | head'], not: ['seq 3 > x'] },
  }),
  plain({
    names: 'exit return break continue shift wait',
    operands: ['value'],
    examples: { harmless: ['exit 1', 'ls || exit', 'wait'], not: ['wait -p x', 'exit $x'] },
  }),
  plain({
    names: 'times jobs',
    operands: 'none',
    examples: { harmless: ['jobs', 'times'], not: ['jobs -x ls'] },
  }),
  {
    names: ['set'],
    judge: judgeSet,
    examples: {
      harmless: ['set -e', 'set -euo pipefail', 'set -- a b', 'set +x'],
      not: ['set', 'set -o posix', 'set -k', 'set $x', 'set -f'],
    },
  },
  {
    names: ['declare', 'typeset', 'local', 'readonly', 'export'],
    judge: judgeDeclare,
    examples: {
      harmless: ['declare x=1', 'local dir=src', 'readonly n=2'],
      not: [
        'export A=1',
        'declare -x a=1',
        'declare',
        'declare -i n=x',
        'declare -n r=PATH',
        'export PATH=.',
        'declare PATH=.',
        "declare 'a[$(x)]=1'",
      ],
    },
  },
  {
    names: ['read'],
    judge({ args }) {
      const parsed = parseOptions(args, readOptions);
      if (parsed.problem !== undefined) return notHarmless(parsed.problem);
      const names = [
        ...parsed.operands,
        ...parsed.options.flatMap(({ name, value }) => (name === '-a' && value ? [value] : [])),
      ];
      return names.every((field) => isName(field) && isPlainVariable(field.value ?? ''))
        ? {}
        : notHarmless('it may set a variable that programs know');
    },
    examples: {
      harmless: ['read -r line', 'while IFS= read -r line; do echo "$line"; done < a.txt'],
      not: ['read PATH', "read 'a[$(x)]'", 'read $x', 'IFS=x ls'],
    },
  },
  {
    names: ['kill'],
    judge: ({ args }) =>
      args.length === 1 && args[0]?.value === '-l'
        ? {}
        : notHarmless('it sends a signal to processes, which may end them'),
    examples: { harmless: ['kill -l'], not: ['kill 1', 'kill -9 1', 'kill', 'kill -l $x', 'kill $x'] },
  },
  {
    names: [
      'unset',
      'shopt',
      'alias',
      'unalias',
      'enable',
      'hash',
      'bind',
      'complete',
      'compgen',
      'mapfile',
      'readarray',
      'let',
      'getopts',
      'ulimit',
      'umask',
      'fc',
      'history',
      'disown',
      'bg',
      'fg',
      'suspend',
      'logout',
      'caller',
      'compopt',
    ],
    judge: ({ name }) => {
      const redefines = [
        'alias',
        'enable',
        'hash',
        'shopt',
        'bind',
        'mapfile',
        'readarray',
        'let',
        'complete',
        'unalias',
      ].includes(name);
      const why = `${name} may change what later commands do`;
      return redefines ? { why, unknown: `${why}, or run something itself` } : { why };
    },
    examples: {
      harmless: [],
      not: [
        "alias ls='touch x'",
        'shopt -s extglob',
        'hash -p ./x ls',
        'enable -f x y',
        "mapfile -t -C 'touch x' -c 1 A < a.txt",
        "let 'a[$(x)]=1'",
        'bind -x \'"a":x\'',
        'unset -f ls',
      ],
    },
  },
  {
    names: ['source', '.'],
    judge: ({ args: [file] }) => ({
      why: 'it runs a file as a script in this shell',
      touches: file ? touch('read', file) : [],
      // `-` is the name of a file here.
      ...(file && file.value !== '-' && isStream(file) && { ...fromStream(file, 'bash'), inThisShell: true }),
    }),
    examples: { harmless: [], not: ['. ./evil.sh', 'source venv/bin/activate'] },
  },
  {
    names: ['eval'],
    judge({ args }) {
      const values = args.map(({ value }) => value);
      const script = values.filter((value) => value !== undefined);
      if (script.length < values.length)
        return { why: 'what it evaluates is not known', unknown: 'what eval runs is not known before it runs' };
      return {
        starts: [
          { script: (script[0] === '--' ? script.slice(1) : script).join(' '), dialect: 'bash', sameShell: true },
        ],
      };
    },
    examples: { harmless: ["eval 'ls src'", 'eval ls'], not: ["eval 'rm x'", 'eval "$x"', 'eval rm x'] },
  },
  {
    names: ['trap'],
    judge({ args }) {
      const [script] = args.filter(({ value }) => value !== '--');
      if (script === undefined || /^-[lp]$/.test(script.value ?? '')) return {};
      if (script.value === undefined)
        return { why: 'what it runs is not known', unknown: 'what trap runs is not known before it runs' };
      return { why: 'it runs something later', starts: [{ script: script.value, dialect: 'bash', sameShell: true }] };
    },
    examples: { harmless: ['trap -l'], not: ["trap 'rm x' EXIT", 'trap "$x" EXIT'] },
  },
];
