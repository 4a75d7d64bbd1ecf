// The example of a feature gate: built only if the gate is on; otherwise nothing of it is in the bundle.
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';

export const stickerRequestTool = defineTool({
  name: 'StickerRequest',
  about: 'Notes a wish for a sticker of Helve.',
  description: `Note that the user would like a sticker of Helve.
Use it only when they ask for one in so many words. Nothing is ordered and nothing is sent.`,
  input: z.strictObject({ trigger: z.string().trim().min(1).describe('What the user said') }),
  effects: () => [],
  execute: async ({ trigger }) => ({ trigger }),
  toModel: () => 'The wish was noted. Tell the user that stickers are given out by hand, wherever Helve is shown.',
  displayCall: ({ trigger = '' }) => ({ title: trigger }),
  displayResult: (_, { trigger }) => ({ title: trigger, facts: ['noted'] }),
});
