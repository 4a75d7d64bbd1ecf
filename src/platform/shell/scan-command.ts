// What a part of a command may do on any path through it: found by scanning its whole tree.
import type { SyntaxNode, Word } from 'unbash';
import type { Parser } from './parse-command.js';

/** Builtins that may change the shell's directory, or run code that does. */
export const MOVERS: ReadonlySet<string> = new Set([
  'cd',
  'pushd',
  'popd',
  'chdir',
  'eval',
  'source',
  '.',
  'builtin',
  'command',
]);

/** Builtins that may change the shell's descriptors, or run code that does. */
export const OPENERS: ReadonlySet<string> = new Set(['exec', 'eval', 'source', '.', 'builtin', 'command']);

const EVALUATORS: ReadonlySet<string> = new Set(['eval', 'source', '.', 'trap', 'builtin', 'command']);

/** Whether the shell itself, not a child of it, may run one of these in here: an unknown name may be one, too. */
export function mayRun(
  nodes: readonly SyntaxNode[],
  names: ReadonlySet<string>,
  { forEachChild }: Pick<Parser, 'forEachChild'>,
): boolean {
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (found || node.type === 'Subshell') return;
    if (node.type === 'Command' && node.name) {
      const { name } = node;
      found = name.parts?.some((part) => part.type !== 'Literal') === true || names.has(name.value);
    }
    forEachChild(node, visit);
  };
  for (const node of nodes) visit(node);
  return found;
}

/** Whether a variable may be an array. */
export function hasArrays(tree: SyntaxNode, { forEachChild }: Parser): boolean {
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (found) return;
    const isArray = node.type === 'ArrayValue' || (node.type === 'Assignment' && node.index !== undefined);
    // `read -a`, `mapfile`, or anything that is evaluated.
    const mayMake =
      node.type === 'Command' &&
      node.name !== undefined &&
      !/^(echo|declare|typeset|local|readonly|export|test|\[|cd|ls|cat|grep)$/.test(node.name.value) &&
      (/^(mapfile|readarray|eval|source|\.|builtin|command)$/.test(node.name.value) ||
        node.args.some(({ text }) => /^-\w*a/.test(text)));
    found = isArray || mayMake;
    forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/**
 * Whether nothing in here redirects a function's output to a file that is open for reading: then a name like
 * /dev/stdout refers to some output in every function.
 */
export function keepsOutputs(tree: SyntaxNode, { forEachChild }: Parser): boolean {
  let keeps = true;
  const visit = (node: SyntaxNode): void => {
    if (!keeps) return;
    if (node.type === 'Redirect') {
      const { operator, descriptor, target } = node;
      const number = descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined;
      const reads = operator === '<' || operator === '<>' || operator === '<&';
      const copies = operator === '>&' && !/^[12]$/.test(target?.text ?? '');
      keeps = !(reads && descriptor !== undefined && number !== 0) && !copies;
    }
    if (node.type === 'Command' && node.name) {
      keeps &&= !OPENERS.has(node.name.value) && !node.name.parts?.some((part) => part.type !== 'Literal');
    }
    forEachChild(node, visit);
  };
  visit(tree);
  return keeps;
}

/** The variables that expansions and arithmetic in here may set. */
export function implicitlyAssigned(tree: SyntaxNode, { forEachChild }: Parser): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'ArithmeticWord') for (const [name] of node.value.matchAll(/[A-Za-z_]\w*/g)) names.add(name);
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') names.add(node.parameter);
    if (node.type === 'FileDescriptorVariable') names.add(node.name);
    forEachChild(node, visit);
  };
  visit(tree);
  return names;
}

/** The variables that anything in here may set. */
export function assignedIn(nodes: readonly SyntaxNode[], { forEachChild }: Parser): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment') names.add(node.name);
    if (node.type === 'For' || node.type === 'Select') names.add(node.name.value);
    if (node.type === 'ArithmeticWord') for (const [name] of node.value.matchAll(/[A-Za-z_]\w*/g)) names.add(name);
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') names.add(node.parameter);
    if (node.type === 'Command') {
      for (const argument of node.args)
        if (/^[A-Za-z_]\w*/.test(argument.text)) names.add(/^\w+/.exec(argument.text)?.[0] ?? '');
    }
    forEachChild(node, visit);
  };
  for (const node of nodes) visit(node);
  return names;
}

/** A number, or a computed one: the word must contain nothing else. */
const isNumberWord = ({ text, parts }: Word): boolean =>
  parts === undefined ? /^\d+$/.test(text) : parts.length === 1 && parts[0]?.type === 'ArithmeticExpansion';

// Set by the shell itself, always to a number.
const ALWAYS_NUMBERS = ['RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID', 'BASHPID', 'EPOCHSECONDS'];

/** The variables that hold only numbers wherever the command sets them. */
export function numericVariables(tree: SyntaxNode, { forEachChild }: Parser): ReadonlySet<string> {
  const numbers = new Set(ALWAYS_NUMBERS);
  const others = new Set<string>();
  // A function may be named `seq`, and print something else; evaluated text may set variables that its words do not
  // show.
  let isOpen = mayRun([tree], EVALUATORS, { forEachChild });
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Function') isOpen = true;
    if (node.type === 'Assignment') {
      const isNumber = node.value.type === 'Word' && isNumberWord(node.value) && !node.index && !node.append;
      (isNumber ? numbers : others).add(node.name);
    } else if (node.type === 'For') {
      const areNumbers =
        node.wordlist?.every(({ text }) => /^(\d+|\{\d+\.\.\d+\}|\$\(seq [\d ]+\))$/.test(text)) ?? false;
      (areNumbers ? numbers : others).add(node.name.value);
    } else if (node.type === 'Select') {
      others.add(node.name.value);
    } else if (node.type === 'ArithmeticBinary' && /=$/.test(node.operator) && !/^[=!<>]=$/.test(node.operator)) {
      if (node.left.type === 'ArithmeticWord') numbers.add(node.left.value.trim());
    } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      others.add(node.parameter);
    } else if (node.type === 'Command' && node.name) {
      // `read n`, `printf -v n`, `declare n=…`: any command that names a variable may set it.
      if (
        !/^(echo|printf|test|\[|seq|head|tail|sleep|ls|cat|true|false|:)$/.test(node.name.value) ||
        /-v/.test(node.args[0]?.text ?? '')
      ) {
        for (const { text } of node.args)
          for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) if (!/^\$/.test(text)) others.add(name);
      }
    }
    forEachChild(node, visit);
  };
  visit(tree);
  return new Set(isOpen ? [] : [...numbers].filter((name) => !others.has(name)));
}
