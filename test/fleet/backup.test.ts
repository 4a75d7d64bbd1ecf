import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/fleet/postgres.js';
import { FleetPrompts } from '../../src/fleet/prompts.js';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder } from '../cli/run-helve.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { helveFleet, startWorker } from './run-worker.js';

const git = (cwd: string, ...args: string[]): unknown =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], { cwd });

test.skipIf(withoutPostgres !== undefined)(
  'a copy of the database has all that new workers need to go on, with the workspace',
  { timeout: 120_000 },
  async () => {
    const postgres = await TestPostgres.start();
    onTestFinished(() => postgres.remove());
    const server = await startFakeModelServer(({ body }) => {
      const { length } = body.messages;
      if (length === 1) return { calls: [{ name: 'Bash', input: { command: 'echo one > untracked.txt' } }] };
      if (length === 5) return { calls: [{ name: 'Bash', input: { command: 'echo two >> untracked.txt' } }] };
      return { text: 'Done.' };
    });
    onTestFinished(() => server.close());
    const repository = await emptyFolder();
    git(repository, 'init', '--quiet');
    writeFileSync(join(repository, 'a.txt'), 'a');
    git(repository, 'add', '--all');
    git(repository, 'commit', '--quiet', '--message=first');
    const workspaces = mkdtempSync('/var/tmp/helve-test-');
    onTestFinished(() => rmSync(workspaces, { recursive: true, force: true }));
    const root = await emptyFolder();
    const run = async (url: string, ...args: readonly string[]): Promise<string> => {
      const at = { url, model: server.url, root };
      const worker = await startWorker(at, ['--allowedTools', 'Bash', '--workspaces', workspaces]);
      onTestFinished(() => void worker.process.kill('SIGKILL'));
      const id = await helveFleet(at, 'send', ...args);
      const database = await openDatabase(url);
      const prompts = new FleetPrompts(database);
      const isDone = async (): Promise<boolean> =>
        (await prompts.sessions()).every(({ openPrompts }) => openPrompts === 0);
      await vi.waitUntil(isDone, { timeout: 30_000, interval: 50 });
      await database.end();
      worker.process.kill('SIGKILL');
      await worker.ended;
      return id;
    };
    const id = await run(postgres.url, '--repo', `file://${repository}`, 'first');
    rmSync(workspaces, { recursive: true });
    const restored = await postgres.copy();
    onTestFinished(() => restored.remove());
    expect(await run(restored.url, '--resume', id, 'second')).toBe(id);
    expect(readFileSync(join(workspaces, id, 'untracked.txt'), 'utf8')).toBe('one\ntwo\n');
  },
);
