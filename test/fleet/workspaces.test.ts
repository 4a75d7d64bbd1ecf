import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/fleet/postgres.js';
import { FleetPrompts, type FleetSession } from '../../src/fleet/prompts.js';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { type FleetPlace, helveFleet, startWorker, type TestWorker } from './run-worker.js';

if (withoutPostgres !== undefined) test.skip(withoutPostgres, () => {});

type FakeCall = NonNullable<FakeAnswer['calls']>[number];

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

const bash = (command: string): FakeCall => ({ name: 'Bash', input: { command } });

describe.skipIf(withoutPostgres !== undefined)('sessions of repositories', { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  let database: Database;
  let prompts: FleetPrompts;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    database = await openDatabase(postgres.url);
    prompts = new FleetPrompts(database);
  });

  afterAll(async () => {
    await database?.end();
    await postgres?.remove();
  });

  async function place(calls: readonly FakeCall[], files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }) {
    const server = await startFakeModelServer((request) => answerTo(request, calls));
    onTestFinished(() => server.close());
    await database.query('delete from helve.session');
    const repository = await emptyFolder();
    git(repository, 'init', '--quiet', '--initial-branch=main');
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(repository, name, '..'), { recursive: true });
      writeFileSync(join(repository, name), text);
    }
    git(repository, 'add', '--all');
    git(repository, 'commit', '--quiet', '--message=first');
    const workspaces = mkdtempSync('/var/tmp/helve-test-'); // the temporary folder is another one in the sandbox
    onTestFinished(() => rmSync(workspaces, { recursive: true, force: true }));
    const at = { url: postgres.url, model: server.url, root: await emptyFolder() };
    return { at, workspaces, repository, url: `file://${repository}` };
  }

  async function workerAt(
    at: FleetPlace,
    workspaces: string,
    flags: readonly string[] = ['--allowedTools', 'Bash,Write'],
  ) {
    const worker = await startWorker(at, ['--workspaces', workspaces, ...flags]);
    onTestFinished(() => void worker.process.kill('SIGKILL'));
    return worker;
  }

  const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> =>
    void (await vi.waitUntil(isReached, { timeout: 30_000, interval: 30 }));

  async function sessionOf(id: string): Promise<FleetSession> {
    const session = (await prompts.sessions()).find(({ sessionId }) => sessionId === id);
    if (!session) throw new Error(`no session ${id}`);
    return session;
  }

  const isDone = (id: string) => async (): Promise<boolean> => (await sessionOf(id)).openPrompts === 0;

  async function problemOf(id: string): Promise<string> {
    const { rows } = await database.query('select problem from helve.prompt where session = $1', [id]);
    return rows[0].problem;
  }

  /** Ends the worker in the middle of a command, and removes what is on its machine. */
  async function lose(worker: TestWorker, workspaces: string): Promise<void> {
    worker.process.kill('SIGKILL');
    await worker.ended;
    rmSync(workspaces, { recursive: true });
  }

  test('another worker continues in the same workspace, its results can be fetched, and its changes undone', async () => {
    const { at, workspaces, url, repository } = await place(
      [
        { name: 'Write', input: { file_path: 'written.txt', content: 'written\n' } },
        bash('git checkout -q -b work && echo two >> a.txt && git -c user.name=a -c user.email=a@b commit -qam second'),
        bash(
          'mkdir -p empty ignored && echo x > ignored/x && printf "ignored\\n" > .gitignore && chmod 750 ignored && rm -f gone.txt',
        ),
        bash('touch begun; sleep 600'),
        bash(
          'cat a.txt written.txt ignored/x; stat -c %a ignored; ls -d empty; git log --format=%s; git status --short',
        ),
      ],
      { 'a.txt': 'one\n', 'gone.txt': 'gone\n' },
    );
    const first = await workerAt(at, workspaces);
    const id = await helveFleet(at, 'send', '--repo', url, '--ref', 'main', 'go');
    const root = join(workspaces, id);
    await until(() => existsSync(join(root, 'begun')));
    await lose(first, workspaces);
    const second = await workerAt(at, workspaces);
    await until(isDone(id));
    expect(await problemOf(id)).toBeNull();
    const { rows } = await database.query(
      "select convert_from(content, 'UTF8') as text from helve.record where file = 'session.jsonl'",
    );
    const log = rows.map(({ text }) => text).join('');
    expect(log).toContain(
      'one\\ntwo\\nwritten\\nx\\n750\\nempty\\nsecond\\nfirst\\n D gone.txt\\n?? .gitignore\\n?? written.txt',
    );

    expect(await helveFleet({ ...at, root: repository }, 'result', id, '--branch', 'from-helve')).toBe(
      'The branch from-helve has 2 new commits.',
    );
    expect(git(repository, 'show', '--stat', '--format=%s', 'from-helve')).toMatch(
      /Uncommitted changes.*gone.txt.*written.txt/s,
    );
    expect(git(repository, 'status', '--short')).toBe('');
    await expect(helveFleet({ ...at, root: repository }, 'result', id, '--branch', 'from-helve')).rejects.toThrow(
      /exists already/,
    );
    await helveFleet(at, 'result', id, '--patch', 'all.patch', '--archive', 'all.tar.gz');
    git(repository, 'apply', '--index', join(at.root, 'all.patch'));
    expect(git(repository, 'diff', '--cached', 'from-helve')).toBe('');
    const listed = execFileSync('tar', ['-tzf', join(at.root, 'all.tar.gz')], { encoding: 'utf8' });
    expect(listed).toContain('./ignored/x');
    expect(listed).not.toContain('.git/');

    const env = { HELVE_HOME: second.dataFolder };
    const undone = await runHelve(['undo', '--session', id, '--turn', '--yes'], { cwd: root, env });
    expect(undone).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, 'gone.txt'), 'utf8')).toBe('gone\n');
    expect(existsSync(join(root, 'written.txt'))).toBe(false);
  });

  test('a repository that can not be cloned ends the prompt with a sentence, and the worker goes on', async () => {
    const { at, workspaces, url } = await place([]);
    await workerAt(at, workspaces);
    const failing = [
      [await helveFleet(at, 'send', '--repo', url, '--ref', 'gone', 'go'), 'has no branch, tag or commit gone'],
      [await helveFleet(at, 'send', '--repo', 'file:///nowhere/shop.git', 'go'), 'could not be fetched'],
    ] as const;
    for (const [id, why] of failing) {
      await until(isDone(id));
      expect(await sessionOf(id)).toMatchObject({ state: 'failed' });
      expect(await problemOf(id)).toContain(why);
      expect(await helveFleet(at, 'show', id)).toContain(why);
    }
    const id = await helveFleet(at, 'send', '--repo', url, 'go');
    await until(isDone(id));
    expect(await sessionOf(id)).toMatchObject({ state: 'idle', project: expect.any(String) });
    await expect(helveFleet(at, 'send', '--repo', 'ext::sh', 'go')).rejects.toThrow('no scheme');
  });

  test('what a repository brings runs only after a person trusts it', async () => {
    const ran = join(await emptyFolder(), 'ran');
    const hook = [{ hooks: [{ type: 'command', command: `touch ${ran}` }] }];
    const settings = JSON.stringify({ hooks: { SessionStart: hook, UserPromptSubmit: hook } });
    const { at, workspaces, url } = await place([], { '.helve/settings.json': settings, 'a.txt': 'one\n' });
    const worker = await startUntrusting(at, workspaces);
    onTestFinished(() => void worker.process.kill('SIGKILL'));
    const id = await helveFleet(at, 'send', '--repo', url, 'go');
    await until(async () => (await sessionOf(id)).state === 'requires_action');
    expect(await helveFleet(at, 'answer', id)).toContain('Do you trust');
    expect(existsSync(ran)).toBe(false);
    await helveFleet(at, 'answer', id, 'deny');
    await until(isDone(id));
    expect(existsSync(ran)).toBe(false);
  });
});

const startUntrusting = (at: FleetPlace, workspaces: string): Promise<TestWorker> =>
  startWorker(at, ['--workspaces', workspaces], { trusts: false });

function answerTo({ body }: FakeRequest, calls: readonly FakeCall[]): FakeAnswer {
  const done = JSON.stringify(body.messages).match(/call \d+ of the model/g)?.length ?? 0;
  const call = calls[done];
  return call === undefined ? { text: 'All done.' } : { text: `call ${done} of the model`, calls: [call] };
}
