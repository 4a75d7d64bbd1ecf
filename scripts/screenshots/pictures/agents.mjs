import { anthropicAt, call, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

const todos = [
  { content: 'Run the tests', activeForm: 'Running the tests', status: 'completed' },
  {
    content: 'Review the code with three agents',
    activeForm: 'Reviewing the code with three agents',
    status: 'in_progress',
  },
  { content: 'Fix the problems', activeForm: 'Fixing the problems', status: 'pending' },
  { content: 'Write the release notes', activeForm: 'Writing the release notes', status: 'pending' },
];

const tasks = [
  {
    description: 'find rounding errors',
    subagent_type: 'Explore',
    prompt: 'Rounding: where can parts of a cent remain?',
  },
  { description: 'list untested code', subagent_type: 'Explore', prompt: 'Untested: which functions have no test?' },
  { description: 'review the public API', subagent_type: 'general-purpose', prompt: 'Review: which names mislead?' },
];

const WATCH = 'node --watch test/total.ts';

const never = new Promise(() => {});

/** Answers by agent, since the order of their requests varies; the number of results says how far an agent is. */
function answer({ body }) {
  const [first] = body.messages;
  const said = JSON.stringify(first);
  const results = body.messages.filter(({ role }) => role === 'assistant').length;
  const script = Object.entries(scripts).find(([word]) => said.includes(word))?.[1] ?? main;
  return script[results] ?? { text: 'Done.', holdAfter: { events: 1, until: never } };
}

const main = [
  {
    text: 'The tests run in the background, and three agents review the code.',
    calls: [call('TodoWrite', { todos }), call('Bash', { command: WATCH, run_in_background: true })],
    usage: used(5_300, 240),
  },
  { calls: tasks.map((task) => call('Task', task)), usage: used(5_600, 310) },
];

const scripts = {
  'Rounding:': [
    { calls: [call('Grep', { pattern: 'discount' })], usage: used(2_100, 60) },
    { text: 'Only in `total`, where the discount is subtracted.', usage: used(2_900, 90) },
  ],
  'Untested:': [
    { calls: [call('Glob', { pattern: 'src/**/*.ts' })], usage: used(2_150, 50) },
    { calls: [call('Read', { file_path: 'src/format.ts' })], usage: used(2_600, 70) },
  ],
  'Review:': [
    {
      calls: [
        call('Task', {
          description: 'collect exported names',
          subagent_type: 'Explore',
          prompt: 'Exported: list all names.',
        }),
      ],
      usage: used(3_300, 120),
    },
  ],
  'Exported:': [{ calls: [call('Grep', { pattern: '^export' })], usage: used(2_050, 45) }],
};

export const agents = {
  name: 'agents',
  about: 'Child agents and a command in the background, with the to-do list',
  columns: 110,
  rows: 40,
  project: tally,
  environment: anthropicAt,
  settings: { permissions: { allow: [`Bash(${WATCH})`] } },
  answers: answer,
  async play({ say, shows, press }) {
    await say('helve');
    await shows('❯');
    await say('Review the code before the release.');
    await shows('tokens · Read s');
    await shows('Grep ^');
    await press('Down');
    await shows('x to stop');
  },
};
