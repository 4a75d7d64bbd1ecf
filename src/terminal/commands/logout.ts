import { loginProvider, loginProviders } from '../../models/sign-in/login-names.js';
import type { TerminalCommand } from '../contract.js';
import { problem, text, words } from './answers.js';

/** Help names it in the line of /key, as /login. */
export const logout: TerminalCommand = {
  name: 'logout',
  echo: 'answered',
  description: 'sign out of a provider',
  argumentHint: 'openai, openrouter or copilot',
  complete: (typed) => words(typed, loginProviders),

  async run(args, session) {
    if (args.trim() === '') return problem(`Name the provider: /logout ${loginProviders.join(', /logout ')}.`);
    const found = loginProvider(args.trim());
    if ('problem' in found) return problem(found.problem);
    return text(await session.logOut(found.provider));
  },
};
