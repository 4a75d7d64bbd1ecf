import { mkdir, readdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from './run-helve.js';

/** A session in a project whose rules deny something. */
async function sessionInProject() {
  const [project, home, scripts] = [await emptyFolder(), await emptyFolder(), await emptyFolder()];
  await mkdir(join(project, '.helve'));
  await writeFile(join(project, '.helve', 'settings.json'), '{"permissions": {"deny": ["Read(secret.txt)"]}}');
  await writeFile(join(project, 'secret.txt'), 'the secret\n');
  const script = join(scripts, 'script.json');
  const calls = [{ name: 'Read', input: { file_path: 'secret.txt' } }];
  await writeFile(script, JSON.stringify({ turns: [{ calls }, { text: 'Done.' }] }));
  const run = (cwd: string, ...flags: string[]) =>
    runHelve(['-p', 'go', '--model', `scripted/${script}`, '--output-format', 'stream-json', ...flags], {
      cwd,
      env: { HELVE_HOME: home },
    });
  const begun = await run(project);
  const id = JSON.parse(begun.stdout.split('\n')[0] ?? '').session_id as string;
  return { project, id, run };
}

test('a session is resumed in its own project, with the rules of that project', async () => {
  const { project, id, run } = await sessionInProject();
  const again = await run(project, '--resume', id);
  expect(again.code).toBe(0);
  expect(again.stdout).not.toContain('the secret');

  const elsewhere = await run(await emptyFolder(), '--resume', id);
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toContain(`The session ${id} belongs to ${project} and uses its settings and rules`);
  expect(elsewhere.stderr).toContain(`cd ${project}`);
  expect(elsewhere.stdout).toBe('');
});

test('refuses to fork a session of another folder too, and says when the project is gone', async () => {
  const { project, id, run } = await sessionInProject();
  const here = await emptyFolder();
  expect((await run(here, '--resume', id, '--fork')).code).toBe(2);
  await rename(project, join(here, 'moved'));
  expect((await run(here, '--resume', id)).stderr).toContain('That folder no longer exists');
});

test('tells the model what the user has undone since', async () => {
  const [project, home] = [await emptyFolder(), await emptyFolder()];
  await writeFile(join(project, 'a.txt'), 'one\n');
  const server = await startFakeModelServer([
    { calls: [{ name: 'Bash', id: 'call_a', input: { command: 'echo two > a.txt' } }] },
    { text: 'Done.' },
    { text: 'I see.' },
    { text: 'Nothing new.' },
  ]);
  onTestFinished(() => server.close());
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const run = (...args: string[]) => runHelve(args, { cwd: project, env });
  await run('-p', 'change it', '--permission-mode', 'bypassPermissions');
  expect((await run('undo', '--yes')).code).toBe(0);
  expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('one\n');
  // As if the clock had been set back before the undo.
  const [list = ''] = await readdir(join(home, 'journal/sessions'));
  const journal = join(home, 'journal/sessions', list);
  const lines = (await readFile(journal, 'utf8')).split('\n');
  const earlier = lines.map((line) =>
    line.includes('"undo_') ? line.replace(/"at":"[^"]*"/, '"at":"2001-01-01T00:00:00.000Z"') : line,
  );
  await writeFile(journal, earlier.join('\n'));

  await run('-p', 'and now?', '--continue');
  const told = 'The user has taken back the changes of call_a with helve undo.';
  expect(server.requests.at(-1)?.text).toContain(
    `${told} These are now as they were before: ${join(await realpath(project), 'a.txt')}.`,
  );
  await run('-p', 'and now?', '--continue');
  expect(server.requests.at(-1)?.text.split(told)).toHaveLength(2); // in the history, and not again
});

test('a prompt whose request failed is sent once if it is repeated, and stays in the history otherwise', async () => {
  const [project, home] = [await emptyFolder(), await emptyFolder()];
  const failed = { status: 400, error: { type: 'invalid_request_error', message: 'no' } };
  const server = await startFakeModelServer([failed, failed, { text: 'Yes.' }]);
  onTestFinished(() => server.close());
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const helve = (...args: string[]) => runHelve(['-p', ...args], { cwd: project, env });
  expect((await helve('Fix it')).code).toBe(1);
  expect((await helve('Fix it', '--continue')).code).toBe(1);
  expect(await helve('Go on', '--continue')).toMatchObject({ code: 0, stdout: 'Yes.\n' });
  const prompts = server.requests.map(({ text }) =>
    [...text.matchAll(/"text":"(Fix it|Go on)"/g)].map(([, said]) => said),
  );
  expect(prompts).toEqual([['Fix it'], ['Fix it'], ['Fix it', 'Go on']]);
});
