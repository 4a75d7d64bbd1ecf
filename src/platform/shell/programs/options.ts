// Option tables, and a parser that applies them as getopt does. A table belongs to one program: the same letter takes
// a value in one and none in another, and confusing the two hides a file.
import type { HostFacts } from '../../../contract/effect.js';
import { type Call, known, type Program, type ProgramVerdict, type ShellField, type Touch } from './program.js';

/** The meaning of an option's value or an operand. */
export type Meaning =
  | 'value'
  /** Takes a value here, but none in another implementation, where the word is an operand. */
  | 'either'
  | 'read'
  /** A file that lists more files to read. If confined, those can only be files of the project and of the system. */
  | 'names'
  | 'read-tree'
  | 'list'
  | 'list-tree'
  | 'write'
  | 'write-tree'
  | 'remove'
  | 'remove-tree'
  | 'remove-found';

/** `glued`: optional, and only as part of the same word (`--color=always`, `-I3`). */
export type Arity = 'none' | 'required' | 'glued';

interface Option {
  value: Arity;
  meaning: Meaning;
}

/** The options of one program. */
export interface OptionTable {
  readonly named: ReadonlyMap<string, Option>;
  /** `-20`: a number by itself. */
  readonly numbers: boolean;
}

/** A program that declares its option table, so that a test can compare it with the program's own help. */
export interface TabledProgram extends Program {
  readonly table: OptionTable;
}

/** A given option, with its value if it has one. */
interface ParsedOption {
  name: string;
  value?: ShellField;
  meaning: Meaning;
  /** The value is a separate word after the first operand, where BSD programs no longer accept options. */
  isLate?: boolean;
}

export interface ParsedArguments {
  options: ParsedOption[];
  operands: ShellField[];
  /** Why the words are not fully understood. */
  problem?: string;
}

/**
 * Parses a table from its short form: `-a --all` are flags, `-n= --lines=` take a value, `-f=read` takes one that
 * names a file to read, `--color?` may have one attached, and `-#` stands for a number by itself. `-abc` are three
 * flags. Parsed on first use, since most programs are never called.
 */
export function optionTable(text: string): OptionTable {
  let table: OptionTable | undefined;
  const read = (): OptionTable => {
    table ??= readTable(text);
    return table;
  };
  return {
    get named() {
      return read().named;
    },
    get numbers() {
      return read().numbers;
    },
  };
}

function readTable(text: string): OptionTable {
  const named = new Map<string, Option>();
  let numbers = false;
  for (const entry of text.split(/\s+/).filter(Boolean)) {
    if (entry === '-#') {
      numbers = true;
      continue;
    }
    const [, name = '', mark = '', meaning = ''] = /^(-[^=?]+)([=?]?)(.*)$/.exec(entry) ?? [];
    const option: Option = {
      value: mark === '=' ? 'required' : mark === '?' ? 'glued' : 'none',
      meaning: (meaning || 'value') as Meaning, // the tables are ours, and their examples are tested
    };
    const names = name.startsWith('--') ? [name] : [...name.slice(1)].map((letter) => `-${letter}`);
    for (const each of names) named.set(each, option);
  }
  return { named, numbers };
}

export interface ParseOptions {
  /** Options end at the first operand, as POSIX specifies and wrappers need it. */
  operandsEndOptions?: boolean;
  /** Every option of the program is harmless, so an unknown word may be one. */
  anyOption?: boolean;
}

export function parseOptions(
  args: readonly ShellField[],
  table: OptionTable,
  { operandsEndOptions = false, anyOption = false }: ParseOptions = {},
): ParsedArguments {
  const parsed: ParsedArguments = { options: [], operands: [] };
  const rest = [...args];
  // The rest may still be files, which rules about files have to see.
  const givenUp = (problem: string, left: readonly ShellField[]): ParsedArguments => ({
    ...parsed,
    operands: [...parsed.operands, ...left.filter(({ value }) => !value?.startsWith('-'))],
    problem,
  });
  for (let field = rest.shift(); field !== undefined; field = rest.shift()) {
    const { value } = field;
    if (value === '--') {
      parsed.operands.push(...rest);
      return parsed;
    }
    if (value === undefined || !value.startsWith('-') || value === '-') {
      if (value === undefined && field.mayBeOption && !anyOption) {
        return givenUp(`${field.text} may be an option`, [field, ...rest]);
      }
      parsed.operands.push(field);
      if (operandsEndOptions) {
        parsed.operands.push(...rest);
        return parsed;
      }
      continue;
    }
    const wordsLeft = rest.length;
    const problem = value.startsWith('--')
      ? longOption(value, rest, table, parsed)
      : shortOptions(value, rest, table, parsed);
    const given = parsed.options.at(-1);
    if (given !== undefined && rest.length < wordsLeft && parsed.operands.length > 0) given.isLate = true;
    if (problem !== undefined) return givenUp(problem, rest);
    const last = given?.value;
    if (last?.splits && last.mayBeOption && !anyOption) return givenUp(`${last.text} may be several words`, rest);
    if (last?.splits) parsed.operands.push(last);
  }
  return parsed;
}

