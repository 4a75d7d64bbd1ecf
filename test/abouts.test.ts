// Lists for people describe each tool and agent type in a sentence of its own, never in the text for the model.
import { expect, test } from 'vitest';
import { builtInTypes } from '../src/agent/children/agent-types.js';
import { conditionalTools } from '../src/agent/conditional-tools.js';
import { stickerRequestTool } from '../src/tools/sticker-request.js';
import { toolList } from '../src/tools/tool-list.js';

const tools = await Promise.all(Object.values(toolList).map((load) => load()));
const conditional = (await conditionalTools()).map(({ tool }) => tool);
const listed = [...tools, stickerRequestTool, ...conditional, ...builtInTypes];

const FOR_PERSON = /\bAsks you\b|\byour approval\b/g; // here "you" is the person

test.each(listed.map(({ name, about }) => [name, about]))(
  'what lists say of %s is one short sentence that does not address the model',
  (_, about = '') => {
    expect(about).toMatch(/^[A-Z][a-z]+s\b[^.!?\n]+\.$/);
    expect(about.length).toBeLessThanOrEqual(80);
    expect(about.replace(FOR_PERSON, '')).not.toMatch(/\byou(?:r|rs|rself)?\b|\bthe user\b/i);
  },
);
