import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.js';
import { demoPrompt, nextTurn } from './script.js';

const words = { ending: 'Now try /undo.', afterwards: 'The script ends here.' };

/** Plays the story; the answers say how the calls of a step end: yes unless given. */
function play(answers: Readonly<Record<string, 'no' | 'fails'>> = {}, prompt = demoPrompt) {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: prompt }] }];
  const steps: string[] = [];
  for (let turns = 0; turns < 20; turns++) {
    const { text = '', calls = [] } = nextTurn(messages, words);
    const ids = calls.map(({ id = '' }) => id);
    messages.push({
      role: 'assistant',
      content: [
        { type: 'text', text },
        ...calls.map(({ name, input }, index) => ({ type: 'tool_use' as const, id: ids[index] ?? '', name, input })),
      ],
    });
    if (calls.length === 0) return { steps, end: text, messages };
    const step = ids[0]?.split('-')[1] ?? '';
    steps.push(step);
    const answer = answers[step] ?? (step === 'test' ? 'fails' : 'yes');
    const content = { no: 'The user refused this call.', fails: 'Exit code 1\nℹ fail 1', yes: 'fine' }[answer];
    messages.push({
      role: 'user',
      content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content, is_error: answer !== 'yes' })),
    });
  }
  throw new Error('The story has no end.');
}

test('the story: a change, a failing test, the fix, a passing test, and a folder that is deleted', () => {
  const { steps, end } = play();
  expect(steps).toEqual(['look', 'discount', 'test', 'fix', 'retest', 'clean']);
  expect(end).toBe(
    'Done: ten or more of an item are 10 % cheaper, and all tests pass. The old build is deleted.\n\nNow try /undo.',
  );
});

test.each([
  ['discount', ['look', 'discount', 'clean'], 'the prices are unchanged, because the edit was refused'],
  ['test', ['look', 'discount', 'test', 'fix', 'clean'], 'the tests have not run on it'],
  ['fix', ['look', 'discount', 'test', 'fix', 'clean'], 'exactly ten are not: that edit was refused'],
  ['retest', ['look', 'discount', 'test', 'fix', 'retest', 'clean'], 'the tests have not run on it'],
  ['clean', ['look', 'discount', 'test', 'fix', 'retest', 'clean'], 'The old build is still there.'],
])('after a no to the step %s, the story goes on and ends truthfully', (refused, steps, words) => {
  const played = play({ [refused]: 'no' });
  expect(played.steps).toEqual(steps);
  expect(played.end).toContain(words);
});

test('another prompt is answered honestly, before the story and after it', () => {
  const { messages } = play({}, 'Write a novel.');
  expect(messages[1]?.content[0]).toMatchObject({
    text: expect.stringMatching(/^I am a script, so I can't do that\./),
  });
  const asked: Message[] = [...messages, { role: 'user', content: [{ type: 'text', text: 'And now a poem.' }] }];
  expect(nextTurn(asked, words)).toEqual({ text: 'The script ends here.' });
});

test('a prompt after an interrupt continues the story', () => {
  const { messages } = play();
  const cut: Message[] = [...messages.slice(0, 3), { role: 'user', content: [{ type: 'text', text: 'go on' }] }];
  expect(nextTurn(cut, words).text).toMatch(/^I continue where we stopped\. /);
});
