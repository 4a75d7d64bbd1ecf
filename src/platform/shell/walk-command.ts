// Walks the tree of a command in the order in which the shell would run it, and records what could run and which
// files it would touch. Nothing is run or looked up: the directory after a `cd`, functions, variables and descriptors
// are tracked as far as the text shows.
import type {
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
} from 'unbash';
import { isHarmlessAssignment, isPlainVariable } from './assignments.js';
import { beyondCore, coreStarters, isCoreLanguage, takesLiterals } from './core-language.js';
import { anyDescriptors, joinDescriptors, ownDescriptors, restored, withDescriptor } from './descriptors.js';
import { EvaluatedWords } from './evaluated-words.js';
import { type ExpansionContext, expandValue, expandWord } from './expand-word.js';
import { Findings } from './findings.js';
import { judgeCommand } from './judge-command.js';
import { type Dialect, type Parser, parseCommand } from './parse-command.js';
import { namesPrinted } from './piped-names.js';
import { mayBecomeOption } from './programs/options.js';
import type { Assigned, Field, PipedNames, Started, Verdict } from './programs/program.js';
import { known } from './programs/program.js';
import { type Redirected, redirected } from './redirections.js';
import { assignedIn, MOVERS, mayRun, OPENERS } from './scan-command.js';
import { factsOf, nestedFacts, once, type ScriptFacts } from './script-facts.js';
import {
  afterBuiltin,
  both,
  join,
  maybeFunctions,
  type Outcome,
  type State,
  without,
  withoutValues,
  withVariable,
} from './shell-state.js';
import { afterReading, type Input, mayReadItself, textPrinted } from './standard-input.js';

const MAX_NESTED_SCRIPTS = 8; // sh -c 'sh -c …'

export interface StartingPoint {
  cwd: string;
  home: string | undefined;
}

export function walkCommand(text: string, place: StartingPoint, parser: Parser): Findings {
  const walk = new Walk(place, parser);
  walk.top(text);
  return walk.found;
}

interface Running {
  wrappedBy?: number;
  /** A wrapper starts programs, never shell functions. */
  programsOnly?: boolean;
}

class Walk {
  readonly found = new Findings();
  readonly #home: string | undefined;
  readonly #parser: Parser;
  readonly #start: State;
  readonly #evaluated: EvaluatedWords;
  #nested = 0;
  /** The nesting depth of subshells: a subshell's change of directory ends with it. */
  #children = 0;
  #facts: ScriptFacts;
  #prints: PipedNames | undefined;
  /** The text that the last command prints, as far as it is known. */
  #printed: Input = 'unknown';
  /** How many substitutions were walked: each may read from standard input. */
  #substitutions = 0;
  /** Whether the command may change its directory, so that it is unknown where a function runs. */
  #moves: () => boolean = () => false;
  /** Whether a function that the command defines may change the shell's directory or descriptors. */
  #functionsMove = false;
  #functionsOpen = false;
  #isPosix = false;

