import { anthropicAt } from '../answers.mjs';
import { tally } from '../tally.mjs';

export const explain = {
  name: 'explain',
  about: 'What would happen to a call, and why',
  columns: 110,
  rows: 40,
  project: tally,
  environment: anthropicAt,
  settings: { permissions: { allow: ['Bash(git log:*)'], deny: ['Bash(rm:*)'] } },
  answers: [],
  async play({ say, shows }) {
    await say('helve');
    await shows('❯');
    await say('/permissions explain Bash {"command": "git log --oneline | head -5; rm -rf build"}');
    await shows('deny');
  },
};
