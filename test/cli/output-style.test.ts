// The setting `outputStyle`, by what the model gets.
import { expect, test } from 'vitest';
import { place } from './plugin-place.js';

const style = (text: string) => `---\nname: terse\ndescription: Short\n---\n${text}`;

test('the model gets the style that outputStyle names, and no other', async () => {
  const { write, prompt } = place();
  write({
    'home/.helve/output-styles/terse.md': style('Answer in three words.'),
    'home/.helve/output-styles/long.md': '---\nname: long\n---\nAnswer at length.',
    'home/.helve/settings.json': { outputStyle: 'terse' },
  });
  const chosen = await prompt('hi');
  expect([chosen.code, chosen.stderr]).toEqual([0, '']);
  expect(chosen.sent).toContain('Answer in three words.');
  expect(chosen.sent).not.toContain('Answer at length.');
  expect((await prompt('--settings', '{"outputStyle": "long"}', 'hi')).sent).toContain('Answer at length.');
  expect((await prompt('--settings', '{"outputStyle": "default"}', 'hi')).sent).not.toMatch(/Answer (?:in|at)/);
});

test('a style that does not exist is named, and the prompt is answered', async () => {
  const { prompt } = place();
  const { code, stdout, stderr } = await prompt('--settings', '{"outputStyle": "absent"}', 'hi');
  expect([code, stdout]).toEqual([0, 'ok\n']);
  expect(stderr).toContain('absent');
});

test('a style of a project is used only if the project is trusted', async () => {
  const { write, prompt } = place();
  write({
    'project/.helve/output-styles/terse.md': style('Answer as the project says.'),
    'project/.helve/settings.json': { outputStyle: 'terse' },
  });
  expect((await prompt('hi')).sent).not.toContain('Answer as the project says.');
  expect((await prompt('--trust', 'hi')).sent).toContain('Answer as the project says.');
});
