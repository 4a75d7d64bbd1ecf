// Walks the tree of a command in the order in which the shell would run it, and records what could run and which
// files it would touch. Nothing is run or looked up: the directory after a `cd`, functions, variables and descriptors
// are tracked as far as the text shows.
import type { CommandNode, CompoundList, ParsedScript, Statement, Word } from 'unbash';
import { once } from '../lazy.js';
import { isCoreLanguage } from './core-language.js';
import { anyDescriptors, ownDescriptors, restored, withDescriptor } from './descriptors.js';
import type { Findings } from './findings.js';
import { type Parser, parseCommand } from './parse-command.js';
import { known, type PipedNames, type ShellField } from './programs/program.js';
import { assignedIn, mayRun, OPENERS } from './scan-command.js';
import { factsOf } from './script-facts.js';
import { both, join, maybeFunctions, type Outcome, type State, without, withVariable } from './shell-state.js';
import { afterReading } from './standard-input.js';
import { WalkContext } from './walk-context.js';
import { SimpleCommands } from './walk-simple-command.js';
import { WalkWords } from './walk-words.js';

export interface StartingPoint {
  cwd: string;
  home: string | undefined;
}

export function walkCommand(text: string, { cwd, home }: StartingPoint, parser: Parser): Findings {
  const context = new WalkContext(home, parser);
  new Walk(context).top(text, cwd);
  return context.found;
}

class Walk {
  readonly #context: WalkContext;
  readonly #words: WalkWords;
  readonly #simple: SimpleCommands;

  constructor(context: WalkContext) {
    const walkScript = (script: ParsedScript, state: State): Outcome => this.#script(script, state);
    this.#context = context;
    this.#words = new WalkWords(context, walkScript);
    this.#simple = new SimpleCommands(context, this.#words, walkScript);
  }

  top(text: string, cwd: string): void {
    const { tree, problems } = parseCommand(text, 'bash', this.#context.parser);
    this.#context.found.unknown.push(...problems);
    if (tree === undefined) {
      this.#context.found.command({ words: [{ ...known(text), text }], why: "it can't be parsed", assigns: [] });
      return;
    }
    const start: State = {
      directories: [cwd],
      variables: new Map(),
      functions: new Map(),
      tampered: undefined,
      piped: undefined,
      previous: undefined,
      input: undefined,
      descriptors: ownDescriptors,
    };
    this.#context.facts = factsOf(tree, this.#context.parser);
    this.#context.moves = once(() => this.#context.mayMove([tree], start));
    this.#context.found.beyondCore = !isCoreLanguage(tree, this.#context.parser);
    this.#script(tree, start);
    if (!this.#context.found.beyondCore) return;
    for (const command of this.#context.found.commands) if (command.why === undefined) command.needsWalls = true;
  }

  #script({ commands }: ParsedScript, state: State): Outcome {
    return this.#list(commands, state);
  }

  #list(statements: readonly Statement[], state: State): Outcome {
    let outcome = both(state);
    for (const { command, background } of statements) {
      const before = join(outcome.ok, outcome.fail);
      outcome = background ? both({ ...before, input: afterReading(before.input) }) : this.#node(command, before);
      if (background) this.#context.inChild(() => this.#node(command, before));
    }
    return outcome;
  }

  #block({ commands }: CompoundList, state: State): State {
    const { ok, fail } = this.#list(commands, state);
    return join(ok, fail);
  }

