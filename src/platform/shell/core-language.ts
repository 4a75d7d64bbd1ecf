// The small core of the shell's language that is relied on without walls: simple commands with literal words, pipes,
// lists, groups, and redirections. Everything that expands, branches, repeats or is defined is beyond it.
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

/** Whether a tree holds nothing but that core. Globs are in it; whether one may be an option shows when it is expanded. */
export function isCoreLanguage(tree: SyntaxNode, { forEachChild }: Parser): boolean {
  let isCore = true;
  const visit = (node: SyntaxNode): void => {
    if (!isCore) return;
    const setsVariables = node.type === 'Command' && node.name === undefined && node.prefix.length > 0;
    isCore = core.has(node.type) && !setsVariables && !(node.type === 'Statement' && node.background === true);
    if (isCore) forEachChild(node, visit);
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
]);

/** What changes the shell for the commands after it, or runs text. */
export const beyondCore: ReadonlySet<string> = new Set(
  'set shift read declare typeset local readonly export eval exec source . trap unset shopt alias builtin command xargs gxargs wait return break continue'.split(
    ' ',
  ),
);
