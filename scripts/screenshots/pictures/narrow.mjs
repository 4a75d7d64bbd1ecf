import { call, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

export const narrow = {
  name: 'narrow',
  about: '40 columns',
  columns: 40,
  rows: 34,
  project: tally,
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }),
  answers: [
    { calls: [call('Read', { file_path: 'src/format.ts' })], usage: used(5_200, 80) },
    {
      calls: [
        call('Edit', {
          file_path: 'src/format.ts',
          old_string: '/** 1999 as "€ 19.99". */',
          new_string: '/** 1999 as "€ 19.99" (日本語: 価格). */',
        }),
      ],
      usage: used(5_400, 90),
    },
    {
      text: 'Done. **Wide characters** keep their two columns:\n\n| word | means |\n|---|---|\n| 価格 | price |\n| 割引 | discount |',
      usage: used(5_600, 120),
    },
  ],
  async play({ say, shows, hides }) {
    await say('helve --permission-mode acceptEdits');
    await shows('? for keys');
    await say('Say it in Japanese too.');
    await shows('discount');
    await hides('esc to');
  },
};
