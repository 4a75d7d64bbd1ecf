import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';

const description = `Get the instructions of a skill, and follow them. Use it as soon as a task is what a skill below is for, and only for skills below.
Skills:`;

// Rules are held against what comes out here, so each skill has one spelling only.
const input = z.strictObject({
  skill: z
    .string()
    .transform((name) => name.trim().replace(/^\//, ''))
    .describe('Its name'),
  args: z.string().optional(),
});

export const skillTool = defineTool({
  name: 'Skill',
  description,
  input,
  lists: 'skills',
  // It reads what is written for it. What a skill runs or reads beyond that are calls of their own.
  effects: () => [],

  async execute({ skill, args = '' }, { session, signal }) {
    if (!session.commands) throw new ToolFailure('Skills are not switched on in this session.');
    return await session.commands.use({ kind: 'skill', name: skill, args }, signal);
  },

  toModel: ({ content }) => content,
  displayCall: ({ skill = '', args = '' }) => ({ title: `${skill} ${args}`.trim() }),
  displayResult: ({ name }) => ({ title: name }),
});
