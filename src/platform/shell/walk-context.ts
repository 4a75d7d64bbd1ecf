// Shared by the parts of one walk: the findings, and the current position in the command.
import type { SyntaxNode } from 'unbash';
import { anyDescriptors } from './descriptors.js';
import { Findings } from './findings.js';
import type { Parser } from './parse-command.js';
import type { PipedNames } from './programs/program.js';
import { MOVERS, mayRun, OPENERS } from './scan-command.js';
import { factsOf, type ScriptFacts } from './script-facts.js';
import { type State, withoutValues } from './shell-state.js';
import type { Input } from './standard-input.js';

export class WalkContext {
  readonly found = new Findings();
  readonly home: string | undefined;
  readonly parser: Parser;
  facts: ScriptFacts;
  /** How many scripts are around the present one: `sh -c 'sh -c …'`. */
  nested = 0;
  /** The nesting depth of subshells: a subshell's change of directory ends with it. */
  children = 0;
  /** The file names that the last command prints, as far as they are known. */
  prints: PipedNames | undefined;
  /** The text that the last command prints, as far as it is known. */
  printed: Input = 'unknown';
  /** How many substitutions were walked: each may read from standard input. */
  substitutions = 0;
  /** Whether the command may change its directory, so that it is unknown where a function runs. */
  moves: () => boolean = () => false;
  /** Whether a function that the command defines may change the shell's directory or descriptors. */
  functionsMove = false;
  functionsOpen = false;
  isPosix = false;

  constructor(home: string | undefined, parser: Parser) {
    this.home = home;
    this.parser = parser;
    this.facts = factsOf(parser.parse(''), parser);
  }

  inChild<Result>(walk: () => Result): Result {
    this.children += 1;
    const result = walk();
    this.children -= 1;
    return result;
  }

  mayMove(nodes: readonly SyntaxNode[], { functions }: State): boolean {
    const names = this.functionsMove ? new Set([...MOVERS, ...functions.keys()]) : MOVERS;
    return mayRun(nodes, names, this.parser);
  }

  mayOpen(nodes: readonly SyntaxNode[], { functions }: State): boolean {
    const names = this.functionsOpen ? new Set([...OPENERS, ...functions.keys()]) : OPENERS;
    return mayRun(nodes, names, this.parser);
  }

  afterFunction(state: State): State {
    return {
      ...state,
      directories: this.functionsMove ? undefined : state.directories,
      descriptors: this.functionsOpen ? anyDescriptors : state.descriptors,
      variables: withoutValues(state.variables),
    };
  }
}
