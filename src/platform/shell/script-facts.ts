// Facts about a whole script, found by scanning its tree; computed on first use.
import type { SyntaxNode } from 'unbash';
import { once } from '../lazy.js';
import type { Parser } from './parse-command.js';
import { hasArrays, implicitlyAssigned, keepsOutputs, numericVariables } from './scan-command.js';

export interface ScriptFacts {
  /** Variables that hold only numbers wherever the script sets them. */
  numbers(): ReadonlySet<string>;
  /** Variables that an expansion sets as a side effect (`${x:=y}`, `$((x=1))`): their values are not tracked. */
  implicitlyAssigned(): ReadonlySet<string>;
  /** Whether some variable may be an array, which `declare` evaluates. */
  hasArrays(): boolean;
  /** Whether the standard output of a function is always some output. */
  keepsOutputs(): boolean;
}

export const factsOf = (tree: SyntaxNode, parser: Parser): ScriptFacts => ({
  numbers: once(() => numericVariables(tree, parser)),
  implicitlyAssigned: once(() => implicitlyAssigned(tree, parser)),
  hasArrays: once(() => hasArrays(tree, parser)),
  keepsOutputs: once(() => keepsOutputs(tree, parser)),
});

/** For a script inside another one. */
export const nestedFacts = (outer: ScriptFacts, inner: ScriptFacts, sameShell: boolean): ScriptFacts => ({
  numbers: sameShell ? () => new Set() : inner.numbers,
  implicitlyAssigned: once(() => new Set([...outer.implicitlyAssigned(), ...inner.implicitlyAssigned()])),
  hasArrays: () => outer.hasArrays() || inner.hasArrays(),
  keepsOutputs: () => false,
});
