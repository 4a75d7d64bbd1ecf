import { forgetKey, keyIn, storeKey } from '../../models/catalogue/store-key.js';
import { messageOf } from '../../platform/message-of.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { checkKey } from '../first-run/check-key.js';
import { type KeyProvider, keyProviders } from '../first-run/model-offers.js';
import { firstWord, problem, text, words } from './answers.js';

export const key: TerminalCommand = {
  name: 'key',
  group: 'Model',
  echo: 'answered',
  description: 'store an API key; /login and /logout for a plan',
  argumentHint: '[provider | forget provider]',
  complete: async (typed, { env }) => words(typed, [...(await keyProviders(env)).map(({ id }) => id), 'forget']),

  async run(args, session) {
    const [first, second] = firstWord(args);
    const providers = await keyProviders(session.env);
    if (first === 'forget') return await forget(second, providers, session);
    if (first !== '') return askForKey(first, providers, session);
    return {
      type: 'choose',
      title: 'A key for which provider?',
      items: providers.map(({ id, title, variable, from }) => ({
        value: id,
        label: title,
        description: from === 'environment' ? 'set in the environment' : from ? 'stored already' : variable,
      })),
      choose: async (id) => askForKey(id, providers, session),
    };
  },
};

export function askForKey(id: string, providers: readonly KeyProvider[], session: CommandSession): CommandAnswer {
  const provider = find(id, providers);
  if ('problem' in provider) return problem(provider.problem);
  const { title, variable, from } = provider;
  if (from === 'environment')
    return problem(`${title} has a key in the environment, which comes first. Change it there.`);
  return {
    type: 'ask',
    title: `Key for ${title} (${variable}), stored for you alone`,
    isSecret: true,
    verb: 'save',
    async answer(typed) {
      const refused = await storeKey(variable, typed, session.env);
      if (refused !== undefined) return problem(refused);
      const checked = await checkKey(id, keyIn(typed), session.env);
      if (session.model !== undefined) return text(`Stored. ${checked} /model ${id} uses ${title}.`);
      try {
        return text(`Stored. ${checked} The model is ${await session.chooseModel(id)}.`);
      } catch (error) {
        return text(`Stored. ${checked} ${messageOf(error)}`);
      }
    },
  };
}

async function forget(id: string, providers: readonly KeyProvider[], { env }: CommandSession): Promise<CommandAnswer> {
  const provider = find(id, providers);
  if ('problem' in provider) return problem(provider.problem);
  const was = await forgetKey(provider.variable, env);
  return text(was ? `The stored key for ${provider.title} was removed.` : `No key for ${provider.title} was stored.`);
}

function find(id: string, providers: readonly KeyProvider[]): KeyProvider | { problem: string } {
  const found = providers.find((one) => one.id === id.toLowerCase());
  if (found) return found;
  const ids = providers.map((one) => one.id);
  const [nearest] = nearestWords(id, ids);
  return {
    problem: `There is no provider "${id}" that takes a key. ${nearest === undefined ? `There are: ${ids.join(', ')}.` : `Did you mean ${nearest}?`}`,
  };
}
