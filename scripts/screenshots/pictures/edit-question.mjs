import { anthropicAt, call, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

/** The same run in two widths. */
const editQuestion = {
  columns: 110,
  rows: 40,
  project: tally,
  environment: anthropicAt,
  answers: [
    { text: 'I read the file first.', calls: [call('Read', { file_path: 'src/total.ts' })], usage: used(5_140, 61) },
    {
      text: 'Prices are whole cents, so the result has to be rounded.',
      calls: [
        call('Edit', {
          file_path: 'src/total.ts',
          old_string: `/** What a basket costs, in cents. */
export function total(items: readonly Item[], discount = 0): number {
  const sum = items.reduce((all, { cents, count }) => all + cents * count, 0);
  return sum - sum * discount;
}`,
          new_string: `/** What a basket costs, in whole cents. */
export function total(items: readonly Item[], discount = 0): number {
  if (discount < 0 || discount > 1) throw new RangeError(\`No discount: \${discount}\`);
  const sum = items.reduce((all, { cents, count }) => all + cents * count, 0);
  return Math.round(sum * (1 - discount));
}`,
        }),
      ],
      usage: used(5_730, 248),
    },
  ],
  async play({ say, shows }) {
    await say('helve');
    await shows('❯');
    await say('A discount must leave whole cents.');
    await shows(/(?:choose|letter|for more|go on) · esc to stop/);
  },
};

export const darkEditQuestion = {
  ...editQuestion,
  name: 'edit-question',
  about: 'A question about an edit, with its diff',
};

export const wideEditQuestion = {
  ...editQuestion,
  name: 'wide',
  about: 'A diff side by side in a wide window',
  columns: 200,
};
