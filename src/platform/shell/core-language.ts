// The core of the shell language that is trusted without confinement: simple commands, pipes, lists, groups,
// redirections, and plain expansions if no word can become an option. Everything that branches, loops, defines or
// evaluates is outside it.
import type { SyntaxNode } from 'unbash';
import type { Parser } from './parse-command.js';

const core: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'CompoundList',
  'Command',
  'Pipeline',
  'Time',
  'Negation',
  'AndOr',
  'Subshell',
  'BraceGroup',
  'Redirected',
  'Redirect',
  'FileDescriptor',
  'HereString',
  'HereDoc',
  'HereDocDelimiter',
  'HereDocBody',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  'AnsiCQuoted',
  'Glob',
  'Assignment',
]);

const NUMBERS = /^\$\(\([\d\s+*/%()-]+\)\)$/;

/**
 * Whether a tree uses only that core. Words that are unknown before the command runs are allowed; whether they may be
 * options, or operators of a test, is checked when the command is judged.
 */
export function isCoreLanguage(tree: SyntaxNode, { forEachChild }: Parser): boolean {
  let isCore = true;
  const visit = (node: SyntaxNode): void => {
    if (!isCore) return;
    isCore = core.has(node.type) || isPlainExpansion(node);
    if (node.type === 'Statement' && node.background === true) isCore = false;
    if (isCore && node.type !== 'ArithmeticExpansion') forEachChild(node, visit);
  };
  visit(tree);
  return isCore;
}

/** `$x`, `$(ls)`, `<(ls)`, `$((1 + 2))`, `{a,b}`: these evaluate only the commands in them, which are checked. */
function isPlainExpansion(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'SimpleExpansion':
      return /^\$[A-Za-z_]\w*$/.test(node.text);
    case 'ParameterExpansion':
      return node.prefix === undefined && node.index === undefined && node.operation === undefined;
    case 'CommandExpansion':
      return node.script !== undefined;
    case 'ProcessSubstitution':
      return node.operator === '<' && node.script !== undefined;
    case 'ArithmeticExpansion':
      return NUMBERS.test(node.text);
    case 'BraceExpansion':
      return true;
    default:
      return false;
  }
}

/** Builtins and wrappers that need no special handling. */
export const coreStarters: ReadonlySet<string> = new Set([
  'timeout',
  'gtimeout',
  'nice',
  'stdbuf',
  'time',
  'gtime',
  'env',
  'command',
  'find',
  'gfind',
]);

/** Commands that change the shell for later commands, or run text. */
export const beyondCore: ReadonlySet<string> = new Set(
  'shift declare typeset local readonly export eval exec source . trap unset shopt alias builtin xargs gxargs wait return break continue let mapfile readarray getopts'.split(
    ' ',
  ),
);

/** Commands that treat some words as operators, variable names or formats, so all words must be known. */
export const takesLiterals: ReadonlySet<string> = new Set(['[', 'test', 'printf', 'read', 'set', 'cd', 'pushd']);
