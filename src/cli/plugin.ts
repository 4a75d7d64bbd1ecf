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

/** Plugins of other agents. */
export async function plugin([name, ...rest]: readonly string[]): Promise<number> {
  const load = chooseAction('plugin', name, actions, USAGE);
  try {
    return await (await load())(rest);
  } catch (error) {
    if (!(error instanceof PluginProblem)) throw error;
    await writeLine(process.stderr, `helve: ${error.message}`);
    return exitCode.failed;
  }
}
