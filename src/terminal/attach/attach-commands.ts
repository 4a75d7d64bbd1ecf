// The commands of an attached session. Others that a terminal has need the session in their own process; those of the
// project and skills go to the session like a prompt.
import { modeWords, type PermissionMode, permissionModes } from '../../contract/permission.js';
import type { CompletedCommand } from '../input/completion.js';
import { readInput } from '../input/read-input.js';
import type { AttachedSession } from './attached-session.js';

export interface AttachCommandPorts {
  session: Pick<AttachedSession, 'id' | 'set'>;
  /** "provider/name"; undefined if it is not known. */
  model(): string | undefined;
  mode(): PermissionMode;
  /** Names of commands that the terminal of a session has. */
  builtIn(): Promise<readonly string[]>;
  /** Lines for the transcript. */
  print(lines: readonly string[]): void;
  keys(): ReadonlyArray<{ keys: string; about: string }>;
  leave(): void;
}

interface AttachCommand extends CompletedCommand {
  aliases?: readonly string[];
  run(args: string, ports: AttachCommandPorts): Promise<void> | void;
}

const commands: readonly AttachCommand[] = [
  {
    name: 'detach',
    aliases: ['quit', 'exit'],
    description: 'Leave; the session goes on',
    run: (_, { leave }) => leave(),
  },
  {
    name: 'model',
    argumentHint: 'provider/name',
    description: 'Show the model, or choose another from the next prompt on',
    async run(args, { session, model, print }) {
      if (args === '') print([`The model is ${model() ?? 'not known'}. /model provider/name chooses another one.`]);
      else await session.set({ model: args });
    },
  },
  {
    name: 'mode',
    argumentHint: 'mode',
    description: 'Show the permission mode, or choose another',
    async run(args, { session, mode, print }) {
      const wanted = permissionModes.find((known) => known === args);
      if (wanted) await session.set({ mode: wanted });
      else if (args === '') print([`The permission mode is ${modeWords[mode()]}.`, there]);
      else throw new Error(`There is no permission mode "${args}". ${there}`);
    },
  },
  {
    name: 'rename',
    argumentHint: 'title',
    description: 'Give the session another title',
    async run(args, { session }) {
      if (args === '') throw new Error('Give the title after the command: /rename TITLE');
      await session.set({ title: args });
    },
  },
  {
    name: 'help',
    description: 'Show what can be done here',
    run: (_, { print, keys, session }) =>
      print([
        'Enter sends a prompt to the session. Prompts that are sent while it works run after it, in their order.',
        'Leaving does not end it, and other terminals may be attached to it, too. The first answer to a question counts.',
        '',
        ...commands.map(
          ({ name, argumentHint, description }) => `/${[name, argumentHint ?? ''].join(' ').trim()}: ${description}`,
        ),
        ...keys().map(({ keys: pressed, about }) => `${pressed}: ${about}`),
        '',
        `All commands of a terminal: leave, then helve stop ${session.id.slice(0, 8)} and helve --resume ${session.id.slice(0, 8)}.`,
      ]),
  },
];

const there = `There are: ${permissionModes.join(', ')}.`;

export const attachCommands: readonly CompletedCommand[] = commands;

const find = (name: string): AttachCommand | undefined =>
  commands.find((command) => command.name === name || command.aliases?.includes(name));

export const isAttachCommand = (name: string): boolean => find(name) !== undefined;

/**
 * Runs a line that is not a prompt. False if the line is for the session. Rejects with a message for the person if it can't
 * be done here.
 */
export async function runLine(line: string, ports: AttachCommandPorts): Promise<boolean> {
  const typed = readInput(line);
  const short = ports.session.id.slice(0, 8);
  switch (typed.type) {
    case 'command': {
      const command = find(typed.name);
      if (command) {
        await command.run(typed.args.trim(), ports);
        return true;
      }
      if (!(await ports.builtIn()).includes(typed.name)) return false; // maybe of the project
      throw new Error(
        `/${typed.name} works only in the terminal of a session, not in one that you are attached to. /help shows what does. To go on in this terminal, leave and run: helve stop ${short} && helve --resume ${short}`,
      );
    }
    case 'shell':
      throw new Error(
        'A line with "!" runs a command in the terminal of a session, not in one that you are attached to. Run it in another terminal, or ask for it in a prompt.',
      );
    case 'note':
      throw new Error(
        'A line with "#" is noted in the terminal of a session, not in one that you are attached to. Ask for it in a prompt, or begin the line with another character.',
      );
    case 'prompt':
      return false;
  }
}
