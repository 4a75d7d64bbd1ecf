import { seeModels } from '../../models/catalogue/plan-model.js';
import { loginProviders, loginTitles } from '../../models/sign-in/login-names.js';
import { messageOf } from '../../platform/message-of.js';
import { editSettings } from '../../settings/edit-file.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { findModelOffers, keyProviders } from '../first-run/model-offers.js';
import { beginning, problem, text } from './answers.js';
import { askForKey } from './key.js';
import { login } from './login.js';

export const model: TerminalCommand = {
  name: 'model',
  group: 'Model',
  echo: 'answered',
  description: 'choose the model',
  argumentHint: '[provider/name]',
  complete: async (typed, session) => beginning(typed, await session.models()),

  async run(args, session) {
    if (args.trim() !== '') return await use(args.trim(), session);
    const items = await session.models();
    if (items.length === 0) return await offer(session);
    const isCurrent = (value: string): boolean => value === session.model;
    return {
      type: 'choose',
      title: 'Which model?',
      items: items.map((item) => ({ ...item, isCurrent: isCurrent(item.value) })),
      choose: async (value) => await use(value, session),
    };
  },
};

/** What can be set up: models of servers on this machine, accounts to sign in to, and providers that need a key. */
async function offer(session: CommandSession): Promise<CommandAnswer> {
  const [found, providers] = await Promise.all([findModelOffers(session.env), keyProviders(session.env)]);
  return {
    type: 'choose',
    title: 'No model is set up yet. Which one do you want to use?',
    ...(found.length === 0 && {
      text: 'To use a model on this machine, start Ollama or LM Studio, then /model again.',
    }),
    items: [
      ...found.map(({ model: value, server }) => ({ value, description: server, group: 'On this machine' })),
      ...loginProviders.map((id) => ({
        value: `${LOGIN_TO} ${id}`,
        label: loginTitles[id],
        description: `/login ${id}`,
        group: 'By signing in',
      })),
      ...providers.map(({ id, title, variable }) => ({
        value: `${KEY_OF} ${id}`,
        label: title,
        description: variable,
        group: 'With an API key',
      })),
    ],
    async choose(value) {
      const [what, id = ''] = value.split(' ');
      if (what === LOGIN_TO) return await login.run(id, session);
      return what === KEY_OF ? askForKey(id, providers, session) : await use(value, session);
    },
  };
}

const LOGIN_TO = 'login:';
const KEY_OF = 'key:';

async function use(name: string, session: CommandSession): Promise<CommandAnswer> {
  const isFirst = session.model === undefined;
  try {
    const chosen = await session.chooseModel(name);
    return text(`The model is ${chosen}.`, ...(isFirst ? [await keep(chosen, session)] : []));
  } catch (error) {
    return problem(inTerminal(messageOf(error)));
  }
}

/** The same sentence with the commands that can be typed here. */
const inTerminal = (sentence: string): string =>
  sentence.replace(seeModels.names, '/model lists those that are set up').replace(seeModels.keys, 'that /key lists');

/** Saves the first model that the user chooses as their default. */
async function keep(chosen: string, { root, env, home }: CommandSession): Promise<string> {
  await editSettings('user', { path: ['model'], value: chosen }, { root, env, ...(home !== undefined && { home }) });
  return 'It is now your default. To change that: /config model, or --model for one run.';
}
