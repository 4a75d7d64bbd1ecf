import { findInstructions } from '../../agent/instructions/instruction-files.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';
import { newInstructionFiles } from './remember.js';

export const memory: TerminalCommand = {
  name: 'memory',
  group: 'Session',
  description: 'show the instruction files in use, and edit one',
  echo: 'answered',

  async run(_, session) {
    const { root, home, dataFolder, env, settings } = session;
    const found = findInstructions({ root, home, dataFolder, env });
    const isOff = settings.instructions?.value === false;
    const inUse = found.map(({ path, shown, source }) => ({
      value: path,
      label: shown,
      description: source === 'user' ? 'yours, in every project' : 'of the project',
      group: isOff ? 'Not used: the setting "instructions" is off' : 'In use',
    }));
    const others = newInstructionFiles(session)
      .filter(({ value }) => !found.some(({ path }) => path === value))
      .map((choice) => ({ ...choice, group: 'Not there yet' }));
    return {
      type: 'choose',
      title: 'Which instructions to edit? #note adds a line to one',
      items: [...inUse, ...others],
      choose: async (path) => await edit(path, session),
    };
  },
};

async function edit(path: string, session: CommandSession): Promise<CommandAnswer> {
  const refused = await session.editFile(path);
  if (refused !== undefined) return problem(refused);
  session.remind(`The user has just edited the instructions in ${path}. Read that file before you go on.`);
  return text(`${path} was edited. The model reads it with your next prompt.`);
}
