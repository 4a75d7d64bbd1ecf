// The small core of the shell's language that is relied on without walls: simple commands, pipes, lists, groups,
// redirections, and plain expansions where no word can become an option. Everything that branches, repeats, is defined or
// is evaluated is beyond it.
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
 * Whether a tree holds nothing but that core. A word that is not known before it runs is in it; whether it may be an
 * option, or an operator of a test, shows when the command is judged.
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

/** `$x`, `$(ls)`, `<(ls)`, `$((1 + 2))`, `{a,b}`: nothing in them is evaluated beyond the commands, which are looked at. */
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

/** Builtins and wrappers that add nothing to the core that would have to be followed. */
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

/** What changes the shell for the commands after it, or runs text. */
export const beyondCore: ReadonlySet<string> = new Set(
  'shift declare typeset local readonly export eval exec source . trap unset shopt alias builtin xargs gxargs wait return break continue let mapfile readarray getopts'.split(
    ' ',
  ),
);

/** Take some of their words for operators, names of variables or formats, so all of them must be known. */
export const takesLiterals: ReadonlySet<string> = new Set(['[', 'test', 'printf', 'read', 'set', 'cd', 'pushd']);
