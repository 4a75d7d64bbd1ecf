// The sessions that the pictures of the web view show, and the pictures.
import { call, unfinished, used } from './answers.mjs';
import { runTests } from './tally.mjs';

const allowed = { permissions: { allow: [`Bash(${runTests})`] } };

const todos = (done) => ({
  todos: [
    ['Find out why the test fails', 'Finding out why the test fails'],
    ['Round the discount to whole cents', 'Rounding the discount to whole cents'],
    ['Show prices with a currency', 'Showing prices with a currency'],
    ['Publish the package', 'Publishing the package'],
  ].map(([content, activeForm], index) => ({
    content,
    activeForm,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  })),
});

const fix = {
  prompt: 'Why does the discount test fail? Fix it, show prices with a currency, then publish the package.',
  settings: allowed,
  flags: ['--permission-mode', 'acceptEdits'],
  until: ['waiting'],
  answers: [
    {
      text: 'I run the tests first, and look at the code meanwhile.',
      calls: [call('TodoWrite', todos(0)), call('Bash', { command: runTests, description: 'Run the tests' })],
      usage: used(5_120, 64),
    },
    {
      calls: [
        call('Read', { file_path: 'src/total.ts' }),
        call('Read', { file_path: 'src/format.ts' }),
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
        call('TodoWrite', todos(2)),
      ],
      usage: used(6_310, 172),
    },
    {
      calls: [
        call('Write', {
          file_path: 'src/currency.ts',
          content:
            "const signs = { EUR: '€', GBP: '£', USD: '$' } as const;\n\nexport type Currency = keyof typeof signs;\n\nexport const signOf = (currency: Currency): string => signs[currency];\n",
        }),
        call('Edit', {
          file_path: 'src/format.ts',
          old_string:
            // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of the project
            '/** 1999 as "€ 19.99". */\nexport function price(cents: number): string {\n  return `€ ${(cents / 100).toFixed(2)}`;\n}',
          new_string:
            // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of the project
            "import { type Currency, signOf } from './currency.ts';\n\n/** 1999 as \"€ 19.99\". */\nexport function price(cents: number, currency: Currency = 'EUR'): string {\n  return `${signOf(currency)} ${(cents / 100).toFixed(2)}`;\n}",
        }),
        call('Bash', { command: runTests, description: 'Run the tests' }),
      ],
      usage: used(8_720, 240),
    },
    {
      text: 'All tests pass. `total` now gives *whole cents*, whatever the discount, and `price` takes a currency:\n\n```ts\nprice(total([{ name: "tea", cents: 999, count: 1 }], 0.15)); // € 8.49\nprice(1999, "GBP"); // £ 19.99\n```\n\nOne step is left: the release.',
      calls: [
        call('TodoWrite', todos(3)),
        call('Bash', {
          command: 'npm version minor && npm publish --access public && git push --follow-tags',
          description: 'Publish a new version of the package',
        }),
      ],
      usage: used(9_480, 310),
    },
    { text: 'Published.' },
  ],
};

const review = {
  prompt: 'Review the error handling of the importer and list what can be lost.',
  until: ['running'],
  answers: [
    {
      calls: [call('Glob', { pattern: 'src/**/*.ts' }), call('Read', { file_path: 'src/format.ts' })],
      usage: used(4_100, 50),
    },
    unfinished(
      'The importer keeps two things in memory that a crash would lose: the list of baskets and',
      used(4_800, 40),
    ),
  ],
};

const notes = {
  prompt: 'Write release notes for version 0.4 from the commits since the last tag.',
  until: ['idle'],
  answers: [{ text: 'There is one commit since the start, so the notes have one line.', usage: used(3_200, 30) }],
};

const docs = {
  prompt: 'Explain in the README how a discount is rounded.',
  flags: ['--permission-mode', 'acceptEdits'],
  until: ['idle'],
  answers: [
    { calls: [call('Read', { file_path: 'README.md' })], usage: used(3_600, 20) },
    {
      calls: [
        call('Edit', {
          file_path: 'README.md',
          old_string: 'What a basket costs.\n',
          new_string: 'What a basket costs.\n\nA discount is rounded to whole cents; half a cent is rounded up.\n',
        }),
      ],
      usage: used(3_900, 80),
    },
    { text: 'The README says it now.', usage: used(4_100, 20) },
  ],
};

export const sessions = [notes, docs, review, fix];

const openFix = async (page) => {
  await page
    .getByRole('main')
    .getByRole('link', { name: /Why does the discount/ })
    .click();
  await page.getByRole('heading', { name: /Why does the discount/ }).waitFor();
};

const openTab = (name) => async (page) => {
  await openFix(page);
  await page.getByRole('navigation', { name: 'Pages of the session' }).getByRole('link', { name }).click();
};

export const webPictures = [
  {
    name: 'web-session',
    about: 'A session in the browser asks whether it may publish a package',
    theme: 'dark',
    size: 'desk',
    async open(page) {
      await openFix(page);
      await page.getByRole('region', { name: 'Question' }).waitFor();
    },
  },
  {
    name: 'web-sessions',
    about: 'All sessions of a machine, those that need you first',
    theme: 'light',
    size: 'desk',
    async open(page) {
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor({ state: 'attached' });
    },
  },
  {
    name: 'web-changes',
    about: 'The files that a session has changed, with undo of one call',
    theme: 'light',
    size: 'desk',
    async open(page) {
      await openTab('Changes')(page);
      await page
        .getByRole('navigation', { name: 'Changed files' })
        .getByRole('button', { name: /format\.ts/ })
        .click();
      await page.getByRole('group', { name: 'Changes of src/format.ts' }).waitFor();
    },
  },
  {
    name: 'web-timeline',
    about: 'When each call of a session waited, for what, and when it ran',
    theme: 'dark',
    size: 'desk',
    async open(page) {
      await openTab('Timeline')(page);
      await page.getByRole('list', { name: 'Calls in their order' }).waitFor();
    },
  },
  {
    name: 'web-phone',
    about: 'The question of a session on a phone',
    theme: 'dark',
    size: 'phone',
    async open(page) {
      await openFix(page);
      await page.getByRole('region', { name: 'Question' }).waitFor();
    },
  },
  {
    name: 'web-usage',
    isOnlyLook: true,
    async open(page) {
      await openTab('Usage')(page);
      await page.getByRole('heading', { name: 'Context' }).first().waitFor();
    },
  },
  {
    name: 'web-new',
    isOnlyLook: true,
    async open(page) {
      await page.goto(page.url().replace(/#.*|$/, '#/new'));
      await page.getByRole('radio').first().waitFor();
    },
  },
  {
    name: 'web-keys',
    isOnlyLook: true,
    async open(page) {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
];