  #node(node: Statement['command'] | CommandNode, state: State): Outcome {
    const { ok, fail } = this.#anyNode(node, state);
    if (state.input === undefined) return { ok, fail };
    return { ok: { ...ok, input: 'unknown' }, fail: { ...fail, input: 'unknown' } };
  }

  #anyNode(node: Statement['command'] | CommandNode, state: State): Outcome {
    if (!this.#context.found.step()) return both(state);
    switch (node.type) {
      case 'Command':
        return this.#simple.command(node, state);
      case 'AndOr':
        return this.#andOr(node.commands, node.operators, state);
      case 'Pipeline':
        return this.#pipeline(node, state);
      case 'Redirected': {
        const redirects = this.#words.redirections(node.redirects, state);
        const first = this.#context.found.commands.length;
        const outcome = this.#node(node.command, redirects.inside);
        this.#words.redirect(redirects, this.#context.found.commands.length > first ? first : undefined);
        const after = (end: State): State => ({
          ...end,
          descriptors: restored(end.descriptors, state.descriptors, redirects.touched),
          piped: redirects.touched.has(0) ? state.piped : end.piped,
          input: redirects.touched.has(0) ? state.input : end.input,
        });
        return { ok: after(outcome.ok), fail: after(outcome.fail) };
      }
      case 'BraceGroup':
        return this.#list(node.body.commands, state);
      case 'Subshell':
        this.#context.inChild(() => this.#block(node.body, state));
        return both(state);
      case 'If':
        return both(this.#if(node, state));
      case 'While': {
        const entry = this.#beforeLoop([node.clause, node.body], state);
        const { ok, fail } = this.#list(node.clause.commands, entry);
        return both(join(fail, this.#block(node.body, ok)));
      }
      case 'For':
      case 'Select':
        return both(this.#for(node, state));
      case 'ArithmeticFor': {
        for (const expression of [node.initialize, node.test, node.update]) {
          this.#words.evaluated.arithmetic(expression, state);
        }
        const entry = this.#beforeLoop([node.body], state);
        return both(join(entry, this.#block(node.body, entry)));
      }
      case 'Case': {
        this.#words.evaluated.inside(node.word, state);
        let after = state;
        for (const { pattern, body } of node.items) {
          for (const word of pattern) this.#words.evaluated.inside(word, state);
          after = join(after, this.#block(body, after));
        }
        return both(after);
      }
      case 'TestCommand':
        this.#words.evaluated.test(node.expression, state);
        return both(state);
      case 'ArithmeticCommand':
        this.#words.evaluated.arithmetic(node.expression, state);
        return both(state);
      case 'Function':
        return both(this.#function(node.name.value, node.body, state));
      case 'Coproc': {
        const inside: State = { ...state, input: 'unknown' };
        if (node.body.type === 'CompoundList') this.#block(node.body, inside);
        else this.#node(node.body, inside);
        return both(state);
      }
    }
  }

  /** The body is walked at its definition, where it is unknown when it runs and with what arguments. */
  #function(name: string, body: CommandNode | CompoundList, state: State): State {
    const directories = this.#context.moves() ? undefined : state.directories;
    const descriptors = this.#context.facts.keepsOutputs() ? ownDescriptors : anyDescriptors;
    const inBody: State = {
      ...state,
      directories,
      descriptors,
      variables: new Map(),
      piped: undefined,
      input: 'unknown',
    };
    const after = body.type === 'CompoundList' ? both(this.#block(body, inBody)) : this.#node(body, inBody);
    this.#context.functionsMove ||= this.#context.mayMove([body], state);
    this.#context.functionsOpen ||= mayRun([body], OPENERS, this.#context.parser);
    return {
      ...state,
      tampered: state.tampered ?? after.ok.tampered ?? after.fail.tampered,
      functions: new Map([...state.functions, [name, 'defined']]),
    };
  }

  #andOr(
    commands: readonly CommandNode[] | readonly Statement['command'][],
    operators: readonly string[],
    state: State,
  ): Outcome {
    let outcome = both(state);
    for (const [index, command] of commands.entries()) {
      const operator = operators[index - 1];
      if (operator === '&&') {
        const next = this.#node(command, outcome.ok);
        outcome = { ok: next.ok, fail: join(outcome.fail, next.fail) };
      } else if (operator === '||') {
        const next = this.#node(command, outcome.fail);
        outcome = { ok: join(outcome.ok, next.ok), fail: next.fail };
      } else {
        outcome = this.#node(command, state);
      }
    }
    return outcome;
  }

  #pipeline(
    {
      commands,
      prefixes,
      operators,
    }: {
      commands: readonly CommandNode[];
      prefixes: readonly { type: string }[];
      operators: readonly string[];
    },
    state: State,
  ): Outcome {
    const [only] = commands;
    if (commands.length === 1 && only) {
      const outcome = this.#node(only, state);
      const turned = prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
      return turned ? { ok: outcome.fail, fail: outcome.ok } : outcome;
    }
    let { piped, input: text } = state;
    for (const [index, command] of commands.entries()) {
      this.#context.prints = undefined;
      this.#context.printed = 'unknown';
      const first = this.#context.found.commands.length;
      let { descriptors } = state;
      if (index > 0) descriptors = withDescriptor(descriptors, 0, 'pipe');
      if (index < commands.length - 1) descriptors = withDescriptor(descriptors, 1, 'pipe');
      if (operators[index] === '|&') descriptors = withDescriptor(descriptors, 2, 'pipe');
      const input = { ...state, piped, input: text, descriptors };
      this.#context.inChild(() => this.#node(command, input));
      piped = command.type === 'Command' ? this.#context.prints : undefined;
      const isOne = command.type === 'Command' && this.#context.found.commands.length === first + 1;
      text = isOne ? this.#context.printed : 'unknown';
    }
    this.#context.prints = piped;
    return both(state); // each part is its own subshell
  }

  #if(
    node: {
      clause: CompoundList;
      then: CompoundList;
      elif: readonly { clause: CompoundList; then: CompoundList }[];
      else: CompoundList | undefined;
    },
    state: State,
  ): State {
    let condition = this.#list(node.clause.commands, state);
    let after = this.#block(node.then, condition.ok);
    for (const { clause, then } of node.elif) {
      condition = this.#list(clause.commands, condition.fail);
      after = join(after, this.#block(then, condition.ok));
    }
    return join(after, node.else ? this.#block(node.else, condition.fail) : condition.fail);
  }

  #for(node: { name: Word; wordlist: readonly Word[] | undefined; body: CompoundList }, state: State): State {
    if (!/^[A-Za-z_]\w*$/.test(node.name.text))
      this.#context.found.isUnknown(`${node.name.text} is no name of a variable`);
    const fields = node.wordlist?.flatMap((word) => this.#listed(word, state));
    const entry = this.#beforeLoop([node.body], this.#words.assign({ name: node.name.value }, undefined, state));
    const clear = fields?.every(({ value, pathSpecs }) => value !== undefined || pathSpecs !== undefined);
    const inBody = clear ? withVariable(entry, node.name.value, fields) : entry;
    return join(entry, this.#block(node.body, inBody));
  }

  /** `$(git ls-files)` in the list of a loop consists of file names, but the shell splits it at blanks. */
  #listed(word: Word, state: State): ShellField[] {
    this.#context.prints = undefined;
    const fields = this.#words.fields(word, state);
    const { pathSpecs } = (printsOnce(word) ? this.#context.prints : undefined) ?? ({} as Partial<PipedNames>);
    return pathSpecs ? [{ text: word.text, mayBeOption: true, splits: true, pathSpecs, anyWords: true }] : fields;
  }

  /** At the top of a loop the shell may already have been through its body. */
  #beforeLoop(bodies: readonly CompoundList[], state: State): State {
    return {
      ...state,
      input: afterReading(state.input),
      directories: this.#context.mayMove(bodies, state) ? undefined : state.directories,
      descriptors: this.#context.mayOpen(bodies, state) ? anyDescriptors : state.descriptors,
      functions: maybeFunctions(state.functions),
      variables: without(state.variables, assignedIn(bodies, this.#context.parser)),
    };
  }
}

/** Whether a word is a single unquoted substitution of one command or one plain pipeline. */
function printsOnce({ parts }: Word): boolean {
  const [part] = parts ?? [];
  if (parts?.length !== 1 || part?.type !== 'CommandExpansion') return false;
  const [statement, ...more] = part.script?.commands ?? [];
  if (statement === undefined || more.length > 0) return false;
  const { command } = statement;
  return (
    command.type === 'Command' ||
    (command.type === 'Pipeline' && command.commands.every(({ type }) => type === 'Command'))
  );
}
