import { expect, test } from 'vitest';
import { readVerdict } from './judge-goal.js';

const text = 'Result: Tests  12 passed (12)\n Duration 3 s';

test('a clear yes with a passage of the text counts, however it is quoted', () => {
  const answer = 'VERDICT: MET\nEVIDENCE: "Tests 12 passed (12)"\nMISSING: nothing';
  expect(readVerdict(answer, text)).toEqual({ isMet: true, evidence: 'Tests 12 passed (12)', missing: '' });
});

test.each([
  ['a no', 'VERDICT: NOT MET\nEVIDENCE: 1 failed\nMISSING: the last test', 'the last test'],
  ['a passage that is not there', 'VERDICT: MET\nEVIDENCE: all 99 passed\nMISSING: nothing', 'not in the conversation'],
  ['a passage that is anywhere', 'VERDICT: MET\nEVIDENCE: Tests\nMISSING: nothing', 'not in the conversation'],
  ['no passage', 'VERDICT: MET\nEVIDENCE:\nMISSING: nothing', 'not in the conversation'],
  [
    'other words before it',
    'Sure!\nVERDICT: MET\nEVIDENCE: 12 passed (12)\nMISSING: nothing',
    'did not answer in the form',
  ],
  ['a doubt', 'VERDICT: PROBABLY MET\nEVIDENCE: 12 passed (12)\nMISSING: nothing', 'did not answer in the form'],
  ['an empty answer', '', 'did not answer in the form'],
])('%s is not met', (_, answer, missing) => {
  expect(readVerdict(answer, text)).toMatchObject({ isMet: false, missing: expect.stringContaining(missing) });
});
