import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readRunFlags } from '../run-flags.js';
import type { RunModels } from '../run-models.js';
import { inDemoFolder } from './demo-folder.js';
import { demoModel } from './demo-model.js';
import { type OwnCommand, terminalDemoWords } from './demo-words.js';
import { demoPrompt } from './script.js';

const EARLY_MS = 20; // in which everything that waits in the terminal is read

/** The demo in the real interface: the user sends the prompt and answers the questions. */
export async function terminalDemo(own: OwnCommand, version: string): Promise<number> {
  const words = terminalDemoWords(own);
  await dropEarlyKeys();
  const before = process.cwd();
  const code = await inDemoFolder(async ({ root, home, env, reset }) => {
    process.chdir(root); // the commands of the terminal work in the folder of the process
    try {
      const { startTerminal } = await import('../../terminal/start-terminal.js');
      return await startTerminal({
        version,
        root,
        folderName: `${basename(root)} (temporary)`,
        env,
        welcome: words.welcome,
        draft: demoPrompt,
        farewell: words.farewell,
        first: {},
        async open(ports) {
          const { openSession } = await import('../interactive/open-session.js');
          const { engineOptions } = await import('../engine-options.js');
          const flags = readRunFlags([], { isInteractive: true });
          const options = { ...(await engineOptions(flags.engine, { env, home })), interactive: true };
          return {
            settings: options.settings,
            async openSession(request) {
              if (request.resume === undefined) await reset();
              return await openSession(flags, options, request, ports, demoModels(words));
            },
          };
        },
      });
    } finally {
      process.chdir(before);
    }
  });
  return code;
}

/** Keys that were pressed while Helve was built would be appended to the prompt that is ready to be sent. */
async function dropEarlyKeys(): Promise<void> {
  const { stdin } = process;
  const drop = (): void => {};
  stdin.setRawMode(true); // in line mode, a line that is not complete can't be read
  stdin.on('data', drop);
  await delay(EARLY_MS);
  stdin.off('data', drop);
  stdin.pause();
}

function demoModels(words: Parameters<typeof demoModel>[0]): RunModels {
  const model = demoModel(words, { isPaced: true });
  return {
    first: model,
    fallbacks: [],
    effort: undefined,
    async resilientModel(name) {
      if (name === undefined || name === 'scripted/demo') return model;
      throw new Error('The demo has no other model than its script.');
    },
  };
}
