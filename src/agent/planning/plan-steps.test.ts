import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planSteps } from './plan-steps.js';

test('reads a numbered list, with the text below each step', () => {
  const plan = [
    '# Plan',
    'We want a parser.',
    '',
    '1. Write the **lexer** in `src/lexer.ts`',
    '   - numbers',
    '   - names',
    '2) Write the parser (depends on 1)',
    '3. Test both: after steps 1 and 2',
    '',
    '## Risks',
    'None.',
  ].join('\n');
  expect(planSteps(plan)).toEqual({
    steps: [
      {
        id: '1',
        title: 'Write the lexer in `src/lexer.ts`',
        details: '- numbers\n- names',
        dependsOn: [],
        files: ['src/lexer.ts'],
      },
      { id: '2', title: 'Write the parser (depends on 1)', details: '', dependsOn: ['1'] },
      { id: '3', title: 'Test both: after steps 1 and 2', details: '', dependsOn: ['1', '2'] },
    ],
  });
});

test('reads headings as steps, and the lists below them as details', () => {
  const plan = '## Step 1: Model\n1. a table\n2. an index\n\n## Step 2 – Routes\nDepends on: 1\n';
  expect(planSteps(plan).steps).toEqual([
    { id: '1', title: 'Model', details: '1. a table\n2. an index', dependsOn: [] },
    { id: '2', title: 'Routes', details: 'Depends on: 1', dependsOn: ['1'] },
  ]);
});

test('reads checkboxes, checked or not, and numbers them', () => {
  const { steps } = planSteps('- [ ] first\n- [x] second, after step 1\n  - [ ] a part of it\n');
  expect(steps).toEqual([
    { id: '1', title: 'first', details: '', dependsOn: [] },
    { id: '2', title: 'second, after step 1', details: '- [ ] a part of it', dependsOn: ['1'] },
  ]);
});

test('ignores numbers inside code blocks', () => {
  const { steps } = planSteps('1. one\n\n```\n2. not a step\n```\n\n3. three\n');
  expect(steps.map(({ id }) => id)).toEqual(['1', '3']);
});

test.each<[string, string[]]>([
  ['depends on 1, 2', ['1', '2']],
  ['Depends on steps 1-3', ['1', '2', '3']],
  ['after step 2', ['2']],
  ['once steps #1 and #3 are done', ['1', '3']],
  ['blocked by step 2', ['2']],
  ['after the previous step', ['3']],
  ['after all other steps', ['1', '2', '3']],
  ['needs 2.5 GB of memory', []],
  ['needs 3rd-party code', []],
  ['after 2 days', []],
  ['depends on nothing', []],
])('reads the dependencies in "%s"', (words, dependsOn) => {
  expect(planSteps(`1. a\n2. b\n3. c\n4. d: ${words}\n`).steps[3]?.dependsOn).toEqual(dependsOn);
});

test('numbers the steps by position if the plan repeats a number', () => {
  expect(planSteps('1. a\n1. b\n1. c, after step 2\n').steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
    ['1', []],
    ['2', []],
    ['3', ['2']],
  ]);
});

test.each([
  ['Just do it.', 'no steps'],
  ['', 'no steps'],
  ['1. a, after step 2\n2. b, after step 1\n', 'wait for each other'],
  ['1. a, depends on 7\n', 'depends on step 7'],
  [Array.from({ length: 101 }, (_, index) => `${index + 1}. do`).join('\n'), 'more than 100'],
])('reports the problem of the invalid plan %#', (plan, problem) => {
  expect(planSteps(plan).problem).toContain(problem);
});

// Each of these once blocked the process for minutes, far longer than the time limit of a test.
test.each(['# Step 1: a%x', '# Step 1: a %# x', '1. a%x', '1. a\nneeds%x', '1. a\nafter all%x', '1. after step 1%, 2'])(
  'reads a plan with a hundred thousand blanks or marks in a row quickly: %j',
  (plan) => {
    for (const filler of [' ', '\t', '#', ':', '\n']) {
      expect(planSteps(plan.replace('%', filler.repeat(99_000))).steps).toHaveLength(1);
    }
  },
);

test('removes closing marks of a heading, and a colon at the end of a title', () => {
  expect(
    planSteps('## Step 1: Parse C# ##\n## Step 2: Test it: \n## Step 3: Port to C#').steps.map(({ title }) => title),
  ).toEqual(['Parse C#', 'Test it', 'Port to C#']);
});

test('for any text, ids are unique, and steps without a problem can be ordered by their dependencies', () => {
  const line = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(12), fc.string()).map(([number, text]) => `${number}. ${text}`),
    fc.tuple(fc.nat(12), fc.nat(12)).map(([number, other]) => `${number}. do, after step ${other}`),
    fc.constantFrom('- [ ] box', '## Step 3: three', '```', '  1. inner'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const { steps, problem } = planSteps(lines.join('\n'));
      expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
      if (problem !== undefined) return;
      const done = new Set<string>();
      for (let round = 0; round < steps.length; round += 1) {
        for (const { id, dependsOn } of steps) if (dependsOn.every((other) => done.has(other))) done.add(id);
      }
      expect(done.size).toBe(steps.length);
    }),
  );
});
