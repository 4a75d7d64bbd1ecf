import type { CommandEffect } from '../contract/effect.js';
import { neverFree } from '../platform/shell/programs/never-free.js';
import { commandLine } from './risks/command-line.js';

const RUNS_SCRIPTS = /^(test|t|run|run-script|start|stop|restart|build|dev|lint|exec|task|install-test|it)\b/;

/**
 * Why a command is asked about, for the person: what it can do, where the tables only say that they do not know it.
 * Undefined if there is nothing to say.
 */
export function commandReason(command: CommandEffect): string | undefined {
  const { harmless, why } = command;
  if (harmless || why === undefined) return undefined;
  if (!/is not known to be harmless( in this form)?$|not all of its words are known/.test(why)) return why;
  const line = commandLine(command);
  if (!line) return undefined;
  const { name, operands } = line;
  const [written = name] = command.argv ?? [];
  const group = neverFree(name);
  if (written.includes('/')) return `${written} can do anything that you can`;
  if (
    group?.startsWith('it builds or tests') ||
    (group?.startsWith('it installs') && RUNS_SCRIPTS.test(operands[0] ?? ''))
  ) {
    const what = operands[0] !== undefined && /^[\w:.-]+$/.test(operands[0]) ? `${name} ${operands[0]}` : name;
    return `${what} can run any code of this project`;
  }
  if (group?.startsWith('it runs code') || group === 'it is a shell') return `${name} can run any code`;
  if (name === 'git' && operands[0] !== undefined) return undefined; // its name says what it does
  return group ?? (/^the (option|action|sed command)/.test(why) ? why : undefined);
}
