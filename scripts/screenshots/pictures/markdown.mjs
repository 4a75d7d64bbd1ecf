import { anthropicAt, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

const text = `## How \`total\` rounds

The sum is kept in **whole cents**; only the discount leaves a fraction. See [the docs](https://example.com/money).

\`\`\`ts
// Half a cent is rounded up.
export const rounded = (cents: number): number => Math.round(cents);
\`\`\`

### What is tested

| case | discount | cents | state |
|:-----|---------:|------:|:-----:|
| one item | 15 % | 849 | ✓ |
| an empty basket, which costs nothing | 0 % | 0 | ✓ |
| a basket of two items with \`count: 2\` | 10 % | 3,596 | open |

- [x] Round the total
- [ ] Round each item, as the tax office wants it
  - only for invoices
  - not for offers

> A discount of more than 100 % is refused.

Run \`node --test --test-reporter=spec\` to see each case:

\`\`\`sh
node --test --test-reporter=spec test/*.ts | grep -v "✔"
\`\`\``;

/** The same answer in several looks. */
const markdown = {
  columns: 110,
  rows: 60,
  project: tally,
  environment: anthropicAt,
  answers: [{ text, usage: used(6_200, 410) }],
  async play({ say, shows, hides }) {
    await say('helve');
    await shows('asks before');
    await say('How does total round, and what is tested?');
    await shows('grep -v');
    await hides('esc to stop');
  },
};

export const darkMarkdown = {
  ...markdown,
  name: 'markdown',
  about: 'An answer with headings, code, a table, tasks and a quote',
};

export const lightMarkdown = { ...markdown, name: 'light', about: 'The light theme', theme: 'light' };

export const narrowMarkdown = { ...markdown, name: 'narrow', about: '60 columns', columns: 60, rows: 80 };

export const colorlessMarkdown = { ...markdown, name: 'no-colour', about: 'Without colours', theme: 'none' };
