// Conversations of background sessions: each with the environment and the options of the client that it is opened for.
import { ConversationRefused, type OpenConversation } from '../../host/hosted-conversation.js';
import { conversationOpener } from '../acp/open-conversation.js';
import { readRunFlags } from '../run-flags.js';
import { UsageProblem } from '../usage-problem.js';

export function backgroundOpener(dataFolder: string): OpenConversation {
  return async (place, ports) => {
    const { env: given = process.env, argv = [] } = place.caller ?? {};
    const env = { ...given, HELVE_HOME: dataFolder };
    const home = given['HOME'];
    const { open } = conversationOpener(flagsOf(argv), {
      surface: 'background',
      env,
      ...(home?.startsWith('/') && { home }),
    });
    return await open(place, ports);
  };
}

function flagsOf(argv: readonly string[]) {
  try {
    return readRunFlags(argv, { isInteractive: true });
  } catch (error) {
    if (!(error instanceof UsageProblem)) throw error;
    throw new ConversationRefused('settings', error.message, { cause: error });
  }
}
