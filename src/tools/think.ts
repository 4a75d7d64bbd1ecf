import * as z from 'zod';
import { defineTool } from '../contract/tool.js';

const description = `Write down a thought: to weigh several ways, or to check a plan against what was asked. It changes nothing.`;

export const thinkTool = defineTool({
  name: 'Think',
  about: 'Writes down a thought, and changes nothing.',
  description,
  input: z.strictObject({ thought: z.string() }),
  effects: () => [],
  execute: async ({ thought }) => ({ thought }),
  toModel: () => 'The thought was noted.',
  displayCall: ({ thought = '' }) => ({ title: 'thought', body: { type: 'text', text: thought } }),
  displayResult: ({ thought }) => ({ title: 'thought', body: { type: 'text', text: thought } }),
});
