// Expands a word as far as possible before the shell runs: quotes are removed; tildes, braces and variables with
// known values are expanded. Anything else is kept as written and marked as unknown.
import { join } from 'node:path';
import type { Word, WordPart } from 'unbash';
import { known, type PathSpec, quoteWord, type ShellField } from './programs/program.js';

const MAX_WORDS = 100; // of one word with braces; a longer list is unreadable for a person
const MAX_VALUE_CHARS = 10_000; // as long as the longest command that is analysed
const CHARS_PER_STEP = 100; // the cost of copying text

/** The possible values of a variable, each a single word. */
export type Value = readonly ShellField[];

export interface ExpansionContext {
  home: string | undefined;
  /** The value of a variable, or undefined if it is unknown. */
  variable(name: string): Value | undefined;
  /** Whether a variable holds only numbers wherever the command sets it. */
  isNumber(name: string): boolean;
  /** Counts work; false once the limit is exceeded. */
  spend(cost: number): boolean;
}

/** The words that one word of the source expands to. */
export function expandWord(word: Word, surroundings: ExpansionContext): ShellField[] {
  const { parts, text } = word;
  if (parts === undefined) return [plainWord(word, surroundings)];
  const unknown = [{ text, mayBeOption: true, splits: true }];
  const alternatives = expandBraces(parts);
  if (alternatives === undefined || !surroundings.spend(alternatives.length * parts.length)) return unknown;
  const fields = alternatives.map((each) => assemble(each, surroundings));
  if (fields.some((field) => isTooLong(field, surroundings))) return unknown;
  // With braces the source text covers all of them together, so each needs its own.
  if (fields.length === 1) return fields.map((field) => (field.value === undefined ? { ...field, text } : field));
  return fields.every(({ value }) => value !== undefined && value !== '')
    ? fields
    : [{ text, mayBeOption: fields.some(({ mayBeOption }) => mayBeOption), splits: true, ...pathSpecsOf(fields) }];
}

/** The value of a word that is never split: in an assignment, after `<`, after `case`. */
export function expandValue(word: Word, surroundings: ExpansionContext): ShellField {
  const { parts, text } = word;
  if (text.includes(':~')) return { text, mayBeOption: false, splits: false }; // expanded in assignments
  if (parts === undefined) return plainWord(word, surroundings);
  const quoted = parts.map((part): Piece[] => piecesOf(part, surroundings, { quoted: true }));
  const field = { ...joined(quoted.flat(), tildeOf(parts[0], parts.length, surroundings)), text };
  return isTooLong(field, surroundings) ? { text, mayBeOption: true, splits: false } : field;
}

/** Variables made of each other double in size with every assignment. */
function isTooLong({ value = '', pathSpecs = [] }: ShellField, { spend }: ExpansionContext): boolean {
  return (
    value.length > MAX_VALUE_CHARS ||
    pathSpecs.length > MAX_WORDS ||
    !spend(Math.ceil((value.length + pathSpecs.reduce((sum, { path }) => sum + path.length, 0)) / CHARS_PER_STEP))
  );
}

function plainWord({ text, value }: Word, { home }: ExpansionContext): ShellField {
  if (text.startsWith('~')) {
    const inHome = text === '~' || text.startsWith('~/');
    if (inHome && home !== undefined) return { ...known(home + value.slice(1)), text };
    return { text, mayBeOption: false, splits: false };
  }
  // Bash expands the tilde in anything that looks like an assignment, wherever it appears: `dd of=~/x`.
  const assigned = /^(\w+=)~(\/.*)?$/s.exec(text);
  if (assigned && !text.includes(':') && !text.includes('\\') && home !== undefined) {
    return { ...known(`${assigned[1]}${home}${assigned[2] ?? ''}`), text };
  }
  if (/^\w+=(.*:)?~/s.test(text)) return { text, mayBeOption: false, splits: false };
  return known(value);
}

/** A part of a word: known text, or an expansion that is unknown before the command runs. */
type Piece =
  | { text: string }
  | { unknown: true; splits: boolean; glob?: string; values?: Value; isNumber?: boolean; number?: boolean };

function assemble(parts: readonly WordPart[], surroundings: ExpansionContext): ShellField {
  const pieces = parts.flatMap((part) => piecesOf(part, surroundings, { quoted: false }));
  return joined(pieces, tildeOf(parts[0], parts.length, surroundings));
}

