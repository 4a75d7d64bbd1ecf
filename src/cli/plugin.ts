import { codeOf } from '../platform/error-code.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';
import { PluginProblem } from '../plugins/plugin-problem.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { writeLine } from './write-line.js';

const USAGE = 'Use helve plugin add, list, details, update, enable, disable, remove or validate.';

type Action = (argv: readonly string[]) => Promise<number>;

const actions: Readonly<Record<string, () => Promise<Action>>> = {
  add: async () => (await import('./plugin/add.js')).add,
  list: async () => (await import('./plugin/list.js')).list,
  details: async () => (await import('./plugin/details.js')).details,
  validate: async () => (await import('./plugin/details.js')).validate,
  update: async () => (await import('./plugin/update.js')).update,
  enable: async () => (await import('./plugin/enable.js')).enable,
  disable: async () => (await import('./plugin/enable.js')).disable,
  remove: async () => (await import('./plugin/remove.js')).remove,
};

/** What to say about an error of the file system; undefined for any other. */
export function diskProblem(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return undefined;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const next = isFull
    ? "Free some space where Helve's data folder is, and run the command again."
    : "Check that Helve's data folder can be written, and run the command again.";
  return `The command was not completed: ${clause(messageOf(error))}${isFull ? ' (the disk is full)' : ''}. What was approved before stays as it was. ${next}`;
}

/** Plugins of other agents. */
export async function plugin([name, ...rest]: readonly string[]): Promise<number> {
  const load = chooseAction('plugin', name, actions, USAGE);
  try {
    return await (await load())(rest);
  } catch (error) {
    const message = error instanceof PluginProblem ? error.message : diskProblem(error);
    if (message === undefined) throw error;
    await writeLine(process.stderr, `helve: ${message}`);
    return exitCode.failed;
  }
}
