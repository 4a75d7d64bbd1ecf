// Judges one simple command by its program's table and the shell state where it runs.
import { isHarmlessAssignment } from './assignments.js';
import { asGiven } from './piped-names.js';
import { findProgram } from './programs/index.js';
import { onlyReports } from './programs/never-free.js';
import { openers } from './programs/openers.js';
import type { Assigned, Call, Program, ProgramVerdict, ShellField, Touch } from './programs/program.js';
import { programOnInput } from './programs/program-input.js';
import { asksForHelp, plainForm } from './programs/system-programs.js';
import type { State } from './shell-state.js';

export interface CommandToJudge {
  /** Its name, as written. */
  name: string;
  args: readonly ShellField[];
  assigns: readonly Assigned[];
  state: State;
  /** A wrapper starts programs, never shell functions. */
  programsOnly: boolean;
  /** Whether some variable may be an array. */
  hasArrays(): boolean;
}

export interface JudgedCommand {
  call: Call;
  verdict: ProgramVerdict;
  /** Why it is not harmless. */
  why: string | undefined;
  /** The files that it reads if it turns out to be a system program without a table. */
  reads: readonly Touch[] | undefined;
}

export function judgeCommand({ name, args, assigns, state, programsOnly, hasArrays }: CommandToJudge): JudgedCommand {
  const programName = standardName(name);
  const program = programName === undefined ? undefined : findProgram(programName);
  const call: Call = {
    name: programName ?? name,
    args: asGiven(programName ?? name, args),
    ...(state.piped && { piped: state.piped }),
  };
  const verdict = verdictOn(name, program, call);
  const unsafe = assigns.find((assigned) => !isHarmlessAssignment(assigned) && !isOwnSeparator(assigned, name));
  const mayBeFunction = state.functions.has(name) && !programsOnly;
  const why =
    verdict.why ??
    (unsafe && `it sets ${unsafe.name}, which may change what runs or what it touches`) ??
    (state.tampered && `${name} may not be what it seems: ${state.tampered}`) ??
    (call.name === 'git' && state.directories === undefined
      ? 'in which repository it runs is not known, and a repository may name programs for git to start'
      : undefined) ??
    (mayBeFunction ? `${name} may be a function` : undefined) ??
    (evaluatesArray(name, args, hasArrays) ? `${name} may evaluate the subscripts of an array` : undefined);
  const isItself = unsafe === undefined && state.tampered === undefined && !state.functions.has(name);
  return { call, verdict, why, reads: isItself ? readsOfUnknown(name, program, verdict, call) : undefined };
}

/** A program that is only asked for its version or help starts nothing, even if its table does not list the option. */
function verdictOn(name: string, program: Program | undefined, call: Call): ProgramVerdict {
  const unknown: ProgramVerdict = { why: `${name} is not known to be harmless` };
  const judged = program?.judge(call) ?? unknown;
  const hasSource = judged.why === undefined || judged.programOnInput || judged.programOnStream || judged.starts;
  const verdict = hasSource ? judged : { ...judged, ...programOnInput(name, call.args) };
  return verdict.why !== undefined && isQuestion(call) ? { why: verdict.why } : verdict;
}

const isQuestion = ({ args }: Call): boolean => asksForHelp(args.map(({ value = '' }) => value));

/** `declare a=$x` evaluates subscripts in the value of x if `a` is an array. */
function evaluatesArray(name: string, args: readonly ShellField[], hasArrays: () => boolean): boolean {
  if (!/^(declare|typeset|local|readonly|export)$/.test(name) || !hasArrays()) return false;
  return !args.every(({ value }) => value !== undefined && !/^[^=]*=\s*\(/.test(value));
}

/** The files that a program without a table may read by its words, if it may run confined. */
function readsOfUnknown(
  written: string,
  program: Program | undefined,
  { touches = [], why }: ProgramVerdict,
  { args }: Call,
): readonly Touch[] | undefined {
  const words = args.flatMap(({ value }) => value ?? []);
  const isReport = words.length === args.length && (onlyReports(written, words) || asksForHelp(words));
  const isJudged = program !== undefined && !openers.includes(program);
  if (why === undefined || (isJudged && !isReport) || touches.some(({ access }) => access === 'write'))
    return undefined;
  return plainForm(written, args);
}

// `IFS= read -r line` reads a line unchanged; the separator applies to `read` alone.
const isOwnSeparator = ({ name, value }: Assigned, program: string): boolean =>
  program === 'read' && name === 'IFS' && value !== undefined;

/** The name by which the tables know a program: a path only if it lies in a system folder. */
function standardName(name: string): string | undefined {
  if (!name.includes('/')) return name;
  const program = /^\/(?:usr\/(?:local\/)?)?bin\/([^/]+)$/.exec(name)?.[1];
  return program !== undefined && BUILTINS.has(program) ? undefined : program;
}

// Builtins; a program of that name would do something else.
const BUILTINS: ReadonlySet<string> = new Set(
  'cd pushd popd dirs eval source . export declare typeset local readonly read set trap exec builtin command unset shift'.split(
    ' ',
  ),
);
