// Interpreters that take their program from standard input. A program in a file is a file that is read; one on standard
// input has no name, so it is judged by its text, or counts as not known.
import type { ProgramVerdict, ShellField } from './program.js';

interface Interpreter {
  names: RegExp;
  /** The kind of program that it reads: a shell script, or a language that is not analysed. */
  language: NonNullable<ProgramVerdict['programOnInput']>;
  /** The option that names, or is followed by, the program. */
  code: RegExp;
  /** Options whose value is the next word. */
  valued?: RegExp;
  /** It reads commands from standard input with any operands. */
  always?: boolean;
}

const never = /^\b$/;

const interpreters: readonly Interpreter[] = [
  { names: /^(python|pypy)[\d.]*$/, language: 'code', code: /^-[a-zA-Z]*[cm]/, valued: /^-[WXQ]$/ },
  { names: /^perl[\d.]*$/, language: 'code', code: /^-[acdfilnpsStTuUvwWX0-9]*[eE]/, valued: /^-I$/ },
  { names: /^ruby[\d.]*$/, language: 'code', code: /^-[alnpsSvwW0-9]*e/, valued: /^-[rICE]$/ },
  {
    names: /^node(js)?[\d.]*$/,
    language: 'code',
    code: /^(-e|-p|-pe|-h|--eval|--print|--test|--run)(=|$)/,
    valued: /^(-r|--require|--import|-C|--conditions|--(experimental-)?loader|--input-type|--env-file)$/,
  },
  { names: /^php[\d.]*$/, language: 'code', code: /^(-[rBRFEfSim]|--run|--file)/, valued: /^-[dczg]$/ },
  { names: /^lua(jit)?[\d.]*$/, language: 'code', code: /^-e/, valued: /^-l$/ },
  {
    names: /^(tclsh|wish|expect|julia|guile|osascript|gnuplot|R|irb|ghci|ocaml|sbcl|clisp|jshell|iex|qjs)[\d.]*$/,
    language: 'code',
    code: /^(-e|-E|-c|-f|--eval|--file)/,
  },
  { names: /^(nu|xonsh|elvish|rbash|pwsh|powershell|[a-z]*sh)$/, language: 'other', code: /^-[a-zA-Z]*c/ },
  { names: /^(at|batch)$/, language: 'posix', code: /^-[a-zA-Z]*[lrdcf]/, always: true },
  { names: /^(parallel|sem)$/, language: 'other', code: never, always: true },
  {
    names: /^(ed|red|ex|vi|vim|nvim|dc|m4|gdb|sqlite3|psql|mysql|mariadb)$/,
    language: 'code',
    code: never,
    always: true,
  },
];

// These read a program from standard input only if an option says so.
const byOption = /^([gmn]|original-)?awk$|^g?sed$|^[gb]?make$/;
const inputAsFile = /^(-[a-zA-Z]*f|--file=|--makefile=)(-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/;

const streamName = /^(-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/;

/** Whether a word names a stream of the command itself: standard input, a descriptor or a process substitution. */
export const isStream = ({ value, pathSpecs }: ShellField): boolean =>
  value === undefined ? pathSpecs?.length === 0 : streamName.test(value);

/** Standard input itself, by one of its names. */
export const isStandardInput = ({ value = '' }: ShellField): boolean =>
  /^(-|\/dev\/stdin|\/(dev|proc\/self)\/fd\/0)$/.test(value);

/** The program that other programs than shells read from standard input; undefined if they read none. */
export function programOnInput(
  written: string,
  args: readonly ShellField[],
): Pick<ProgramVerdict, 'programOnInput' | 'programOnStream'> {
  const name = written.slice(written.lastIndexOf('/') + 1);
  if (byOption.test(name)) {
    const named = args.filter(({ value = '' }, index) => {
      const follows = /^(-[a-zA-Z]*f|--file|--makefile)$/.test(args[index - 1]?.value ?? '');
      return follows || inputAsFile.test(value);
    });
    const file = named.find((field) => isStream(field) || inputAsFile.test(field.value ?? ''));
    return file ? fromStream(file, 'code') : {};
  }
  const interpreter = interpreters.find(({ names }) => names.test(name));
  if (interpreter === undefined) return {};
  const { language, code, valued = never, always } = interpreter;
  if (args.some(({ value = '' }) => code.test(value))) return {};
  if (always) return { programOnInput: language };
  const operand = args.find(({ value }, index) => {
    const isOption = value?.startsWith('-') && value !== '-';
    return !isOption && !valued.test(args[index - 1]?.value ?? '');
  });
  if (operand === undefined) return { programOnInput: language };
  return isStream(operand) ? fromStream(operand, language) : {};
}

/** What runs a program that is named by a stream. */
export const fromStream = (
  file: ShellField,
  language: NonNullable<ProgramVerdict['programOnInput']>,
): Pick<ProgramVerdict, 'programOnInput' | 'programOnStream'> =>
  isStandardInput(file) || inputAsFile.test(file.value ?? '')
    ? { programOnInput: language }
    : { programOnStream: true };
