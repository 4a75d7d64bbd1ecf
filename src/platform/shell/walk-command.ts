// Walks the tree of a command in the order in which the shell would run it, and notes what could run and which files it
// would touch. Nothing is run and nothing looked up: the directory after a `cd`, the functions and the variables that
// are set on the way are followed as far as the text alone tells.
import type {
  ArithmeticExpression,
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
} from 'unbash';
import type { HostFacts } from '../../contract/effect.js';
import { isHarmlessAssignment, isPlainVariable } from './assignments.js';
import { expandValue, expandWord, placeIn, type Surroundings } from './expand-word.js';
import { type Dialect, type Parser, parseCommand } from './parse-command.js';
import { findProgram } from './programs/index.js';
import type { Assigned, Field, Place, Started, Touch, Verdict } from './programs/program.js';
import { known } from './programs/program.js';
import { assignedIn, MOVERS, mayMove, numericVariables, setOnTheSide } from './scan-command.js';
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

const MAX_COMMANDS = 200; // beyond this a person can't judge it either
const MAX_NESTED_SCRIPTS = 8; // sh -c 'sh -c …'
const MAX_STEPS = 50_000;

export interface FoundCommand {
  words: readonly Field[];
  why?: string;
  assigns: readonly Assigned[];
  wrappedBy?: number;
  needsWalls?: boolean;
  observes?: HostFacts;
}

export interface FoundFile {
  access: 'read' | 'write';
  /** Absolute, not normalised: `..` behind a link leads elsewhere than it looks. Absent where it can't be known. */
  path?: string;
  /** As written. */
  text: string;
  tree?: boolean;
  /** Which files of the tree or glob it is, another command or the disk decides: there may be links among them. */
  chosen?: boolean;
  listing?: boolean;
  removes?: boolean;
  pattern?: string;
  by?: { command: number; as: 'operand' | 'redirection' };
}

export interface Findings {
  commands: FoundCommand[];
  files: FoundFile[];
  network: string[];
  unknown: string[];
  movesDirectory: boolean;
}

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
  /** A wrapper starts programs, never functions of the shell. */
  programsOnly?: boolean;
}

class Walk {
  readonly found: Findings = { commands: [], files: [], network: [], unknown: [], movesDirectory: false };
  readonly #home: string | undefined;
  readonly #parser: Parser;
  readonly #start: State;
  #steps = 0;
  #nested = 0;
  /** How many shells deep it is: what a child does to its directory ends with it. */
  #children = 0;
  /** Variables that hold nothing but numbers wherever the command sets them. */
  #numbers: () => ReadonlySet<string> = () => new Set();
  #prints: readonly Place[] | undefined;
  /** Variables that an expansion sets on the side (`${x:=y}`, `$((x=1))`): what they hold is not followed. */
  #setOnTheSide: () => ReadonlySet<string> = () => new Set();
  /** Whether the command may leave the directory that it starts in, so that it is not known where a function runs. */
  #moves: () => boolean = () => false;
  /** Whether a function that the command defines may leave the shell in another directory. */
  #functionsMove = false;

