import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../contract/permission.js';
import type { OpenQuestion } from '../host/open-questions.js';
import { readAnswer } from './read-answer.js';

const question: PermissionQuestion = {
  callId: 'c1',
  tool: 'Bash',
  input: { command: 'echo 1 > a.txt' },
  effects: [],
  risks: [],
  decision: { behavior: 'ask', reason: 'it writes' },
  reason: 'it writes',
  display: { title: 'echo 1 > a.txt' },
  suggestions: ['Bash(echo *)'],
};
const asked: OpenQuestion = { kind: 'permission', id: 'q1', question };

const offered = [
  { behavior: 'allow' },
  { behavior: 'allow', remember: { rules: ['Bash(echo *)'], scope: 'session' } },
  { behavior: 'deny', reason: 'no' },
];

const beyond = [
  { behavior: 'allow', updatedInput: { command: 'id' } },
  { behavior: 'allow', remember: { rules: ['Bash(echo *)', 'Bash'], scope: 'always' } },
  { behavior: 'allow', mode: 'acceptEdits' },
];

test('a client with the role answer may answer only as the question offers', () => {
  for (const given of offered) {
    const { answer } = readAnswer(asked, given, { role: 'answer', actor: 'guest' });
    expect(answer).toEqual({ ...given, by: 'guest' });
  }
  for (const given of beyond) {
    expect(() => readAnswer(asked, given, { role: 'answer' })).toThrow('needs the role run, but the client has answer');
    expect(readAnswer(asked, given, { role: 'run' }).answer).toEqual(given);
  }
});
