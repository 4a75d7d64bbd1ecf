import { anthropicAt, call, unfinished, used } from '../answers.mjs';
import { runTests, tally } from '../tally.mjs';

export const turn = {
  name: 'turn',
  about: 'A turn: helve finds out why a test fails, fixes the code and reports the result',
  columns: 110,
  rows: 60,
  project: tally,
  environment: anthropicAt,
  settings: { permissions: { allow: [`Bash(${runTests})`] } },
  answers: [
    { text: 'I run the tests first.', calls: [call('Bash', { command: runTests })], usage: used(5_120, 64) },
    {
      calls: [
        call('Read', { file_path: 'src/total.ts' }),
        call('Read', { file_path: 'test/total.ts' }),
        call('Grep', { pattern: 'discount', glob: '*.ts', output_mode: 'content' }),
      ],
      usage: used(5_480, 88),
    },
    {
      text: 'The discount leaves a **fraction of a cent**, and nothing rounds it.',
      calls: [
        call('Edit', {
          file_path: 'src/total.ts',
          old_string: '  return sum - sum * discount;',
          new_string: '  return Math.round(sum * (1 - discount));',
        }),
      ],
      usage: used(6_310, 172),
    },
    { calls: [call('Bash', { command: runTests })], usage: used(6_720, 58) },
    unfinished(
      `All tests pass. \`total\` now gives *whole cents*, whatever the discount:

\`\`\`ts
total([{ name: 'tea', cents: 999, count: 1 }], 0.15); // 849, was 849.15
\`\`\`

1. Half a cent is rounded up, as the test expects.
2. Nothing else calls \`total\` with a`,
    ),
  ],
  async play({ say, shows }) {
    await say('helve --permission-mode acceptEdits');
    await shows('❯');
    await say('Why does the discount test fail? Fix it.');
    await shows('with a');
  },
};
