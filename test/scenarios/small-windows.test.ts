// Sessions that outgrow the model's context window, through the real command line, against a server that enforces one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type FakeAnswer,
  type FakeModelServer,
  type FakeRequest,
  startFakeModelServer,
} from '../../src/testing/index.js';
import { emptyFolder, type HelveRun, runHelve } from '../cli/run-helve.js';

const FILES = 30;
const tokensOf = ({ text }: FakeRequest): number => Math.ceil(text.length / 4);
const isForSummary = ({ text }: FakeRequest): boolean => text.includes('will be replaced by a summary');
const summary =
  'The user wants all files to be read. I have read the files so far, one after the other; next is the rest.';

interface Machine {
  server: FakeModelServer;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<HelveRun>;
  /** Requests that were larger than the server's window. */
  overflows: FakeRequest[];
  /** How many of the requests were answered as the work itself. */
  reads: number;
}

/** A project of files, and a server with so many tokens of window, whose model reads one file after the other. */
async function machine(window: number, filesInPrompt = FILES): Promise<Machine> {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  for (let number = 1; number <= FILES * 2; number += 1) {
    await writeFile(
      join(cwd, `file${number}.txt`),
      `This is line one of file ${number}.\n${'and more of it\n'.repeat(300)}`,
    );
  }
  const overflows: FakeRequest[] = [];
  let reads = 0;
  const answer = (request: FakeRequest): FakeAnswer => {
    if (tokensOf(request) > window) {
      overflows.push(request);
      const message = `prompt is too long: ${tokensOf(request)} tokens > ${window} maximum`;
      return { status: 400, error: { type: 'invalid_request_error', message } };
    }
    const usage = { input_tokens: tokensOf(request) };
    if (isForSummary(request)) return { text: summary, usage };
    reads += 1;
    if (reads % filesInPrompt === 0) return { text: `All ${reads} are done.`, usage };
    return { calls: [{ name: 'Read', input: { file_path: `file${reads}.txt` } }], usage };
  };
  const server = await startFakeModelServer(answer);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', HELVE_MODEL: 'claude-test', HELVE_HOME: home };
  return {
    server,
    overflows,
    get reads() {
      return reads;
    },
    run: (args, more = {}) => runHelve(['-p', ...args], { cwd, env: { ...env, ...more } }),
  };
}

/** The messages without the marks for the cache, which move on. */
const messagesOf = (request: FakeRequest | undefined): unknown[] =>
  JSON.parse(JSON.stringify(request?.body.messages ?? []), (key, value) =>
    key === 'cache_control' ? undefined : value,
  );

test('a session that outgrows a small window is compacted in time and finishes', async () => {
  const { server, run, overflows } = await machine(16_000);
  const done = await run(['Read all files, please.'], { HELVE_CONTEXT_TOKENS: '16000' });
  await server.close();
  expect(done).toMatchObject({ code: 0, stdout: `All ${FILES} are done.\n` });
  expect(overflows).toEqual([]);
  expect(server.refused).toEqual([]);
  const work = server.requests.filter((request) => !isForSummary(request));
  for (const { text } of work) expect(text).toContain('Read all files, please.');
  expect(server.requests.some(({ text }) => text.includes('was cleared to make room'))).toBe(true);
});

test('a smaller context window that the server reports is used, and the work continues', async () => {
  const { server, run, overflows } = await machine(14_000);
  const done = await run(['Read all files, please.']);
  await server.close();
  expect(done).toMatchObject({ code: 0, stdout: `All ${FILES} are done.\n` });
  expect(overflows.length).toBeGreaterThan(0);
  expect(overflows.length).toBeLessThan(4);
  expect(server.requests.some(isForSummary)).toBe(true);
  expect(server.refused).toEqual([]);
  const last = server.requests.at(-1)?.text ?? '';
  expect(last).toContain('Read all files, please.');
});

test('a resumed session continues from exactly the messages that were left', async () => {
  const { server, run } = await machine(14_000, 20);
  expect((await run(['Read the first files.'])).code).toBe(0);
  const before = server.requests.length;
  expect(await run(['-c', 'Read the others.'])).toMatchObject({ code: 0, stdout: 'All 40 are done.\n' });
  await server.close();
  expect(server.refused).toEqual([]);
  expect(server.requests.slice(0, before).some(isForSummary)).toBe(true);
  const [last, first] = [messagesOf(server.requests[before - 1]), messagesOf(server.requests[before])];
  expect(first.slice(0, last.length)).toEqual(last);
  expect(first).toHaveLength(last.length + 2);
});

test('a run ends with a message if not even the tools fit', async () => {
  const { server, run } = await machine(1_000);
  const done = await run(['Hello.']);
  await server.close();
  expect(done.code).toBe(1);
  expect(done.stderr).toContain('The context window is full');
  expect(done.stderr).toContain('the system prompt and the tools alone have');
  expect(server.requests.length).toBeLessThan(5);
});

test('an invalid setting is refused with a message', async () => {
  const done = await runHelve(['-p', 'hi'], {
    env: { ANTHROPIC_API_KEY: 'k', HELVE_MODEL: 'claude-test', HELVE_AUTO_COMPACT_PCT: 'much' },
  });
  expect(done.code).not.toBe(0);
  expect(done.stderr).toContain('HELVE_AUTO_COMPACT_PCT is "much", which is not a whole number from 0 to 100.');
});