/** The expansion of a leading `~`: undefined if there is none, null if it is unknown. */
function tildeOf(first: WordPart | undefined, count: number, { home }: ExpansionContext): string | null | undefined {
  if (first?.type !== 'Literal') return undefined;
  if (/^\w+=(.*:)?~/s.test(first.text)) return null;
  if (!first.text.startsWith('~')) return undefined;
  const inHome = first.text.startsWith('~/') || (first.text === '~' && count === 1);
  return inHome && home !== undefined ? home : null;
}

function joined(pieces: readonly Piece[], tilde: string | null | undefined): ShellField {
  const text = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
  if (tilde === null)
    return { text, mayBeOption: false, splits: pieces.some((piece) => 'unknown' in piece && piece.splits) };
  const whole = tilde === undefined ? text : tilde + text.slice(1);
  const unknown = pieces.filter((piece) => 'unknown' in piece);
  if (unknown.length === 0)
    return tilde === undefined ? known(whole) : { ...known(whole), text: `~${quoteWord(text.slice(1))}` };

  const first = pieces[0];
  const start = first && 'text' in first ? (tilde ?? first.text) : first?.isNumber ? '0' : '';
  const splits = unknown.some((piece) => piece.splits);
  const splitsAnywhere = unknown.some((piece) => piece.splits && piece.glob === undefined);
  const field: ShellField = { text, mayBeOption: splitsAnywhere || start === '' || start.startsWith('-'), splits };
  if (pieces.length === 1 && unknown[0]?.number) return { ...field, isNumber: true };
  if (splitsAnywhere && unknown.some(({ values }) => values === undefined)) return field;
  if (unknown.every(({ glob }) => glob !== undefined)) return { ...field, ...globPathSpecs(pieces, tilde) };
  const [only] = unknown;
  if (unknown.length > 1 || only?.values === undefined) return field;
  return withValues(field, pieces, only.values, tilde);
}

/** A word with one variable in it that has only certain possible values. */
function withValues(field: ShellField, pieces: readonly Piece[], values: Value, tilde: string | undefined): ShellField {
  const at = pieces.findIndex((piece) => 'unknown' in piece);
  const textOf = (some: readonly Piece[]): string => some.map((piece) => ('text' in piece ? piece.text : '')).join('');
  const before = tilde === undefined ? textOf(pieces.slice(0, at)) : tilde + textOf(pieces.slice(0, at)).slice(1);
  const after = textOf(pieces.slice(at + 1));
  const each = values.map((value): ShellField | undefined => {
    if (value.value !== undefined) return known(before + value.value + after);
    if (value.pathSpecs === undefined || before !== '' || after.includes('..')) return undefined;
    return value;
  });
  const all = each.filter((value) => value !== undefined);
  if (all.length < each.length) return field;
  const [single] = all;
  if (all.length === 1 && single?.value !== undefined) return { ...single, splits: false };
  return {
    ...field,
    mayBeOption: all.some(({ mayBeOption }) => mayBeOption),
    ...pathSpecsOf(all),
    ...(all.some(({ anyWords }) => anyWords) && { anyWords: true }),
  };
}

function pathSpecsOf(fields: readonly ShellField[]): { pathSpecs?: readonly PathSpec[] } {
  const pathSpecs = fields.flatMap(({ value, pathSpecs: some }) => (value === undefined ? some : [{ path: value }]));
  const all = pathSpecs.filter((place) => place !== undefined);
  return all.length === pathSpecs.length ? { pathSpecs: all } : {};
}

