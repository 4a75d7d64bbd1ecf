import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../../contract/permission.js';
import { permissionAnswer, permissionForm, questionAnswers, questionForm } from './serve-questions.js';

const question: PermissionQuestion = {
  callId: 'call_1',
  tool: 'Bash',
  input: { command: 'rm x' },
  effects: [
    { kind: 'command', text: 'rm x', harmless: false },
    { kind: 'file', access: 'write', path: '/project/x', real: '/etc/passwd' },
  ],
  risks: [],
  decision: { behavior: 'ask', reason: 'it is not harmless' },
  reason: 'it is not harmless',
  display: { title: 'rm x' },
  suggestions: ['Bash(rm x)'],
  confinement: 'Runs without a sandbox.',
};

const choices = (asked: PermissionQuestion): unknown => permissionForm(asked).requestedSchema.properties['answer'];

test('shows what the call would touch, links with their targets, and what a yes would cover', () => {
  expect(permissionForm(question).message).toBe(
    [
      'Bash: rm x',
      '- runs rm x',
      '- writes /project/x, which is /etc/passwd',
      'Runs without a sandbox.',
      'Asked because it is not harmless.',
      '"allow for this session" would allow: Bash(rm x)',
    ].join('\n'),
  );
});

test('names the risks before the rest', () => {
  const risk = { kind: 'deletes', undoable: false, effects: [1], text: 'deletes x' } as const;
  const risks = [{ ...risk, level: 'high' } as const, { ...risk, level: 'notable', text: 'reaches y' } as const];
  expect(
    permissionForm({ ...question, risks })
      .message.split('\n')
      .slice(0, 3),
  ).toEqual(['Bash: rm x', '!! deletes x', '! reaches y']);
});

test('makes hidden characters visible', () => {
  const hidden = { ...question, display: { title: 'rm \u202etxt.x\u001b[2J' } };
  expect(permissionForm(hidden).message).toContain('rm \\u202etxt.x\\u001b[2J');
});

test('a question that cannot be shown in full cannot be allowed for the session', () => {
  const long = { ...question, display: { title: 'x'.repeat(10_000) } };
  expect(permissionForm(long).message.length).toBeLessThan(7_000);
  expect(choices(question)).toMatchObject({ enum: ['allow once', 'allow for this session', 'deny'] });
  expect(choices(long)).toMatchObject({ enum: ['allow once', 'deny'] });
  const answer = { action: 'accept', content: { answer: 'allow for this session' } } as const;
  expect(() => permissionAnswer(answer, long)).toThrow('not among the choices');
});

test.each([
  [{ action: 'accept', content: { answer: 'allow once' } }, { behavior: 'allow' }],
  [
    { action: 'accept', content: { answer: 'allow for this session' } },
    { behavior: 'allow', remember: { rules: ['Bash(rm x)'], scope: 'session' } },
  ],
  [{ action: 'accept', content: { answer: 'deny' } }, { behavior: 'deny' }],
  [
    { action: 'accept', content: { answer: 'deny', reason: ' no ' } },
    { behavior: 'deny', reason: 'no' },
  ],
  [{ action: 'decline' }, { behavior: 'deny' }],
  [{ action: 'cancel' }, { behavior: 'deny' }],
] as const)('the reply %j means %j', (given, meant) => {
  expect(permissionAnswer(given, question)).toEqual(meant);
});

test.each([undefined, {}, { answer: true }, { answer: 'ALLOW ONCE' }, { answer: ['allow once'] }])(
  'an accepted form with the answer %j does not count as allow',
  (content) => {
    expect(() => permissionAnswer({ action: 'accept', content }, question)).toThrow('not among the choices');
  },
);

const which = { question: 'Which?', header: 'which', options: ['a', 'b'].map((label) => ({ label, description: '' })) };

test('the questions of a tool become form fields, and the fields become answers', () => {
  const questions = [which, { ...which, multiSelect: true }];
  expect(Object.keys(questionForm(questions).requestedSchema.properties)).toEqual([
    'answer_1',
    'words_1',
    'answer_2',
    'words_2',
  ]);
  const content = { answer_1: 'a', answer_2: ['b', 'z'], words_2: 'and c' };
  expect(questionAnswers({ action: 'accept', content }, questions)).toEqual([
    { chosen: ['a'] },
    { chosen: ['b'], text: 'and c' },
  ]);
  expect(questionAnswers({ action: 'decline' }, [which])).toEqual([{ chosen: [] }]);
});

test('a question without choices becomes a text field', () => {
  const questions = [{ question: 'Who?', header: 'Who', options: [] }];
  const { requestedSchema } = questionForm(questions);
  expect(requestedSchema.properties).toEqual({ words_1: { type: 'string', title: 'Who?' } });
  expect(questionAnswers({ action: 'accept', content: { words_1: 'Ada' } }, questions)).toEqual([
    { chosen: [], text: 'Ada' },
  ]);
});
