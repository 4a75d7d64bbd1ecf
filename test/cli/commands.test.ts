import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, jsonLines, runHelve } from './run-helve.js';

const files = {
  'CLAUDE.md': 'Use tabs.',
  '.claude/commands/greet.md': '---\ndescription: Greet a person\nargument-hint: [who] [how]\n---\nGreet $1.',
  '.claude/skills/report/SKILL.md': '---\ndescription: Reports\n---\nReport.',
};

const NOTES =
  'helve: The model gets CLAUDE.md as notes only, because this folder is not trusted. To follow the instructions: helve config trust; for one run: --trust.\n';

/** Runs a prompt in a project with these files; `sent` is the request, if there was one. */
async function run(...args: string[]) {
  const cwd = await emptyFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const server = await startFakeModelServer([{ text: 'ok' }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', HELVE_MODEL: 'claude-test' };
  const done = await runHelve(['-p', ...args], { cwd, env });
  await server.close();
  return { ...done, sent: server.requests[0]?.text ?? '' };
}

test('a prompt includes the instructions of the project, and the text of the command that it calls', async () => {
  const { code, sent, stderr } = await run('/greet them');
  expect([code, stderr]).toEqual([0, NOTES]);
  expect(sent).toContain('Use tabs.');
  expect(sent).toContain('Greet them.');
  expect(sent).toContain('- report: Reports');
});

test('with --trust, -p follows the instructions and says nothing', async () => {
  const { stderr, sent } = await run('--trust', 'hi');
  expect(stderr).toBe('');
  expect(sent).not.toContain('has not agreed to follow');
});

test('an unknown command fails, with the nearest name', async () => {
  expect(await run('/great')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `${NOTES}helve: There is no command /great. Did you mean /greet?\n`,
    sent: '',
  });
});

test.each([
  [['--no-instructions', 'hi'], /Use tabs/],
  [['--disable-slash-commands', '/greet them'], /Greet them|"Skill"/],
  [['--simple', '/greet them'], /Use tabs|Greet them|"Skill"/],
  [['--settings', '{"instructions": false}', 'hi'], /Use tabs/],
])('-p %j omits instructions, commands or both', async (args, left) => {
  const { code, sent } = await run(...args);
  expect(code).toBe(0);
  expect(sent).not.toMatch(left);
});

test('a host gets the list of commands', async () => {
  const { stdout } = await run('--output-format', 'stream-json', 'hi');
  expect(jsonLines(stdout)[0]).toMatchObject({
    subtype: 'init',
    slash_commands: ['greet', 'report'],
    skills: ['report'],
  });
});
