// Walks a simple command: its assignments, words and redirections, the effects of its program, and what that starts.
import type { Assignment, Command, ParsedScript } from 'unbash';
import { engineVariables } from './container-engine.js';
import { beyondCore, coreStarters, takesLiterals } from './core-language.js';
import { anyDescriptors, joinDescriptors, restored } from './descriptors.js';
import { judgeCommand } from './judge-command.js';
import { type Dialect, parseCommand } from './parse-command.js';
import { namesPrinted } from './piped-names.js';
import { mayBecomeOption } from './programs/options.js';
import type { Assigned, ProgramVerdict, ShellField, Started } from './programs/program.js';
import type { Redirected } from './redirections.js';
import { OPENERS } from './scan-command.js';
import { factsOf, nestedFacts } from './script-facts.js';
import { afterBuiltin, both, join, type Outcome, type State, withoutValues, withVariable } from './shell-state.js';
import { afterReading, mayReadItself, textPrinted } from './standard-input.js';
import type { WalkContext } from './walk-context.js';
import { knownValue, type WalkWords, withValue } from './walk-words.js';

const MAX_NESTED_SCRIPTS = 8; // sh -c 'sh -c …'

interface Running {
  wrappedBy?: number;
  /** A wrapper starts programs, never shell functions. */
  programsOnly?: boolean;
}

export class SimpleCommands {
  readonly #context: WalkContext;
  readonly #words: WalkWords;
  readonly #walkScript: (script: ParsedScript, state: State) => Outcome;

  /** `walkScript` walks a script that a command runs. */
  constructor(context: WalkContext, words: WalkWords, walkScript: (script: ParsedScript, state: State) => Outcome) {
    this.#context = context;
    this.#words = words;
    this.#walkScript = walkScript;
  }

