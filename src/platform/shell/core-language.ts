// The small core of the shell's language that is relied on without walls: simple commands with literal words, pipes,
// lists, groups, and redirections. Everything that expands, branches, repeats or is defined is beyond it, but for what
// `echo` is given in double quotes: it takes every word as text.
import type { Command, SyntaxNode } from 'unbash';
import type { Parser } from './parse-command.js';
import type { Field } from './programs/program.js';

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

/** It has no option that does more than print. */
export const isEcho = (node: SyntaxNode): node is Command => node.type === 'Command' && node.name?.text === 'echo';

/** Whether a tree holds nothing but that core. Globs are in it; whether one may be an option shows when it is expanded. */
export function isCoreLanguage(tree: SyntaxNode, { forEachChild }: Parser): boolean {
  let isCore = true;
  const visit = (node: SyntaxNode, isPrinted = false): void => {
    if (!isCore) return;
    if (isPrinted && node.type === 'ArithmeticExpansion' && NUMBERS.test(node.text)) return;
    if (isPrinted && node.type === 'CommandExpansion' && node.script) {
      visit(node.script);
      return;
    }
    const setsVariables = node.type === 'Command' && node.name === undefined && node.prefix.length > 0;
    isCore = core.has(node.type) && !setsVariables && !(node.type === 'Statement' && node.background === true);
    if (!isCore) return;
    if (isEcho(node)) {
      for (const word of node.args) forEachChild(word, (part) => visitPrinted(part));
      for (const other of [...node.prefix, ...node.redirects]) visit(other);
      return;
    }
    forEachChild(node, (child) => visit(child));
  };
  const visitPrinted = (part: SyntaxNode): void => {
    if (part.type === 'DoubleQuoted') forEachChild(part, (inner) => visit(inner, true));
    else visit(part);
  };
  visit(tree);
  return isCore;
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
  'find',
  'gfind',
]);

/** What changes the shell for the commands after it, or runs text. */
export const beyondCore: ReadonlySet<string> = new Set(
  'set shift read declare typeset local readonly export eval exec source . trap unset shopt alias builtin command xargs gxargs wait return break continue'.split(
    ' ',
  ),
);

/** `command -v node` only says where a program is. */
export const isLookUp = (name: string, [option]: readonly Field[]): boolean =>
  name === 'command' && (option?.value === '-v' || option?.value === '-V');
