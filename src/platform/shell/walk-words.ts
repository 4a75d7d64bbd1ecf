// Expands the words, assignments and redirections of a command at the current position of the walk.
import type { Assignment, ParsedScript, Redirection, Word } from 'unbash';
import { isHarmlessAssignment, isPlainVariable } from './assignments.js';
import { withDescriptor } from './descriptors.js';
import { EvaluatedWords } from './evaluated-words.js';
import { type ExpansionContext, expandValue, expandWord } from './expand-word.js';
import { type Assigned, known, type ShellField } from './programs/program.js';
import { type Redirected, redirected } from './redirections.js';
import { type Outcome, type State, withVariable } from './shell-state.js';
import type { WalkContext } from './walk-context.js';

export class WalkWords {
  readonly evaluated: EvaluatedWords;
  readonly #context: WalkContext;

  /** `walkScript` walks the script of a substitution. */
  constructor(context: WalkContext, walkScript: (script: ParsedScript, state: State) => Outcome) {
    this.#context = context;
    this.evaluated = new EvaluatedWords({
      found: context.found,
      parser: context.parser,
      numbers: () => context.facts.numbers(),
      value: (word, state) => this.value(word, state),
      substitution: (script, descriptor, state) => {
        const descriptors = withDescriptor(state.descriptors, descriptor, 'pipe');
        context.substitutions += 1;
        const input = descriptor === 0 ? 'unknown' : state.input;
        context.inChild(() => walkScript(script, { ...state, piped: undefined, input, descriptors }));
      },
    });
  }

  #surroundings({ variables, directories }: State): ExpansionContext {
    return {
      home: this.#context.home,
      isNumber: (name) => this.#context.facts.numbers().has(name),
      spend: (cost) => this.#context.found.step(cost),
      variable: (name) => {
        if (this.#context.facts.implicitlyAssigned().has(name)) return undefined;
        if (variables.has(name)) return variables.get(name);
        if (name === 'HOME' && this.#context.home !== undefined) return [known(this.#context.home)];
        const [directory] = directories ?? [];
        if (name === 'PWD' && directory !== undefined && directories?.length === 1) return [known(directory)];
        return undefined;
      },
    };
  }

  fields(word: Word, state: State): ShellField[] {
    this.evaluated.inside(word, state);
    return expandWord(word, this.#surroundings(state));
  }

  value(word: Word, state: State): ShellField {
    const field = this.assignedValue(word, state);
    if (field.value === undefined) this.#context.found.beyondCore = true;
    return field;
  }

  /** The value of a variable need not be known: a word that uses the variable is then unknown, too. */
  assignedValue(word: Word, state: State): ShellField {
    this.evaluated.inside(word, state);
    return expandValue(word, this.#surroundings(state));
  }

  redirections(redirections: readonly Redirection[], state: State): Redirected {
    return redirected(redirections, state, {
      inside: (node, now) => this.evaluated.inside(node, now),
      value: (word, now) => this.value(word, now),
      sets: (name) => this.evaluated.sets(name),
    });
  }

  redirect({ targets }: Redirected, command: number | undefined): void {
    const by = command === undefined ? undefined : { command, as: 'redirection' as const };
    for (const { touch, state } of targets) this.#context.found.file(touch, state, by);
  }

  assignment({ index, value }: Assignment, state: State): ShellField | undefined {
    if (index) {
      this.evaluated.inside(index, state);
      if (!/^\d+$/.test(index.text)) this.#context.found.isUnknown(`the subscript ${index.text} is evaluated`);
    }
    if (value.type === 'Word') return this.assignedValue(value, state);
    for (const element of value.elements) {
      this.evaluated.inside(element, state);
      if (/^\[.*\]\+?=/s.test(element.text) && !/^\[\d+\]/.test(element.text))
        this.#context.found.isUnknown(`the subscript in ${element.text} is evaluated`);
    }
    return undefined;
  }

  assignmentWord(assignment: Assignment, state: State): ShellField {
    const value = this.assignment(assignment, state);
    if (value?.value === undefined || assignment.append || assignment.index) {
      return { text: assignment.text, mayBeOption: false, splits: false };
    }
    return known(`${assignment.name}=${value.value}`);
  }

  /** A variable of the shell itself. One that programs read may change their behaviour from here on. */
  assign(
    { name, append, index }: { name: string; append?: boolean | undefined; index?: unknown },
    value: ShellField | undefined,
    state: State,
  ): State {
    const isKnown = value !== undefined && !append && index === undefined;
    const next = withVariable(
      state,
      name,
      isKnown && (value.value !== undefined || value.pathSpecs) ? [value] : undefined,
    );
    if (isPlainVariable(name) || isHarmlessAssignment(withValue(name, value))) return next;
    this.#context.found.isUnknown(`it sets ${name}, which may change what runs or what it touches`);
    return { ...next, tampered: next.tampered ?? `${name} was set before` };
  }
}

export const knownValue = (value: ShellField | undefined): readonly ShellField[] | undefined =>
  value?.value !== undefined || value?.pathSpecs ? [value] : undefined;

export const withValue = (name: string, field: ShellField | undefined): Assigned =>
  field?.value === undefined ? { name } : { name, value: field.value };