/** The files that a glob can match: those below the folder before its first special character. */
function globPathSpecs(pieces: readonly Piece[], tilde: string | undefined): { pathSpecs?: readonly PathSpec[] } {
  const pattern = pieces.map((piece) => ('text' in piece ? piece.text : (piece.glob ?? ''))).join('');
  const at = pieces.findIndex((piece) => 'unknown' in piece);
  const before = pieces
    .slice(0, at)
    .map((piece) => ('text' in piece ? piece.text : ''))
    .join('');
  const after = pattern.slice(before.length);
  if (after.split('/').some((name) => /^\.([*?[.]|$)/.test(name)) || /(^|\/)\.$/.test(before)) return {}; // may be `..`
  const inHome = (path: string): string => (tilde === undefined ? path : tilde + path.slice(1));
  const folder = before.slice(0, before.lastIndexOf('/') + 1);
  return { pathSpecs: [{ path: inHome(folder) || '.', tree: true, pattern: inHome(pattern) }] };
}

function piecesOf(part: WordPart, surroundings: ExpansionContext, { quoted }: { quoted: boolean }): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ text: part.value }];
    case 'DoubleQuoted':
      return part.parts.length === 0
        ? [{ text: '' }]
        : part.parts.flatMap((child) => piecesOf(child, surroundings, { quoted: true }));
    case 'SimpleExpansion':
      return [variablePiece(part.text.slice(1), surroundings, quoted)];
    case 'ParameterExpansion': {
      const isPlain = part.prefix === undefined && part.index === undefined && part.operation === undefined;
      return [
        isPlain
          ? variablePiece(part.parameter, surroundings, quoted)
          : { unknown: true, splits: !quoted || part.index !== undefined },
      ];
    }
    case 'Glob':
      return [quoted ? { unknown: true, splits: false } : { unknown: true, splits: true, glob: part.text }];
    case 'ProcessSubstitution':
      return [{ unknown: true, splits: false, values: [descriptor] }];
    case 'ArithmeticExpansion':
      return [{ unknown: true, splits: false }];
    case 'CommandExpansion':
    case 'LocaleString':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [{ unknown: true, splits: !quoted }];
  }
}

// The result of `<( )`: a name below /dev/fd that refers to the program's output only.
const descriptor: ShellField = { text: '/dev/fd', mayBeOption: false, splits: false, pathSpecs: [] };

function variablePiece(name: string, surroundings: ExpansionContext, quoted: boolean): Piece {
  if (name === '@' || name === '*') return { unknown: true, splits: name === '@' || !quoted };
  if (/^[?#$!]$/.test(name)) return { unknown: true, splits: false, isNumber: true };
  const values = surroundings.variable(name);
  if (values === undefined)
    return { unknown: true, splits: !quoted, ...(surroundings.isNumber(name) && { number: true }) };
  const [only] = values;
  if (values.length === 1 && only?.value !== undefined && (quoted || staysOneWord(only.value)))
    return { text: only.value };
  const whole =
    quoted ||
    values.every(({ value, pathSpecs }) => (value === undefined ? pathSpecs !== undefined : staysOneWord(value)));
  return { unknown: true, splits: !quoted, ...(whole && { values: quoted ? values : values.map(splitName) }) };
}

/** Unquoted, the name of a file is split into words at its blanks. */
const splitName = (field: ShellField): ShellField =>
  field.value === undefined ? { ...field, mayBeOption: true, splits: true, anyWords: true } : field;

/** Whether an unquoted variable with this value stays one word. */
const staysOneWord = (value: string): boolean => value !== '' && !/[\s*?[\]\\~]/.test(value);

/** The words, as lists of parts, that brace expansion produces; undefined if that is unclear. */
function expandBraces(parts: readonly WordPart[]): WordPart[][] | undefined {
  let words: WordPart[][] = [[]];
  for (const part of parts) {
    const choices = part.type === 'BraceExpansion' ? braceChoices(part.text) : [part];
    if (choices === undefined || words.length * choices.length > MAX_WORDS) return undefined;
    const added = choices.map((choice) => (typeof choice === 'string' ? literal(choice, part) : choice));
    // Copies only where there is a choice, since a word may have thousands of parts.
    if (added.length === 1) for (const word of words) word.push(...added);
    else words = words.flatMap((word) => added.map((each) => [...word, each]));
  }
  return words;
}

const literal = (value: string, { pos, end }: WordPart): WordPart => ({
  type: 'Literal',
  pos,
  end,
  value,
  text: value,
});

function braceChoices(text: string): string[] | undefined {
  const inside = text.slice(1, -1);
  if (/^[\w.,/@%+:=-]*$/.test(inside) && inside.includes(',')) {
    return inside.includes('..') && !inside.includes(',') ? undefined : inside.split(',');
  }
  const [, from = '', to = ''] = /^(\d{1,6})\.\.(\d{1,6})$/.exec(inside) ?? [];
  if (from === '' || /^0\d/.test(from) || /^0\d/.test(to)) return undefined;
  const [first, last] = [Number(from), Number(to)];
  const count = Math.abs(last - first) + 1;
  if (count > MAX_WORDS) return undefined;
  return Array.from({ length: count }, (_, index) => String(first + (first < last ? index : -index)));
}

/** Resolves a path against the command's `directory`. */
export const resolveIn = (directory: string, path: string): string =>
  path.startsWith('/') ? path : join(directory, path);
