// What is known of a whole script by looking at all of its tree; looked for when it is first asked for.
import type { SyntaxNode } from 'unbash';
import type { Parser } from './parse-command.js';
import { hasArrays, keepsOutputs, numericVariables, setOnTheSide } from './scan-command.js';

export interface ScriptFacts {
  /** Variables that hold nothing but numbers wherever the script sets them. */
  numbers(): ReadonlySet<string>;
  /** Variables that an expansion sets on the side (`${x:=y}`, `$((x=1))`): what they hold is not followed. */
  setOnTheSide(): ReadonlySet<string>;
  /** Whether some variable may be an array, which `declare` evaluates. */
  hasArrays(): boolean;
  /** Whether the standard output of a function is always some output. */
  keepsOutputs(): boolean;
}

export const factsOf = (tree: SyntaxNode, parser: Parser): ScriptFacts => ({
  numbers: once(() => numericVariables(tree, parser)),
  setOnTheSide: once(() => setOnTheSide(tree, parser)),
  hasArrays: once(() => hasArrays(tree, parser)),
  keepsOutputs: once(() => keepsOutputs(tree, parser)),
});

/** Of a script inside another one. */
export const nestedFacts = (outer: ScriptFacts, inner: ScriptFacts, sameShell: boolean): ScriptFacts => ({
  numbers: sameShell ? () => new Set() : inner.numbers,
  setOnTheSide: once(() => new Set([...outer.setOnTheSide(), ...inner.setOnTheSide()])),
  hasArrays: () => outer.hasArrays() || inner.hasArrays(),
  keepsOutputs: () => false,
});

/** Looks when it is first asked, and not again. */
export function once<Value>(find: () => Value): () => Value {
  let found: { value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}
