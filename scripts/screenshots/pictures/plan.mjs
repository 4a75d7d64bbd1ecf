import { anthropicAt, call, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

const text = `## Prices in several currencies

1. **\`src/total.ts\`**: an item gets a \`currency\`; a basket with two of them is refused.
2. **\`src/format.ts\`**: \`price(cents, currency)\` writes it with \`Intl.NumberFormat\`.
3. **\`test/\`**: a test for each currency, and one for the refusal.

| file | change |
|---|---|
| \`src/total.ts\` | one field, one check |
| \`src/format.ts\` | one parameter, \`EUR\` where it is left out |

Tested by \`node test/total.ts\`. Nothing that calls \`price\` today has to change.`;

export const plan = {
  name: 'plan',
  about: 'A plan that asks for approval',
  columns: 110,
  rows: 44,
  project: tally,
  environment: anthropicAt,
  answers: [
    {
      text: 'I look at the code first.',
      calls: [call('Read', { file_path: 'src/total.ts' }), call('Grep', { pattern: 'price' })],
      usage: used(5_310, 97),
    },
    { calls: [call('ExitPlanMode', { plan: text })], usage: used(6_080, 402) },
  ],
  async play({ say, shows }) {
    await say('helve --permission-mode plan');
    await shows('❯');
    await say('Tally should support other currencies than the euro.');
    await shows(/(?:choose|letter|for more|go on) · esc to stop/);
  },
};
