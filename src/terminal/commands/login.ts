import { loginProvider, loginProviders, loginTitles } from '../../models/sign-in/login-names.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { firstWord, problem, text, words } from './answers.js';
import { key } from './key.js';

const KEY = 'key';

/** Help names it in the line of /key, which keeps help on one screen. */
export const login: TerminalCommand = {
  name: 'login',
  echo: 'answered',
  description: 'sign in to a provider',
  argumentHint: '[openai, openrouter or copilot | new openai]',
  complete: (typed) => words(typed, [...loginProviders, 'new openai']),

  async run(args, session) {
    const [first, second] = firstWord(args);
    if (first === 'new' && second !== '') return await begin(second, session, true);
    if (first !== '') return await begin(first, session, false);
    return {
      type: 'choose',
      title: 'Sign in to which provider?',
      items: [
        { value: 'openai', label: loginTitles.openai, description: 'uses your plan, without an API key' },
        { value: 'openrouter', label: loginTitles.openrouter, description: 'gets a key of your account' },
        { value: 'copilot', label: loginTitles.copilot, description: 'needs an OAuth app of your own' },
        { value: KEY, label: 'Another provider', description: 'stores an API key' },
      ],
      choose: async (value) => (value === KEY ? await key.run('', session) : await begin(value, session, false)),
    };
  },
};

async function begin(name: string, session: CommandSession, isNew: boolean): Promise<CommandAnswer> {
  const found = loginProvider(name);
  if ('problem' in found) return problem(found.problem);
  const { provider } = found;
  const title = loginTitles[provider];
  if (session.isLoggingIn(provider) && !isNew) {
    return {
      type: 'ask',
      title: `Paste the address at which the browser ended after the sign-in to ${title}`,
      isSecret: true, // it contains a code
      verb: 'sign in',
      async answer(address) {
        session.pasteLogin(provider, address);
        return text('Checking the answer.');
      },
    };
  }
  await session.logIn(provider, isNew);
  if (session.isLoggingIn(provider)) return text('Waiting for the browser. You can go on meanwhile.');
  return { type: 'done' }; // the outcome was told
}