function longOption(
  word: string,
  rest: ShellField[],
  { named }: OptionTable,
  parsed: ParsedArguments,
): string | undefined {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  // Abbreviations are not resolved: that depends on options that the table leaves out.
  const option = named.get(name);
  if (option === undefined) return `the option ${name} is not known to be harmless`;
  const glued = equals < 0 ? undefined : known(word.slice(equals + 1));
  if (glued !== undefined && option.value === 'none') return `the option ${name} takes no value`;
  const value = glued ?? (option.value === 'required' ? rest.shift() : undefined);
  if (option.value === 'required' && value === undefined) return `the option ${name} lacks its value`;
  parsed.options.push({ name, meaning: option.meaning, ...(value && { value }) });
  return undefined;
}

function shortOptions(
  word: string,
  rest: ShellField[],
  { named, numbers }: OptionTable,
  parsed: ParsedArguments,
): string | undefined {
  if (numbers && /^-\d+$/.test(word)) {
    parsed.options.push({ name: '-#', value: known(word.slice(1)), meaning: 'value' });
    return undefined;
  }
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word[at]}`;
    const option = named.get(name);
    if (option === undefined) return `the option ${name} is not known to be harmless`;
    if (option.value === 'none') {
      parsed.options.push({ name, meaning: option.meaning });
      continue;
    }
    const glued = word.slice(at + 1);
    const value = glued !== '' ? known(glued) : option.value === 'required' ? rest.shift() : undefined;
    if (option.value === 'required' && value === undefined) return `the option ${name} lacks its value`;
    parsed.options.push({ name, meaning: option.meaning, ...(value && { value }) });
    return undefined;
  }
  return undefined;
}

export const hasOption = ({ options }: ParsedArguments, ...names: string[]): boolean =>
  options.some(({ name }) => names.includes(name));

const touchOf: Readonly<Record<Meaning, Omit<Touch, 'file'> | undefined>> = {
  value: undefined,
  either: undefined,
  read: { access: 'read' },
  names: { access: 'read' },
  'read-tree': { access: 'read', tree: true },
  list: { access: 'read', listing: true },
  'list-tree': { access: 'read', listing: true, tree: true },
  write: { access: 'write' },
  'write-tree': { access: 'write', tree: true },
  remove: { access: 'write', removes: true },
  'remove-tree': { access: 'write', removes: true, tree: true },
  'remove-found': { access: 'write', removes: true, tree: true, found: true },
};

/** The file that a word names under a meaning; `-` is standard input or output. */
export function touch(meaning: Meaning, file: ShellField): Touch[] {
  const how = touchOf[meaning];
  return how === undefined || (file.value === '-' && how.access === 'read') ? [] : [{ ...how, file }];
}

export const optionTouches = ({ options }: ParsedArguments): Touch[] =>
  options.flatMap(({ value, meaning }) => (value ? touch(meaning, value) : []));

/** The same if symlinks in trees are followed. */
export const followingLinks = (touches: readonly Touch[]): Touch[] =>
  touches.map((each) => (each.tree ? { ...each, followsLinks: true } : each));

export interface PlainProgram {
  names: string;
  options?: string;
  /** The meaning of each operand, the last one repeated; `none` if operands are not allowed. */
  operands: readonly Meaning[] | 'none';
  /** No option can write, run or connect: words from a variable or a glob may be options, if confined. */
  anyOption?: boolean;
  /** The default operand. */
  without?: { place: string; meaning: Meaning };
  maxOperands?: number;
  /** Every word after the first operand is an operand too, whatever it looks like. */
  operandsEndOptions?: boolean;
  /** Without operands, and with no other options than these, it prints some lines of its input unchanged. */
  filters?: readonly string[];
  /** Too intricate to run unconfined without a question: always, or with one of these options. */
  needsWalls?: true | readonly string[];
  /** Options that make it follow symlinks in a tree. */
  followsLinks?: readonly string[];
  observes?: HostFacts;
  examples: Program['examples'];
}

/** A program that is harmless if all its options are in its table. */
export function plain(spec: PlainProgram): TabledProgram {
  const { anyOption = false, operandsEndOptions = false, filters, needsWalls, observes } = spec;
  const table = optionTable(spec.options ?? '');
  return {
    names: spec.names.split(' '),
    table,
    examples: spec.examples,
    judge(call: Call): ProgramVerdict {
      const parsed = parseOptions(call.args, table, { anyOption, operandsEndOptions });
      const passesNames =
        filters && parsed.operands.length === 0 && parsed.options.every(({ name }) => filters.includes(name));
      const takesAnyOption = anyOption && [...table.named.values()].every(({ meaning }) => meaning === 'value');
      const isUnsure = !takesAnyOption && call.args.some(mayBecomeOption);
      const isFollowing = spec.followsLinks !== undefined && hasOption(parsed, ...spec.followsLinks);
      const isIntricate = needsWalls === true || (needsWalls && hasOption(parsed, ...needsWalls));
      const verdict = judgePlain(parsed, spec);
      return {
        ...verdict,
        ...(isFollowing && { touches: followingLinks(verdict.touches ?? []) }),
        ...(passesNames && { passesNames }),
        ...(takesAnyOption && { takesAnyOption }),
        ...((isFollowing || isIntricate || isUnsure) && { needsWalls: true }),
        ...(observes && { observes }),
      };
    },
  };
}

/** Whether an unknown word may turn out to be an option. */
export const mayBecomeOption = ({ value, mayBeOption }: ShellField): boolean => value === undefined && mayBeOption;

export function judgePlain(
  parsed: ParsedArguments,
  { operands, without, maxOperands }: Pick<PlainProgram, 'operands' | 'without' | 'maxOperands'>,
): ProgramVerdict {
  const meanings = operands === 'none' ? [] : operands;
  const last = meanings.at(-1) ?? 'value';
  const readsNames = meanings.includes('names') || parsed.options.some(({ meaning }) => meaning === 'names');
  const touches = [
    ...optionTouches(parsed),
    ...(readsNames ? touch('read-tree', known('.')) : []),
    ...valuesThatMayBeOperands(parsed).flatMap((field) => touch(last === 'write' ? 'read' : last, field)),
    ...parsed.operands.flatMap((field, index) => touch(meanings[index] ?? last, field)),
    ...(without && parsed.operands.length === 0 ? touch(without.meaning, known(without.place)) : []),
  ];
  if (parsed.problem !== undefined) return { why: parsed.problem, touches };
  if (touches.some(({ access }) => access === 'write')) return { why: 'it writes a file', touches };
  if (operands === 'none' && parsed.operands.length > 0)
    return { why: 'what it does with an operand is not known', touches };
  if (
    maxOperands !== undefined &&
    (parsed.operands.length > maxOperands || parsed.operands.some(({ splits }) => splits))
  ) {
    return { why: `it may have more than ${maxOperands === 1 ? 'one operand' : `${maxOperands} operands`}`, touches };
  }
  return { touches, ...(readsNames && { needsWalls: true }) };
}

/** Values that another implementation treats as operands: a number is left out, since it is no file name. */
function valuesThatMayBeOperands({ options }: ParsedArguments): ShellField[] {
  return options.flatMap(({ value, meaning, isLate }) => {
    if (value?.value === undefined || /^[-+]?\d+\w?$/.test(value.value)) return [];
    return meaning === 'either' || (meaning === 'value' && isLate) ? [value] : [];
  });
}

/** The command that a wrapper runs: the words after the options, if not all options are known. */
export function guessCommand(args: readonly ShellField[]): readonly ShellField[] {
  const at = args.findIndex(
    ({ value }) => value !== undefined && /^[A-Za-z_./]/.test(value) && !/^[A-Za-z_]\w*=/.test(value),
  );
  return at < 0 ? [] : args.slice(at);
}
