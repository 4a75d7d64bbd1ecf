import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';
import { refusal } from './refusal.js';

const description = `Get what a command of the user or the project says, and follow it. Use it when the user asks for one, or a task is what one is for. Only those below; not for what the user has just called by a slash.
Commands:`;

// Rules match the output of this schema, so each command has only one spelling.
const input = z.strictObject({
  command: z
    .string()
    .transform((text) =>
      text
        .trim()
        .replace(/^\/?(\S+)\s*/, '/$1 ')
        .trimEnd(),
    )
    .describe('"/name arguments"'),
});

export const slashCommandTool = defineTool({
  name: 'SlashCommand',
  title: 'Command',
  about: 'Loads the instructions of a custom slash command.',
  traits: { family: 'slash', subject: ['command'], fields: [] },
  description,
  input,
  lists: 'commands',
  effects: () => [],

  async execute({ command }, { session, signal }) {
    if (!session.commands) throw new ToolFailure('Commands are not switched on in this session.');
    const [, name, args = ''] = /^\/(\S+)(?: ([\s\S]*))?$/.exec(command) ?? [];
    if (name === undefined) throw refusal('command is missing.', { advice: 'Write it as "/name arguments".' });
    return await session.commands.use({ kind: 'command', name, args }, signal);
  },

  toModel: ({ content }) => content,
  displayCall: ({ command = '' }) => ({ title: command }),
  displayResult: (_, { command }) => ({ title: command }),
});