  constructor({ cwd, home }: StartingPoint, parser: Parser) {
    this.#home = home;
    this.#parser = parser;
    this.#start = {
      directories: [cwd],
      variables: new Map(),
      functions: new Map(),
      tampered: undefined,
      piped: undefined,
      previous: undefined,
    };
  }

  top(text: string): void {
    const { tree, problems } = parseCommand(text, 'bash', this.#parser);
    this.found.unknown.push(...problems);
    if (tree === undefined) {
      this.found.commands.push({ words: [{ ...known(text), text }], why: "it can't be parsed", assigns: [] });
      return;
    }
    this.#numbers = once(() => numericVariables(tree, this.#parser));
    this.#moves = once(() => this.#mayMove([tree], this.#start));
    this.#setOnTheSide = once(() => setOnTheSide(tree, this.#parser));
    this.#script(tree, this.#start);
    if (this.found.commands.length > MAX_COMMANDS) this.#unknown(`it has more than ${MAX_COMMANDS} commands`);
  }

  #unknown(why: string): void {
    if (!this.found.unknown.includes(why)) this.found.unknown.push(why);
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
      outcome = background ? both(before) : this.#node(command, before);
      if (background) this.#inChild(() => this.#node(command, before));
    }
    return outcome;
  }

  #block({ commands }: CompoundList, state: State): State {
    const { ok, fail } = this.#list(commands, state);
    return join(ok, fail);
  }

  #node(node: Statement['command'] | CommandNode, state: State): Outcome {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) {
      this.#unknown('it is too large to be understood');
      return both(state);
    }
    switch (node.type) {
      case 'Command':
        return this.#command(node, state);
      case 'AndOr':
        return this.#andOr(node.commands, node.operators, state);
      case 'Pipeline':
        return this.#pipeline(node, state);
      case 'Redirected': {
        const targets = this.#targets(node.redirects, state);
        const first = this.found.commands.length;
        const outcome = this.#node(node.command, state);
        this.#redirect(targets, state, this.found.commands.length > first ? first : undefined);
        return outcome;
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
        for (const expression of [node.initialize, node.test, node.update]) this.#arithmetic(expression, state);
        const entry = this.#beforeLoop([node.body], state);
        return both(join(entry, this.#block(node.body, entry)));
      }
      case 'Case': {
        this.#inside(node.word, state);
        let after = state;
        for (const { pattern, body } of node.items) {
          for (const word of pattern) this.#inside(word, state);
          after = join(after, this.#block(body, after));
        }
        return both(after);
      }
      case 'TestCommand':
        this.#test(node.expression, state);
        return both(state);
      case 'ArithmeticCommand':
        this.#arithmetic(node.expression, state);
        return both(state);
      case 'Function': {
        const directories = this.#moves() ? undefined : state.directories;
        const inBody = { ...state, directories, variables: new Map(), piped: undefined };
        const body = node.body;
        const after = body.type === 'CompoundList' ? both(this.#block(body, inBody)) : this.#node(body, inBody);
        this.#functionsMove ||= this.#mayMove([body], state);
        return both({
          ...state,
          tampered: state.tampered ?? after.ok.tampered ?? after.fail.tampered,
          functions: new Map([...state.functions, [node.name.value, 'defined']]),
        });
      }
      case 'Coproc': {
        if (node.body.type === 'CompoundList') this.#block(node.body, state);
        else this.#node(node.body, state);
        return both(state);
      }
    }
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
    { commands, prefixes }: { commands: readonly CommandNode[]; prefixes: readonly { type: string }[] },
    state: State,
  ): Outcome {
    const [only] = commands;
    if (commands.length === 1 && only) {
      const outcome = this.#node(only, state);
      const turned = prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
      return turned ? { ok: outcome.fail, fail: outcome.ok } : outcome;
    }
    let piped = state.piped;
    for (const command of commands) {
      this.#prints = undefined;
      const input = piped;
      this.#inChild(() => this.#node(command, { ...state, piped: input }));
      piped = command.type === 'Command' ? this.#prints : undefined;
    }
    this.#prints = piped;
    return both(state); // each part is a shell of its own
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
    const clear = fields?.every(({ value, places }) => value !== undefined || places !== undefined);
    const inBody = clear ? withVariable(entry, node.name.value, fields) : entry;
    return join(entry, this.#block(node.body, inBody));
  }

  /** `$(git ls-files)` in the list of a loop stands for files, where all that it prints is known to be their names. */
  #listed(word: Word, state: State): Field[] {
    this.#prints = undefined;
    const fields = this.#words(word, state);
    const places: readonly Place[] | undefined = printsOnce(word) ? this.#prints : undefined;
    return places ? [{ text: word.text, mayBeOption: true, splits: true, places }] : fields;
  }

  /** At the top of a loop the shell may have been through its body already. */
  #beforeLoop(bodies: readonly CompoundList[], state: State): State {
    const directories = this.#mayMove(bodies, state) ? undefined : state.directories;
    const functions = maybeFunctions(state.functions);
    return { ...state, directories, functions, variables: without(state.variables, assignedIn(bodies, this.#parser)) };
  }

  #mayMove(nodes: readonly SyntaxNode[], { functions }: State): boolean {
    const names = this.#functionsMove ? new Set([...MOVERS, ...functions.keys()]) : MOVERS;
    return mayMove(nodes, names, this.#parser);
  }

  #surroundings({ variables, directories }: State): Surroundings {
    return {
      home: this.#home,
      isNumber: (name) => this.#numbers().has(name),
      variable: (name) => {
        if (this.#setOnTheSide().has(name)) return undefined;
        if (variables.has(name)) return variables.get(name);
        if (name === 'HOME' && this.#home !== undefined) return [known(this.#home)];
        const [directory] = directories ?? [];
        if (name === 'PWD' && directory !== undefined && directories?.length === 1) return [known(directory)];
        return undefined;
      },
    };
  }

  #words(word: Word, state: State): Field[] {
    this.#inside(word, state);
    return expandWord(word, this.#surroundings(state));
  }

  #value(word: Word, state: State): Field {
    this.#inside(word, state);
    return expandValue(word, this.#surroundings(state));
  }

  /** Goes through what a word expands: the commands in it run, and some expansions evaluate what a variable holds. */
  #inside(node: SyntaxNode, state: State): void {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script) {
          const { script } = node;
          this.#inChild(() => this.#script(script, { ...state, piped: undefined }));
        }
        return;
      case 'ArithmeticExpansion':
        this.#arithmetic(node.expression, state);
        return;
      case 'ParameterExpansion': {
        const { prefix, index, operation, text } = node;
        if (prefix === '!' && operation?.type !== 'Names')
          this.#unknown(`${text} evaluates what another variable holds`);
        if (index && !/^(@|\*|\d+)$/.test(index.text)) this.#unknown(`the subscript in ${text} is evaluated`);
        if (operation?.type === 'Default' && /=$/.test(operation.operator)) this.#setsOnTheSide(node.parameter);
        if (operation?.type === 'Slice') {
          const isPlain = [operation.offset, operation.length].every((word) => /^\s*-?\d*\s*$/.test(word?.text ?? ''));
          if (!isPlain) this.#unknown(`the numbers in ${text} are evaluated`);
        }
        break;
      }
    }
    this.#parser.forEachChild(node, (child) => this.#inside(child, state));
  }

  /** What `${x:=y}`, `$((x = 1))` and `{x}>` set is not followed, so it must be nothing that programs know. */
  #setsOnTheSide(name: string): void {
    if (!isPlainVariable(name)) this.#unknown(`it sets ${name}, which may change what runs or what it touches`);
  }

  /** Arithmetic evaluates what variables hold, and what they hold may run commands: only numbers are let through. */
  #arithmetic(expression: ArithmeticExpression | undefined, state: State): void {
    if (expression === undefined) return;
    if (expression.type === 'ArithmeticWord') {
      const isNumber = /^\s*(\d+#)?[0-9a-zA-Z]*\s*$/.test(expression.value) && /^\s*\d/.test(expression.value);
      const name = /^\s*\$?\{?([A-Za-z_]\w*)\}?\s*$/.exec(expression.value)?.[1];
      if (
        !isNumber &&
        !(name !== undefined && this.#numbers().has(name)) &&
        !/^\s*\$[#?$]\s*$/.test(expression.value)
      ) {
        this.#unknown(`the arithmetic with ${expression.value.trim()} evaluates what it holds`);
      }
    }
    const target = assignedBy(expression);
    if (target?.type === 'ArithmeticWord') this.#setsOnTheSide(target.value.trim());
    if (expression.type === 'ArithmeticCommandExpansion')
      this.#unknown(`the arithmetic with ${expression.text} evaluates what it prints`);
    this.#parser.forEachChild(expression, (child) => {
      if (child.type.startsWith('Arithmetic') && child.type !== 'ArithmeticExpansion') {
        this.#arithmeticChild(child, state);
      } else {
        this.#inside(child, state);
      }
    });
  }

  #arithmeticChild(child: SyntaxNode, state: State): void {
    switch (child.type) {
      case 'ArithmeticBinary':
      case 'ArithmeticUnary':
      case 'ArithmeticTernary':
      case 'ArithmeticGroup':
      case 'ArithmeticWord':
      case 'ArithmeticCommandExpansion':
        this.#arithmetic(child, state);
        return;
      default:
        this.#inside(child, state);
    }
  }

  #test(expression: TestExpression, state: State): void {
    switch (expression.type) {
      case 'TestUnary': {
        const { operator, operand } = expression;
        const field = this.#value(operand, state);
        if (/^-[vR]$/.test(operator) && !/^\w+$/.test(operand.text))
          this.#unknown(`the test ${operator} evaluates the subscript of ${operand.text}`);
        const isKnown = field.value !== undefined || field.places !== undefined;
        if (/^-[a-hkprsuwxLNOGS]$/.test(operator) && isKnown) {
          this.#file({ access: 'read', file: field, listing: true }, state, undefined);
        }
        return;
      }
      case 'TestBinary': {
        const { operator, left, right } = expression;
        const fields = [left, right].map((word) => this.#value(word, state));
        if (/^-(eq|ne|lt|le|gt|ge)$/.test(operator)) {
          for (const word of [left, right]) {
            const name = /^\$?"?\$?\{?([A-Za-z_]\w*)\}?"?$/.exec(word.text)?.[1];
            const isNumber = /^-?\d+$/.test(word.text) || /^"?\$[#?$]"?$/.test(word.text);
            if (!isNumber && !(name !== undefined && this.#numbers().has(name))) {
              this.#unknown(`the test ${operator} evaluates what ${word.text} holds`);
            }
          }
        }
        if (/^-(nt|ot|ef)$/.test(operator)) {
          for (const file of fields) this.#file({ access: 'read', file, listing: true }, state, undefined);
        }
        return;
      }
      case 'TestLogical':
        for (const operand of expression.operands) this.#test(operand, state);
        return;
      case 'TestNot':
        this.#test(expression.operand, state);
        return;
      case 'TestGroup':
        this.#test(expression.expression, state);
        return;
    }
  }

  /** What redirections name, after walking what is substituted in them. */
  #targets(redirections: readonly Redirection[], state: State): Touch[] {
    return redirections.flatMap((redirection): Touch[] => {
      if (redirection.type === 'HereDoc') {
        this.#inside(redirection.body, state);
        return [];
      }
      const { target, operator } = redirection;
      const descriptor = 'descriptor' in redirection ? redirection.descriptor : undefined;
      if (descriptor?.type === 'FileDescriptorVariable') this.#setsOnTheSide(descriptor.name);
      if (target === undefined) return [];
      const file = this.#value(target, state);
      const isDescriptor = (operator === '>&' || operator === '<&') && /^(\d+-?|-)$/.test(file.value ?? '');
      if (operator === '<<<' || isDescriptor) return [];
      const read: Touch = { access: 'read', file };
      const write: Touch = { access: 'write', file };
      if (operator === '<>') return [read, write];
      return operator === '<' || operator === '<&' ? [read] : [write];
    });
  }

  #redirect(targets: readonly Touch[], state: State, command: number | undefined): void {
    const by = command === undefined ? undefined : { command, as: 'redirection' as const };
    for (const target of targets) this.#file(target, state, by);
  }

  #file({ file, ...touch }: Touch, { directories }: State, by: FoundFile['by']): void {
    const base = { ...touch, text: file.text, ...(by && { by }) };
    const places = file.value === undefined ? file.places : [{ path: file.value }];
    if (places === undefined) {
      this.found.files.push({ ...base, tree: true });
      return;
    }
    const isChosen = file.value === undefined;
    for (const place of places) this.#place(place, directories, { ...base, ...(isChosen && { chosen: true }) });
  }

  #place(
    { path, tree, pattern }: Place,
    directories: readonly string[] | undefined,
    base: Omit<FoundFile, 'path'>,
  ): void {
    if (path === '' || isStandardStream(path)) return;
    const remote = /^\/dev\/(tcp|udp)\/([^/]*)\/([^/]*)$/.exec(path);
    if (remote) {
      this.found.network.push(`${remote[1]}://${remote[2]}:${remote[3]}`);
      return;
    }
    const file = { ...base, ...(tree && { tree }) };
    if (path.startsWith('/')) {
      this.found.files.push({ ...file, path, ...(pattern !== undefined && { pattern }) });
      return;
    }
    if (directories === undefined) {
      this.found.files.push({ ...file, tree: true });
      return;
    }
    for (const directory of directories) {
      this.found.files.push({
        ...file,
        path: `${directory}/${path}`,
        ...(pattern !== undefined && { pattern: pattern.startsWith('/') ? pattern : placeIn(directory, pattern) }),
      });
    }
  }

  #command(node: Command, state: State): Outcome {
    const assigned: { assignment: Assignment; value: Field | undefined }[] = [];
    for (const part of node.prefix) {
      if (part.type === 'Assignment') assigned.push({ assignment: part, value: this.#assignment(part, state) });
    }
    const fields = [
      ...(node.name ? this.#words(node.name, state) : []),
      ...node.args.flatMap((argument) =>
        argument.type === 'Word' ? this.#words(argument, state) : [this.#assignmentWord(argument, state)],
      ),
    ];
    const targets = this.#targets(node.redirects, state);
    if (fields.length === 0) {
      this.#redirect(targets, state, undefined);
      return both(assigned.reduce((before, { assignment, value }) => this.#assign(assignment, value, before), state));
    }
    const assigns = assigned.map(({ assignment: { name }, value }): Assigned => withValue(name, value));
    const first = this.found.commands.length;
    const outcome = this.#run(fields, assigns, state, {});
    this.#redirect(targets, state, this.found.commands.length > first ? first : undefined);
    return outcome;
  }

  #assignment({ index, value }: Assignment, state: State): Field | undefined {
    if (index) {
      this.#inside(index, state);
      if (!/^\d+$/.test(index.text)) this.#unknown(`the subscript ${index.text} is evaluated`);
    }
    if (value.type === 'Word') return this.#value(value, state);
    for (const element of value.elements) {
      this.#inside(element, state);
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

  /** A variable of the shell's own. One that programs know may change what they do from here on. */
  #assign(
    { name, append, index }: { name: string; append?: boolean | undefined; index?: unknown },
    value: Field | undefined,
    state: State,
  ): State {
    const isKnown = value !== undefined && !append && index === undefined;
    const next = withVariable(
      state,
      name,
      isKnown && (value.value !== undefined || value.places) ? [value] : undefined,
    );
    if (isPlainVariable(name) || isHarmlessAssignment(withValue(name, value))) return next;
    this.#unknown(`it sets ${name}, which may change what runs or what it touches`);
    return { ...next, tampered: next.tampered ?? `${name} was set before` };
  }

  #run(fields: readonly Field[], assigns: readonly Assigned[], state: State, running: Running): Outcome {
    const [name, ...args] = fields;
    if (name === undefined) return both(state);
    const position = this.found.commands.length;
    this.#prints = undefined; // of what was substituted in its words
    const wrapped = running.wrappedBy === undefined ? {} : { wrappedBy: running.wrappedBy };
    if (name.value === undefined || name.value === '') {
      this.#unknown(`which program ${name.text} runs is not known before it runs`);
      this.found.commands.push({ words: fields, why: 'its name is not known before it runs', assigns, ...wrapped });
      return both({ ...state, directories: undefined });
    }
    if (!running.programsOnly && state.functions.get(name.value) === 'defined') {
      if (assigns.length > 0) this.#unknown(`it calls the function ${name.value} with variables set`);
      return both(this.#afterFunction(state));
    }

    const { value: written } = name;
    const programName = standardName(written);
    const program = programName === undefined ? undefined : findProgram(programName);
    const call = { name: programName ?? name.value, args, ...(state.piped && { piped: state.piped }) };
    const verdict: Verdict = program?.judge(call) ?? { why: `${name.value} is not known to be harmless` };
    const unsafe = assigns.find((assigned) => !isHarmlessAssignment(assigned) && !isOwnSeparator(assigned, written));
    const why =
      verdict.why ??
      (unsafe && `it sets ${unsafe.name}, which may change what runs or what it touches`) ??
      (state.tampered && `${name.value} may not be what it seems: ${state.tampered}`) ??
      (state.functions.has(name.value) && !running.programsOnly ? `${name.value} may be a function` : undefined);
    const { needsWalls, observes } = verdict;
    this.found.commands.push({
      words: fields,
      assigns,
      ...(why !== undefined && { why }),
      ...wrapped,
      ...(needsWalls && { needsWalls }),
      ...(observes && { observes }),
    });
    this.#prints = verdict.prints ?? (verdict.passesNames ? state.piped : undefined);
    if (verdict.unknown !== undefined) this.#unknown(verdict.unknown);
    for (const touch of verdict.touches ?? []) this.#file(touch, state, { command: position, as: 'operand' });

    let after = state;
    for (const started of verdict.starts ?? []) {
      after = this.#started(started, { ...after, piped: undefined }, { wrappedBy: position, assigns });
    }
    const maybeFunction = state.functions.has(name.value) && !running.programsOnly;
    if (maybeFunction) after = this.#afterFunction(after);
    if (this.#children === 0 && LEAVES.has(written)) this.found.movesDirectory = true;
    return afterBuiltin({ ...call, name: written }, { ...after, piped: state.piped }, this.#home);
  }

  #afterFunction(state: State): State {
    return {
      ...state,
      directories: this.#functionsMove ? undefined : state.directories,
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
    if (this.#nested >= MAX_NESTED_SCRIPTS) {
      this.#unknown('its scripts are nested too deeply to be understood');
      return { ...state, directories: undefined };
    }
    const { tree, problems } = parseCommand(script, dialect, this.#parser);
    for (const problem of problems) this.#unknown(problem);
    if (tree === undefined) return { ...state, directories: undefined };
    this.#nested += 1;
    const outside = this.#setOnTheSide;
    this.#setOnTheSide = once(() => new Set([...outside(), ...setOnTheSide(tree, this.#parser)]));
    const first = this.found.commands.length;
    const inside = sameShell ? state : { ...state, variables: new Map(), functions: new Map() };
    const numbers = this.#numbers;
    if (!sameShell) this.#numbers = once(() => numericVariables(tree, this.#parser));
    else this.#numbers = () => new Set();
    const { ok, fail } = sameShell ? this.#script(tree, inside) : this.#inChild(() => this.#script(tree, inside));
    this.#numbers = numbers;
    this.#nested -= 1;
    for (const command of this.found.commands.slice(first)) command.wrappedBy ??= wrappedBy;
    // A script in the same shell may set what the command around it takes for constant.
    return sameShell ? { ...join(ok, fail), variables: withoutValues(state.variables) } : state;
  }
}

/** Whether a word is one substitution, unquoted, of one command or one plain pipeline. */
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

/** What an arithmetic expression assigns to, where it is an assignment. */
function assignedBy(expression: ArithmeticExpression): ArithmeticExpression | undefined {
  if (expression.type === 'ArithmeticUnary')
    return /^(\+\+|--)$/.test(expression.operator) ? expression.operand : undefined;
  const isAssignment = expression.type === 'ArithmeticBinary' && /^([-+*/%&|^]|<<|>>)?=$/.test(expression.operator);
  return isAssignment ? expression.left : undefined;
}

/** Looks at the tree when it is first asked for, and not again. */
function once<Value>(find: () => Value): () => Value {
  let found: { value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

const withValue = (name: string, field: Field | undefined): Assigned =>
  field?.value === undefined ? { name } : { name, value: field.value };

// `IFS= read -r line` is how a line is read as it is; the separator holds for `read` alone.
const isOwnSeparator = ({ name, value }: Assigned, program: string): boolean =>
  program === 'read' && name === 'IFS' && value !== undefined;

/** The name by which the tables know a program: a path only where programs of the system lie. */
function standardName(name: string): string | undefined {
  if (!name.includes('/')) return name;
  const program = /^\/(?:usr\/(?:local\/)?)?bin\/([^/]+)$/.exec(name)?.[1];
  return program !== undefined && BUILTINS.has(program) ? undefined : program;
}

function isStandardStream(path: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|fd\/\d+)$/.test(path);
}

// What leaves the shell in another directory when it runs.
const LEAVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd', 'chdir', 'source', '.']);

// What only the shell itself can do; a program of that name would do something else.
const BUILTINS: ReadonlySet<string> = new Set(
  'cd pushd popd dirs eval source . export declare typeset local readonly read set trap exec builtin command unset shift'.split(
    ' ',
  ),
);