  constructor({ cwd, home }: StartingPoint, parser: Parser) {
    this.#home = home;
    this.#parser = parser;
    this.#facts = factsOf(parser.parse(''), parser);
    this.#start = {
      directories: [cwd],
      variables: new Map(),
      functions: new Map(),
      tampered: undefined,
      piped: undefined,
      previous: undefined,
      input: undefined,
      descriptors: ownDescriptors,
    };
    this.#evaluated = new EvaluatedWords({
      found: this.found,
      parser,
      numbers: () => this.#facts.numbers(),
      value: (word, state) => this.#value(word, state),
      substitution: (script, descriptor, state) => {
        const descriptors = withDescriptor(state.descriptors, descriptor, 'pipe');
        this.#substitutions += 1;
        const input = descriptor === 0 ? 'unknown' : state.input;
        this.#inChild(() => this.#script(script, { ...state, piped: undefined, input, descriptors }));
      },
    });
  }

  top(text: string): void {
    const { tree, problems } = parseCommand(text, 'bash', this.#parser);
    this.found.unknown.push(...problems);
    if (tree === undefined) {
      this.found.command({ words: [{ ...known(text), text }], why: "it can't be parsed", assigns: [] });
      return;
    }
    this.#facts = factsOf(tree, this.#parser);
    this.#moves = once(() => this.#mayMove([tree], this.#start));
    this.found.beyondCore = !isCoreLanguage(tree, this.#parser);
    this.#script(tree, this.#start);
    if (!this.found.beyondCore) return;
    for (const command of this.found.commands) if (command.why === undefined) command.needsWalls = true;
  }

  #unknown(why: string): void {
    this.found.isUnknown(why);
  }

  #inChild<Result>(walk: () => Result): Result {
    this.#children += 1;
    const result = walk();
    this.#children -= 1;
    return result;
  }

  #script({ commands }: ParsedScript, state: State): Outcome {
    return this.#list(commands, state);
  }

  #list(statements: readonly Statement[], state: State): Outcome {
    let outcome = both(state);
    for (const { command, background } of statements) {
      const before = join(outcome.ok, outcome.fail);
      outcome = background ? both({ ...before, input: afterReading(before.input) }) : this.#node(command, before);
      if (background) this.#inChild(() => this.#node(command, before));
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
    if (!this.found.step()) return both(state);
    switch (node.type) {
      case 'Command':
        return this.#command(node, state);
      case 'AndOr':
        return this.#andOr(node.commands, node.operators, state);
      case 'Pipeline':
        return this.#pipeline(node, state);
      case 'Redirected': {
        const redirects = this.#redirections(node.redirects, state);
        const first = this.found.commands.length;
        const outcome = this.#node(node.command, redirects.inside);
        this.#redirect(redirects, this.found.commands.length > first ? first : undefined);
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
        this.#inChild(() => this.#block(node.body, state));
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
          this.#evaluated.arithmetic(expression, state);
        }
        const entry = this.#beforeLoop([node.body], state);
        return both(join(entry, this.#block(node.body, entry)));
      }
      case 'Case': {
        this.#evaluated.inside(node.word, state);
        let after = state;
        for (const { pattern, body } of node.items) {
          for (const word of pattern) this.#evaluated.inside(word, state);
          after = join(after, this.#block(body, after));
        }
        return both(after);
      }
      case 'TestCommand':
        this.#evaluated.test(node.expression, state);
        return both(state);
      case 'ArithmeticCommand':
        this.#evaluated.arithmetic(node.expression, state);
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

  /** The body is walked where it is defined; when and with what arguments it runs is not known there. */
  #function(name: string, body: CommandNode | CompoundList, state: State): State {
    const directories = this.#moves() ? undefined : state.directories;
    const descriptors = this.#facts.keepsOutputs() ? ownDescriptors : anyDescriptors;
    const inBody: State = {
      ...state,
      directories,
      descriptors,
      variables: new Map(),
      piped: undefined,
      input: 'unknown',
    };
    const after = body.type === 'CompoundList' ? both(this.#block(body, inBody)) : this.#node(body, inBody);
    this.#functionsMove ||= this.#mayMove([body], state);
    this.#functionsOpen ||= mayRun([body], OPENERS, this.#parser);
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
      this.#prints = undefined;
      this.#printed = 'unknown';
      const first = this.found.commands.length;
      let { descriptors } = state;
      if (index > 0) descriptors = withDescriptor(descriptors, 0, 'pipe');
      if (index < commands.length - 1) descriptors = withDescriptor(descriptors, 1, 'pipe');
      if (operators[index] === '|&') descriptors = withDescriptor(descriptors, 2, 'pipe');
      const input = { ...state, piped, input: text, descriptors };
      this.#inChild(() => this.#node(command, input));
      piped = command.type === 'Command' ? this.#prints : undefined;
      const isOne = command.type === 'Command' && this.found.commands.length === first + 1;
      text = isOne ? this.#printed : 'unknown';
    }
    this.#prints = piped;
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
    if (!/^[A-Za-z_]\w*$/.test(node.name.text)) this.#unknown(`${node.name.text} is no name of a variable`);
    const fields = node.wordlist?.flatMap((word) => this.#listed(word, state));
    const entry = this.#beforeLoop([node.body], this.#assign({ name: node.name.value }, undefined, state));
    const clear = fields?.every(({ value, pathSpecs }) => value !== undefined || pathSpecs !== undefined);
    const inBody = clear ? withVariable(entry, node.name.value, fields) : entry;
    return join(entry, this.#block(node.body, inBody));
  }

  /** `$(git ls-files)` in the list of a loop consists of file names, but the shell splits it at blanks. */
  #listed(word: Word, state: State): Field[] {
    this.#prints = undefined;
    const fields = this.#words(word, state);
    const { pathSpecs } = (printsOnce(word) ? this.#prints : undefined) ?? ({} as Partial<PipedNames>);
    return pathSpecs ? [{ text: word.text, mayBeOption: true, splits: true, pathSpecs, anyWords: true }] : fields;
  }

  /** At the top of a loop the shell may already have been through its body. */
  #beforeLoop(bodies: readonly CompoundList[], state: State): State {
    return {
      ...state,
      input: afterReading(state.input),
      directories: this.#mayMove(bodies, state) ? undefined : state.directories,
      descriptors: this.#mayOpen(bodies, state) ? anyDescriptors : state.descriptors,
      functions: maybeFunctions(state.functions),
      variables: without(state.variables, assignedIn(bodies, this.#parser)),
    };
  }

  #mayMove(nodes: readonly SyntaxNode[], { functions }: State): boolean {
    const names = this.#functionsMove ? new Set([...MOVERS, ...functions.keys()]) : MOVERS;
    return mayRun(nodes, names, this.#parser);
  }

  #mayOpen(nodes: readonly SyntaxNode[], { functions }: State): boolean {
    const names = this.#functionsOpen ? new Set([...OPENERS, ...functions.keys()]) : OPENERS;
    return mayRun(nodes, names, this.#parser);
  }

  #surroundings({ variables, directories }: State): ExpansionContext {
    return {
      home: this.#home,
      isNumber: (name) => this.#facts.numbers().has(name),
      spend: (cost) => this.found.step(cost),
      variable: (name) => {
        if (this.#facts.setOnTheSide().has(name)) return undefined;
        if (variables.has(name)) return variables.get(name);
        if (name === 'HOME' && this.#home !== undefined) return [known(this.#home)];
        const [directory] = directories ?? [];
        if (name === 'PWD' && directory !== undefined && directories?.length === 1) return [known(directory)];
        return undefined;
      },
    };
  }

  #words(word: Word, state: State): Field[] {
    this.#evaluated.inside(word, state);
    return expandWord(word, this.#surroundings(state));
  }

  #value(word: Word, state: State): Field {
    const field = this.#assignedValue(word, state);
    if (field.value === undefined) this.found.beyondCore = true;
    return field;
  }

  /** The value of a variable need not be known: a word that uses the variable is then unknown, too. */
  #assignedValue(word: Word, state: State): Field {
    this.#evaluated.inside(word, state);
    return expandValue(word, this.#surroundings(state));
  }

  #redirections(redirections: readonly Redirection[], state: State): Redirected {
    return redirected(redirections, state, {
      inside: (node, now) => this.#evaluated.inside(node, now),
      value: (word, now) => this.#value(word, now),
      sets: (name) => this.#evaluated.sets(name),
    });
  }

  #redirect({ targets }: Redirected, command: number | undefined): void {
    const by = command === undefined ? undefined : { command, as: 'redirection' as const };
    for (const { touch, state } of targets) this.found.file(touch, state, by);
  }

  #command(node: Command, before: State): Outcome {
    let state = before;
    const substitutions = this.#substitutions;
    const assigned: { assignment: Assignment; value: Field | undefined }[] = [];
    // Each sees those before it; a POSIX shell applies the redirections first.
    const afterRedirections = this.#isPosix && node.redirects.length > 0;
    let assigning = afterRedirections ? { ...state, descriptors: anyDescriptors } : state;
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue;
      const value = this.#assignment(part, assigning);
      assigned.push({ assignment: part, value });
      assigning = withVariable(assigning, part.name, part.append || part.index ? undefined : knownValue(value));
    }
    const fields = [
      ...(node.name ? this.#words(node.name, state) : []),
      ...node.args.flatMap((argument) =>
        argument.type === 'Word' ? this.#words(argument, state) : [this.#assignmentWord(argument, state)],
      ),
    ];
    if (this.#substitutions > substitutions) state = { ...state, input: afterReading(state.input) };
    const redirects = this.#redirections(node.redirects, state);
    if (fields.length === 0) {
      this.#redirect(redirects, undefined);
      return both(assigned.reduce((before, { assignment, value }) => this.#assign(assignment, value, before), state));
    }
    const assigns = assigned.map(({ assignment: { name }, value }): Assigned => withValue(name, value));
    const first = this.found.commands.length;
    const outcome = this.#run(fields, assigns, redirects.inside, {});
    this.#redirect(redirects, this.found.commands.length > first ? first : undefined);
    return this.#afterRedirections(fields[0]?.value, outcome, redirects, state);
  }

  /** Redirections end with their command, except for those of `exec`, which stay. */
  #afterRedirections(name: string | undefined, { ok, fail }: Outcome, redirects: Redirected, before: State): Outcome {
    const { touched, targets } = redirects;
    if (touched.size === 0) return { ok, fail };
    if (name === 'exec') {
      // If a file can't be opened, all or some of the descriptors stay as they were.
      const descriptors =
        targets.length === 0 ? fail.descriptors : joinDescriptors(fail.descriptors, before.descriptors);
      return { ok, fail: { ...fail, descriptors } };
    }
    const mayStay = name === undefined || OPENERS.has(name); // `command exec 3<file`
    const after = (end: State): State => ({
      ...end,
      descriptors: restored(end.descriptors, mayStay ? new Map() : before.descriptors, touched),
      piped: touched.has(0) ? (mayStay ? undefined : before.piped) : end.piped,
      input: touched.has(0) ? (mayStay ? 'unknown' : before.input) : end.input,
    });
    return { ok: after(ok), fail: after(fail) };
  }

  #assignment({ index, value }: Assignment, state: State): Field | undefined {
    if (index) {
      this.#evaluated.inside(index, state);
      if (!/^\d+$/.test(index.text)) this.#unknown(`the subscript ${index.text} is evaluated`);
    }
    if (value.type === 'Word') return this.#assignedValue(value, state);
    for (const element of value.elements) {
      this.#evaluated.inside(element, state);
      if (/^\[.*\]\+?=/s.test(element.text) && !/^\[\d+\]/.test(element.text))
        this.#unknown(`the subscript in ${element.text} is evaluated`);
    }
    return undefined;
  }

  #assignmentWord(assignment: Assignment, state: State): Field {
    const value = this.#assignment(assignment, state);
    if (value?.value === undefined || assignment.append || assignment.index) {
      return { text: assignment.text, mayBeOption: false, splits: false };
    }
    return known(`${assignment.name}=${value.value}`);
  }

  /** A variable of the shell itself. One that programs read may change their behaviour from here on. */
  #assign(
    { name, append, index }: { name: string; append?: boolean | undefined; index?: unknown },
    value: Field | undefined,
    state: State,
  ): State {
    const isKnown = value !== undefined && !append && index === undefined;
    const next = withVariable(
      state,
      name,
      isKnown && (value.value !== undefined || value.pathSpecs) ? [value] : undefined,
    );
    if (isPlainVariable(name) || isHarmlessAssignment(withValue(name, value))) return next;
    this.#unknown(`it sets ${name}, which may change what runs or what it touches`);
    return { ...next, tampered: next.tampered ?? `${name} was set before` };
  }

  #run(fields: readonly Field[], assigns: readonly Assigned[], state: State, running: Running): Outcome {
    const [name, ...args] = fields;
    if (name === undefined || !this.found.step(fields.length)) return both(state);
    const position = this.found.commands.length;
    this.#printed = 'unknown';
    this.#prints = undefined; // from a substitution in its words
    const wrapped = running.wrappedBy === undefined ? {} : { wrappedBy: running.wrappedBy };
    if (name.value === undefined || name.value === '') {
      this.#unknown(`which program ${name.text} runs is not known before it runs`);
      this.found.command({ words: fields, why: 'its name is not known before it runs', assigns, ...wrapped });
      return both({ ...state, directories: undefined, descriptors: anyDescriptors });
    }
    if (!running.programsOnly && state.functions.get(name.value) === 'defined') {
      if (assigns.length > 0) this.#unknown(`it calls the function ${name.value} with variables set`);
      return both(this.#afterFunction(state));
    }

    const { value: written } = name;
    const { call, verdict, why, reads } = judgeCommand({
      name: written,
      args,
      assigns,
      state,
      programsOnly: running.programsOnly ?? false,
      hasArrays: () => this.#facts.hasArrays(),
    });
    const { needsWalls, observes, network } = verdict;
    const starts = [...(verdict.starts ?? []), ...this.#startsFromInput(written, verdict, state)];
    const isUnsure = takesLiterals.has(written)
      ? args.some(({ value }) => value === undefined)
      : args.some(mayBecomeOption) && !verdict.takesAnyOption && written !== 'echo';
    const isBeyond = beyondCore.has(written) || isUnsure;
    const startsBeyond = starts.length > 0 && (needsWalls || !coreStarters.has(written));
    if (isBeyond || startsBeyond) this.found.beyondCore = true;
    this.found.command({
      words: fields,
      assigns,
      ...(why !== undefined && { why }),
      ...wrapped,
      ...(needsWalls && why === undefined && { needsWalls }),
      ...(observes && { observes }),
      ...(reads && { isSystemCandidate: true }),
      ...(network && { network }),
      directories: state.directories,
    });
    this.#prints = namesPrinted(call, verdict);
    const isItself = state.tampered === undefined && !state.functions.has(written) && assigns.length === 0;
    if (isItself) this.#printed = textPrinted(call, state.input);
    if (verdict.unknown !== undefined) this.#unknown(verdict.unknown);
    const by = { command: position, as: 'operand' as const };
    for (const touch of verdict.touches ?? []) this.found.file(touch, state, by);
    for (const touch of verdict.touches ? [] : (reads ?? [])) this.found.file(touch, state, by, true);

    // Commands that it starts in this shell see the variables that were set for it.
    let after = assigns.reduce((before, assigned) => withVariable(before, assigned.name, undefined), state);
    for (const started of starts) {
      const isFromInput = 'script' in started && !verdict.starts?.includes(started);
      const input = isFromInput ? 'unknown' : after.input;
      after = this.#started(started, { ...after, piped: undefined, input }, { wrappedBy: position, assigns });
    }
    const maybeFunction = state.functions.has(name.value) && !running.programsOnly;
    if (maybeFunction) after = this.#afterFunction(after);
    if (starts.length === 0 && !maybeFunction) after = state;
    if (this.#children === 0 && LEAVES.has(written)) this.found.movesDirectory = true;
    return afterBuiltin({ ...call, name: written }, { ...after, piped: state.piped }, this.#home);
  }

  /** The script that a shell reads from standard input; what is not known there may be any program. */
  #startsFromInput(name: string, verdict: Verdict, { input }: State): Started[] {
    const { programOnInput: language, programOnStream, inThisShell } = verdict;
    const isUnknown = programOnStream || (language !== undefined && input === 'unknown');
    if (isUnknown) this.#unknown(`what ${name} runs comes from another command, and is not known before it runs`);
    if (language === undefined || language === 'code' || typeof input !== 'object') return [];
    if (mayReadItself(input.text)) this.#unknown('its script may read from its own text');
    return [{ script: input.text, dialect: language, ...(inThisShell && { sameShell: true }) }];
  }

  #afterFunction(state: State): State {
    return {
      ...state,
      directories: this.#functionsMove ? undefined : state.directories,
      descriptors: this.#functionsOpen ? anyDescriptors : state.descriptors,
      variables: withoutValues(state.variables),
    };
  }

  #started(
    started: Started,
    state: State,
    { wrappedBy, assigns }: { wrappedBy: number; assigns: readonly Assigned[] },
  ): State {
    if ('words' in started) {
      const inherited = [...assigns, ...(started.assigns ?? [])];
      const directories = started.in === undefined ? state.directories : undefined;
      const { ok, fail } = this.#run(
        started.words,
        inherited,
        { ...state, directories },
        { wrappedBy, programsOnly: true },
      );
      return started.sameShell ? join(ok, fail) : state;
    }
    return this.#nestedScript(started.script, started.dialect, started.sameShell ?? false, state, wrappedBy);
  }

  #nestedScript(script: string, dialect: Dialect, sameShell: boolean, state: State, wrappedBy: number): State {
    const givenUp = { ...state, directories: undefined, descriptors: anyDescriptors, variables: new Map() };
    if (this.#nested >= MAX_NESTED_SCRIPTS) {
      this.#unknown('its scripts are nested too deeply to be understood');
      return givenUp;
    }
    if (!this.found.step(script.length)) return givenUp;
    this.found.beyondCore = true;
    const { tree, problems } = parseCommand(script, dialect, this.#parser);
    for (const problem of problems) this.#unknown(problem);
    if (tree === undefined) return givenUp;
    this.#nested += 1;
    const first = this.found.commands.length;
    const inside = sameShell ? state : { ...state, variables: new Map(), functions: new Map() };
    const outside = this.#facts;
    const wasPosix = this.#isPosix;
    this.#isPosix = sameShell ? wasPosix : dialect !== 'bash';
    this.#facts = nestedFacts(outside, factsOf(tree, this.#parser), sameShell);
    const { ok, fail } = sameShell ? this.#script(tree, inside) : this.#inChild(() => this.#script(tree, inside));
    this.#facts = outside;
    this.#isPosix = wasPosix;
    this.#nested -= 1;
    for (const command of this.found.commands.slice(first)) command.wrappedBy ??= wrappedBy;
    // A script in the same shell may set variables that the enclosing command assumes to be constant.
    return sameShell ? { ...join(ok, fail), variables: withoutValues(state.variables) } : state;
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

const knownValue = (value: Field | undefined): readonly Field[] | undefined =>
  value?.value !== undefined || value?.pathSpecs ? [value] : undefined;

const withValue = (name: string, field: Field | undefined): Assigned =>
  field?.value === undefined ? { name } : { name, value: field.value };

// Commands that change the shell's directory.
const LEAVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd', 'chdir', 'source', '.']);
