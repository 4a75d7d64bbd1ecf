// The form of the tables of risky commands. They name what a command's files and addresses do not show. Of a program's
// forms the first that fits counts, so narrow ones come first.
import type { Risk } from '../../../contract/permission.js';
import type { CommandLine } from '../command-line.js';
import type { Reach } from '../reach.js';
import { shortened } from '../short-text.js';

export type CommandRisk = Pick<Risk, 'kind' | 'level' | 'text'> & { undoable?: Risk['undoable']; reach?: Reach };

export interface RiskyForm {
  /** What the operands, joined by blanks, must match. */
  on?: RegExp;
  /** A further condition. */
  when?: (line: CommandLine) => boolean;
  /** The option that `when` looks for comes before the subcommand, so a rule for the subcommand does not cover it. */
  leads?: boolean;
  /** The worst level of the form, if it depends on more words than the subcommand. */
  worst?: Risk['level'];
  /** Undefined if there is none in this form. */
  risk: (line: CommandLine) => CommandRisk | undefined;
}

export interface RiskyProgram {
  names: string;
  forms: readonly RiskyForm[];
}

type Fixed = readonly [kind: Risk['kind'], level: Risk['level'], text: string];

export const always =
  (...[kind, level, text]: Fixed) =>
  (): CommandRisk => ({ kind, level, text });

const MAX_NAMED_CHARS = 300;

/** The text ends with the operands from this one on. */
export const naming =
  (from: number, ...[kind, level, text]: Fixed) =>
  ({ operands }: CommandLine): CommandRisk => {
    const named = shortened(operands.slice(from).join(' '), MAX_NAMED_CHARS);
    return { kind, level, text: named === '' ? text : `${text}: ${named}` };
  };

export const none = (): undefined => undefined;

/** Scripts and targets whose name says that others will see the result. */
export const DEPLOYING =
  /(^|[ :_./-])(deploy|release|publish|ship)\b(?!-(notes?|drafter|please-dry|candidate-notes|check|info))/i;

export const mayDeploy = naming(0, 'publishes', 'notable', 'may publish or change other systems, by its name');

export const publishesPackage = always('publishes', 'high', 'publishes this package to the registry');
