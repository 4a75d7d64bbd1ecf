// The example of a feature gate: built only where the gate is on, and no word of it is in a bundle where it is off.
import * as z from 'zod';
import { defineTool, type Tool } from '../contract/tool.js';

const make = (): Tool =>
  defineTool({
    name: 'StickerRequest',
    description: `Note that the user would like a sticker of Helve.
Use it only when they ask for one in so many words. Nothing is ordered and nothing is sent.`,
    input: z.strictObject({ trigger: z.string().trim().min(1).describe('What the user said') }),
    effects: () => [],
    execute: async ({ trigger }) => ({ trigger }),
    toModel: () => 'The wish was noted. Tell the user that stickers are given out by hand, wherever Helve is shown.',
    displayCall: ({ trigger = '' }) => ({ title: trigger }),
  });

// Marked, so that a bundler may leave it out where nothing uses it; no name ending in "Tool", so that it is never lazy.
export const stickerRequest: Tool = /* @__PURE__ */ make();
