import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';

// Written by version 0.1.0: a complete session, one that was killed while a command ran, and the same with thinking.
const fixture = resolve('test/fixtures/data-0.1.0');
const COMPLETE = '00000000-0000-4000-8000-000000000001';
const KILLED = '00000000-0000-4000-8000-000000000002';
const KILLED_THINKING = '00000000-0000-4000-8000-000000000003';
const WRITTEN_IN = '/tmp/helve-0.1.0/project';

/** A copy that belongs to a project of its own. Audit logs are left as they are, since their lines are hashed. */
async function dataFolder(): Promise<{ home: string; project: string }> {
  const [home, project] = [await emptyFolder(), await emptyFolder()];
  cpSync(fixture, home, { recursive: true });
  const sessions = readdirSync(join(home, 'sessions')).map((id) => join(home, 'sessions', id, 'session.jsonl'));
  const changes = readdirSync(join(home, 'journal', 'sessions')).map((name) => join(home, 'journal/sessions', name));
  for (const file of [...sessions, ...changes]) {
    const owner = `"uid":${process.getuid?.() ?? 0},"gid":${process.getgid?.() ?? 0}`;
    const text = readFileSync(file, 'utf8').replaceAll(WRITTEN_IN, project).replaceAll('"uid":0,"gid":0', owner);
    writeFileSync(file, text);
  }
  return { home, project };
}

test.for([COMPLETE, KILLED, KILLED_THINKING])(
  'the session %s of an earlier version continues with a valid history',
  async (id) => {
    const { home, project } = await dataFolder();
    const server = await startFakeModelServer([{ text: 'Still here.' }]);
    onTestFinished(() => server.close());
    const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
    const run = await runHelve(['-p', 'go on', '--resume', id], { cwd: project, env });
    expect(run).toMatchObject({ code: 0, stdout: 'Still here.\n' });
    expect(server.refused).toEqual([]);
    const sent = JSON.stringify(server.requests[0]?.body.messages);
    for (const part of ['Change one to two', 'I look.', '1\\tone', 'Edited notes.txt: 1 replacement']) {
      expect(sent).toContain(part);
    }
    if (id === COMPLETE) expect(sent).toContain('Edit, then check.');
    else expect(sent).toContain('Bash was interrupted when the program ended; its outcome is unknown.');
  },
);

test('sessions of an earlier version are listed and shown, and their audit logs are intact', async () => {
  const { home, project } = await dataFolder();
  const helve = (...args: string[]) => runHelve(args, { cwd: project, env: { HELVE_HOME: home } });
  const { stdout } = await helve('sessions', '--json');
  for (const id of [COMPLETE, KILLED, KILLED_THINKING]) expect(stdout).toContain(id);
  expect((await helve('sessions', 'show', COMPLETE)).stdout).toContain('Done.');
  for (const id of [COMPLETE, KILLED, KILLED_THINKING]) {
    expect(await helve('audit', 'verify', id)).toMatchObject({ code: 0 });
  }
});

test('the journal of an earlier version can undo the changes of its session', async () => {
  const { home, project } = await dataFolder();
  writeFileSync(join(project, 'notes.txt'), 'two\n');
  writeFileSync(join(project, 'made.txt'), 'made\n');
  const args = ['undo', '--session', COMPLETE, '--turn', '--yes'];
  expect(await runHelve(args, { cwd: project, env: { HELVE_HOME: home } })).toMatchObject({ code: 0 });
  expect(readdirSync(project)).toEqual(['notes.txt']);
  expect(readFileSync(join(project, 'notes.txt'), 'utf8')).toBe('one\n');
});
