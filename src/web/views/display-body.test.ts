import { expect, test } from 'vitest';
import type { DisplayBody } from '../../contract/tool.js';
import { Theme } from '../../terminal/screen/theme.js';
import { bodyLines } from '../../terminal/views/body-lines.js';
import { DisplayBodyView } from './display-body.js';

// Each has the word "basket". A kind that is added to the contract has to be added here, and then in both surfaces.
const bodies: { [Kind in DisplayBody['type']]: Extract<DisplayBody, { type: Kind }> } = {
  text: { type: 'text', text: 'a basket' },
  markdown: { type: 'markdown', text: 'a *basket*' },
  output: { type: 'output', text: 'a basket' },
  diff: { type: 'diff', path: 'basket.ts', patch: '@@ -1 +1 @@\n-a\n+basket\n' },
  list: { type: 'list', items: ['basket'] },
  todos: {
    type: 'todos',
    items: [{ content: 'fill the basket', activeForm: 'filling the basket', status: 'pending' }],
  },
};

test.each(Object.values(bodies))('a body of the kind $type is drawn at a terminal and in the web view', (body) => {
  const { lines } = bodyLines(new Theme({ name: 'none', depth: 'many' }), body, 80, { isExpanded: true });
  expect(lines.join('\n')).toContain('basket');
  expect(JSON.stringify(DisplayBodyView({ body }))).toContain('basket');
});
