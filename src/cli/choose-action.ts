import { nearestWords } from '../platform/text/similar-text.js';
import { UsageProblem } from './usage-problem.js';

/** The action that the word after a command such as `helve config` names; otherwise a usage error. */
export function chooseAction<Action>(
  command: string,
  word: string | undefined,
  actions: Readonly<Record<string, Action>>,
  usage: string,
): Action {
  if (word === undefined) throw new UsageProblem(`helve ${command} needs an action. ${usage}`);
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action !== undefined) return action;
  const [nearest] = nearestWords(word, Object.keys(actions));
  const meant = nearest === undefined ? '' : ` Did you mean "helve ${command} ${nearest}"?`;
  throw new UsageProblem(`There is no "helve ${command} ${word}".${meant} ${usage}`);
}
