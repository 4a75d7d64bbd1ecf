import * as z from 'zod';
import { defineTool } from '../contract/tool.js';

const description = `Write down a thought. It is shown and kept, and changes nothing.
Use it to weigh several ways, to check a plan against what was asked, or to go through a long result step by step. It finds out nothing new: use the other tools for that.`;

export const thinkTool = defineTool({
  name: 'Think',
  description,
  input: z.strictObject({ thought: z.string().describe('The thought') }),
  effects: () => [],
  execute: async ({ thought }) => ({ thought }),
  toModel: () => 'The thought was noted.',
  displayCall: ({ thought = '' }) => ({ title: 'thought', body: { type: 'text', text: thought } }),
});