  command(node: Command, before: State): Outcome {
    let state = before;
    const substitutions = this.#context.substitutions;
    const assigned: { assignment: Assignment; value: ShellField | undefined }[] = [];
    // Each sees those before it; a POSIX shell applies the redirections first.
    const afterRedirections = this.#context.isPosix && node.redirects.length > 0;
    let assigning = afterRedirections ? { ...state, descriptors: anyDescriptors } : state;
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue;
      const value = this.#words.assignment(part, assigning);
      assigned.push({ assignment: part, value });
      assigning = withVariable(assigning, part.name, part.append || part.index ? undefined : knownValue(value));
    }
    const fields = [
      ...(node.name ? this.#words.fields(node.name, state) : []),
      ...node.args.flatMap((argument) =>
        argument.type === 'Word' ? this.#words.fields(argument, state) : [this.#words.assignmentWord(argument, state)],
      ),
    ];
    if (this.#context.substitutions > substitutions) state = { ...state, input: afterReading(state.input) };
    const redirects = this.#words.redirections(node.redirects, state);
    if (fields.length === 0) {
      this.#words.redirect(redirects, undefined);
      return both(
        assigned.reduce((before, { assignment, value }) => this.#words.assign(assignment, value, before), state),
      );
    }
    const assigns = assigned.map(({ assignment: { name }, value }): Assigned => withValue(name, value));
    const first = this.#context.found.commands.length;
    const outcome = this.#run(fields, assigns, redirects.inside, {});
    this.#words.redirect(redirects, this.#context.found.commands.length > first ? first : undefined);
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

  #run(fields: readonly ShellField[], assigns: readonly Assigned[], state: State, running: Running): Outcome {
    const [name, ...args] = fields;
    if (name === undefined || !this.#context.found.step(fields.length)) return both(state);
    const position = this.#context.found.commands.length;
    this.#context.printed = 'unknown';
    this.#context.prints = undefined; // from a substitution in its words
    const wrapped = running.wrappedBy === undefined ? {} : { wrappedBy: running.wrappedBy };
    if (name.value === undefined || name.value === '') {
      this.#context.found.isUnknown(`which program ${name.text} runs is not known before it runs`);
      this.#context.found.command({ words: fields, why: 'its name is not known before it runs', assigns, ...wrapped });
      return both({ ...state, directories: undefined, descriptors: anyDescriptors });
    }
    if (!running.programsOnly && state.functions.get(name.value) === 'defined') {
      if (assigns.length > 0) this.#context.found.isUnknown(`it calls the function ${name.value} with variables set`);
      return both(this.#context.afterFunction(state));
    }

    const { value: written } = name;
    const { call, verdict, why, reads } = judgeCommand({
      name: written,
      args,
      assigns,
      state,
      programsOnly: running.programsOnly ?? false,
      hasArrays: () => this.#context.facts.hasArrays(),
    });
    const { needsWalls, observes, network } = verdict;
    const starts = [...(verdict.starts ?? []), ...this.#startsFromInput(written, verdict, state)];
    const isUnsure = takesLiterals.has(written)
      ? args.some(({ value }) => value === undefined)
      : args.some(mayBecomeOption) && !verdict.takesAnyOption && written !== 'echo';
    const isBeyond = beyondCore.has(written) || isUnsure;
    const startsBeyond = starts.length > 0 && (needsWalls || !coreStarters.has(written));
    if (isBeyond || startsBeyond) this.#context.found.beyondCore = true;
    this.#context.found.command({
      words: fields,
      assigns,
      ...(why !== undefined && { why }),
      ...wrapped,
      ...(needsWalls && why === undefined && { needsWalls }),
      ...(observes && { observes }),
      ...(reads && { isSystemCandidate: true }),
      ...(network && { network }),
      directories: state.directories,
      engineVariables: engineVariables(written, assigns, state),
    });
    this.#context.prints = namesPrinted(call, verdict);
    const isItself = state.tampered === undefined && !state.functions.has(written) && assigns.length === 0;
    if (isItself) this.#context.printed = textPrinted(call, state.input);
    if (verdict.unknown !== undefined) this.#context.found.isUnknown(verdict.unknown);
    const by = { command: position, as: 'operand' as const };
    for (const touch of verdict.touches ?? []) this.#context.found.file(touch, state, by);
    for (const touch of verdict.touches ? [] : (reads ?? [])) this.#context.found.file(touch, state, by, true);

    // Commands that it starts in this shell see the variables that were set for it.
    let after = assigns.reduce((before, assigned) => withVariable(before, assigned.name, undefined), state);
    for (const started of starts) {
      const isFromInput = 'script' in started && !verdict.starts?.includes(started);
      const input = isFromInput ? 'unknown' : after.input;
      after = this.#started(started, { ...after, piped: undefined, input }, { wrappedBy: position, assigns });
    }
    const maybeFunction = state.functions.has(name.value) && !running.programsOnly;
    if (maybeFunction) after = this.#context.afterFunction(after);
    if (starts.length === 0 && !maybeFunction) after = state;
    if (this.#context.children === 0 && LEAVES.has(written)) this.#context.found.movesDirectory = true;
    return afterBuiltin({ ...call, name: written }, { ...after, piped: state.piped }, this.#context.home);
  }

  /** The script that a shell reads from standard input; an unknown part may be any program. */
  #startsFromInput(name: string, verdict: ProgramVerdict, { input }: State): Started[] {
    const { programOnInput: language, programOnStream, inThisShell } = verdict;
    const isUnknown = programOnStream || (language !== undefined && input === 'unknown');
    if (isUnknown)
      this.#context.found.isUnknown(`what ${name} runs comes from another command, and is not known before it runs`);
    if (language === undefined || language === 'code' || typeof input !== 'object') return [];
    if (mayReadItself(input.text)) this.#context.found.isUnknown('its script may read from its own text');
    return [{ script: input.text, dialect: language, ...(inThisShell && { sameShell: true }) }];
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
    if (this.#context.nested >= MAX_NESTED_SCRIPTS) {
      this.#context.found.isUnknown('its scripts are nested too deeply to be understood');
      return givenUp;
    }
    if (!this.#context.found.step(script.length)) return givenUp;
    this.#context.found.beyondCore = true;
    const { tree, problems } = parseCommand(script, dialect, this.#context.parser);
    for (const problem of problems) this.#context.found.isUnknown(problem);
    if (tree === undefined) return givenUp;
    this.#context.nested += 1;
    const first = this.#context.found.commands.length;
    const inside = sameShell ? state : { ...state, variables: new Map(), functions: new Map() };
    const outside = this.#context.facts;
    const wasPosix = this.#context.isPosix;
    this.#context.isPosix = sameShell ? wasPosix : dialect !== 'bash';
    this.#context.facts = nestedFacts(outside, factsOf(tree, this.#context.parser), sameShell);
    const { ok, fail } = sameShell
      ? this.#walkScript(tree, inside)
      : this.#context.inChild(() => this.#walkScript(tree, inside));
    this.#context.facts = outside;
    this.#context.isPosix = wasPosix;
    this.#context.nested -= 1;
    for (const command of this.#context.found.commands.slice(first)) command.wrappedBy ??= wrappedBy;
    // A script in the same shell may set variables that the enclosing command assumes to be constant.
    return sameShell ? { ...join(ok, fail), variables: withoutValues(state.variables) } : state;
  }
}

// Commands that change the shell's directory.
const LEAVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd', 'chdir', 'source', '.']);
