import { expect, test } from 'vitest';
import type { FullEngineOptions } from '../compose/options.js';
import type { Answer, Question } from '../contract/question.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { askUserQuestionTool } from './ask-user-question.js';

const options = [
  { label: 'SQLite', description: 'One file' },
  { label: 'Postgres', description: 'A server' },
];
const storage = { question: 'Which database?', header: 'Database', options };
const features = { question: 'Which features?', header: 'Features', options, multiSelect: true };

async function ask(input: unknown, answers: Answer[], more: Partial<FullEngineOptions> = {}) {
  const asked: Array<{ questions: readonly Question[]; callId: string | undefined }> = [];
  const project = await temporaryProject(
    {},
    {
      askUser: async (questions, _, about) => {
        asked.push({ questions, callId: about?.callId });
        return answers;
      },
      ...more,
    },
  );
  return { asked, run: await project.run(askUserQuestionTool, input), project };
}

test('asks the person and returns the answers, including typed text', async () => {
  const { run, asked } = await ask({ questions: [storage, features] }, [
    { chosen: [], text: 'Neither, a text file' },
    { chosen: ['SQLite', 'Postgres'] },
  ]);
  expect(run.content).toBe(
    'The user has answered: "Which database?"="Neither, a text file", "Which features?"="SQLite, Postgres". Go on with these answers in mind.',
  );
  expect(run.display.body).toEqual({
    type: 'list',
    items: ['Database: Neither, a text file', 'Features: SQLite, Postgres'],
  });
  expect(asked).toEqual([{ questions: [{ ...storage, multiSelect: false }, features], callId: 'call_1' }]);
});

test('says if questions were left open', async () => {
  const one = await ask({ questions: [storage, features] }, [{ chosen: ['SQLite'] }, { chosen: [] }]);
  expect(one.run.content).toContain('"Which database?"="SQLite". One question was left open.');
  const none = await ask({ questions: [storage] }, [{ chosen: [] }]);
  expect(none.run.content).toContain('answered none of the questions');
});

test.each([
  [{ questions: [] }, '"questions" must have at least 1 entry, but was []'],
  [{ questions: Array.from({ length: 5 }, () => storage) }, '"questions" must have at most 4 entries'],
  [
    { questions: [{ ...storage, options: options.slice(0, 1) }] },
    '"questions[0].options" must have at least 2 entries',
  ],
  [{ questions: [{ ...storage, options: [...options, ...options, ...options] }] }, 'must have at most 4 entries'],
  [{ questions: [{ ...storage, header: 'Thirteen chars' }] }, '"questions[0].header" must have at most 12 characters'],
])('refuses an invalid list of questions: %#', async (input, problem) => {
  const { run, asked } = await ask(input, []);
  expect(run.failure).toBe('invalid_input');
  expect(run.content).toContain(problem);
  expect(asked).toEqual([]);
});

test.each([
  [{ questions: [storage, storage] }, 'is asked twice'],
  [{ questions: [{ ...storage, options: [options[0], options[0]] }] }, 'two options named "SQLite"'],
  [{ questions: [storage], answers: { 'Which database?': 'SQLite' } }, '"answers" is for the user to fill in'],
])('refuses questions without a valid answer, and answers sent by the model: %#', async (input, problem) => {
  const { run, asked } = await ask(input, []);
  expect(run.failure).toBe('check_refused');
  expect(run.content).toContain(problem);
  expect(asked).toEqual([]);
});

test('says that there is no user, and what to do', async () => {
  const project = await temporaryProject();
  const run = await project.run(askUserQuestionTool, { questions: [storage] });
  expect(run.failure).toBe('check_refused');
  expect(run.content).toContain("It can't be answered");
  expect(run.content).toContain('say what you assumed');
});

test('asks no question in the mode dontAsk', async () => {
  const { run, asked } = await ask({ questions: [storage] }, [], { permissionMode: 'dontAsk' });
  expect(run.content).toContain('The mode dontAsk permits no questions');
  expect(asked).toEqual([]);
});

test('uses the answers that a hook puts into the input, and asks no question', async () => {
  const { run, asked } = await ask({ questions: [storage, features] }, [], {
    hooks: {
      PreToolUse: [
        {
          matcher: 'AskUserQuestion',
          hooks: [
            (input) => ({
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'allow',
                updatedInput: {
                  ...('tool_input' in input ? Object(input.tool_input) : {}),
                  answers: { 'Which database?': 'Postgres', 'Which features?': ['SQLite', 'Postgres'] },
                },
              },
            }),
          ],
        },
      ],
    },
  });
  expect(run.content).toContain('"Which database?"="Postgres", "Which features?"="SQLite, Postgres"');
  expect(asked).toEqual([]);
});

test.each(['hook', 'person'])('ignores answers of the model that a %s passes on with the rest', async (who) => {
  const input = { questions: [storage], answers: { 'Which database?': 'SQLite' } };
  const { run, asked } = await ask(input, [], {
    permissions: { ask: ['AskUserQuestion'] },
    askPermission: async () => ({
      behavior: 'allow',
      ...(who === 'person' && { updatedInput: { ...input, metadata: 1 } }),
    }),
    hooks: {
      PreToolUse:
        who === 'hook'
          ? [
              {
                hooks: [
                  () => ({
                    hookSpecificOutput: {
                      hookEventName: 'PreToolUse',
                      updatedInput: { ...input, metadata: { by: 'me' } },
                    },
                  }),
                ],
              },
            ]
          : [],
    },
  });
  expect(run.content).toContain('"answers" is for the user to fill in');
  expect(asked).toEqual([]);
});

test('the schema for the model has only questions, and the call has no effects', async () => {
  expect(Object.keys(askUserQuestionTool.inputSchema['properties'] ?? {})).toEqual(['questions']);
  const project = await temporaryProject();
  expect(await project.effects(askUserQuestionTool, { questions: [storage] })).toEqual([]);
});

test('an interrupt ends the question', async () => {
  const stop = new AbortController();
  const project = await temporaryProject(
    {},
    {
      askUser: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          stop.abort(new Error('stop'));
        }),
    },
  );
  const run = await project.run(askUserQuestionTool, { questions: [storage] }, { signal: stop.signal });
  expect(run.failure).toBe('interrupted');
});

test.each([
  ['yes', 'but it gave "yes"'],
  [undefined, 'but it gave undefined'],
  [[undefined], 'but answer 1 was undefined'],
  [[{ answer: 'Memory' }], 'but answer 1 was {"answer":"Memory"}'],
  [[{ chosen: 'Memory' }], 'but answer 1 was {"chosen":"Memory"}'],
  [[{ chosen: [], text: 7 }], 'but answer 1 was {"chosen":[],"text":7}'],
])('reports the problem with the answer %j of a program', async (answer, what) => {
  const project = await temporaryProject({}, { askUser: async () => answer as never });
  const { content } = await project.run(askUserQuestionTool, { questions: [storage] });
  expect(content).toBe(
    `AskUserQuestion failed: askUser must give a list with an answer { chosen: [labels], text? } for each question, ${what}.`,
  );
});
