import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';

const description = `Get the instructions of a skill, and follow them. Use it as soon as a task is what a skill below is for, and only for skills below.
Skills:`;

// Rules match the output of this schema, so each skill has only one spelling.
const input = z.strictObject({
  skill: z
    .string()
    .transform((name) => name.trim().replace(/^\//, ''))
    .describe('Its name'),
  args: z.string().optional(),
});

export const skillTool = defineTool({
  name: 'Skill',
  about: 'Loads the instructions of a skill.',
  traits: { family: 'skill', subject: ['skill', 'name'], fields: ['skill', 'args'] },
  description,
  input,
  lists: 'skills',
  // It reads only the skill's text. Commands and reads of a skill are separate calls.
  effects: () => [],

  async execute({ skill, args = '' }, { session, signal }) {
    if (!session.commands) throw new ToolFailure('Skills are not switched on in this session.');
    return await session.commands.use({ kind: 'skill', name: skill, args }, signal);
  },

  toModel: ({ content }) => content,
  displayCall: ({ skill = '', args = '' }) => ({ title: `${skill} ${args}`.trim() }),
  displayResult: ({ name }, { args = '' }) => ({ title: `${name} ${args}`.trim() }),
});
