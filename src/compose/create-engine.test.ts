import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { createEngine, type FullEngine } from './create-engine.js';
import type { FullEngineOptions } from './options.js';

async function call(engine: FullEngine, name: string, input: Record<string, unknown>): Promise<string> {
  const [result] = await engine.callTools([{ id: 'x', name, input }]);
  return String(result?.content);
}

const bypass: FullEngineOptions = { permissionMode: 'bypassPermissions' };

test('Grep, Glob and LS leave out the data folder', async () => {
  const { root, path, write } = await temporaryProject({ 'a.txt': 'needle\n' });
  const engine = createEngine({ ...bypass, root, dataFolder: path('.helve') });
  await write('.helve/secret.txt', 'needle\n');
  expect(await call(engine, 'Grep', { pattern: 'needle' })).toBe('Found 1 file\na.txt');
  expect(await call(engine, 'Grep', { pattern: 'needle', output_mode: 'content' })).toBe(
    'a.txt:1:needle\n(Found 1 matching line in 1 file.)',
  );
  expect(await call(engine, 'Glob', { pattern: '**/*.txt' })).toBe('a.txt');
  expect(await call(engine, 'LS', {})).toBe('./\n  a.txt');
});

test('protects the data folder under its real path and through a symlink, and saved results can be read through the symlink', async () => {
  const { root, path } = await temporaryProject();
  await mkdir(path('../real-data'));
  await symlink(path('../real-data'), path('../linked-data'));
  await writeFile(path('../real-data/secret'), 'x');
  const engine = createEngine({ ...bypass, root, dataFolder: path('../linked-data') });
  for (const name of ['real-data', 'linked-data']) {
    expect(await call(engine, 'Read', { file_path: path(`../${name}/secret`) })).toContain(
      "belongs to Helve's own data",
    );
  }
  const saved = await engine.session.resultFile('x.txt');
  await writeFile(saved, 'a saved result');
  const careful = createEngine({ root, dataFolder: path('../linked-data') });
  expect(await call(engine, 'Read', { file_path: saved })).toBe('1\ta saved result');
  expect(await call(careful, 'Read', { file_path: saved })).toContain("belongs to Helve's own data");
});

test('hides API keys and configured variables from commands, unless HELVE_PASS_ENV names them', async () => {
  const { root } = await temporaryProject();
  const env = { ...process.env, ANTHROPIC_API_KEY: 'a', ACME_KEY: 'b', OTHER: 'c' };
  const print = { command: 'echo "[$ANTHROPIC_API_KEY$ACME_KEY$OTHER]"' };
  const options = { ...bypass, root, hiddenVariables: ['ACME_KEY'] };
  expect(await call(createEngine({ ...options, env }), 'Bash', print)).toBe('[c]');
  const passing = { ...env, HELVE_PASS_ENV: 'ACME_KEY' };
  expect(await call(createEngine({ ...options, env: passing }), 'Bash', print)).toBe('[bc]');
});

test('an empty HELVE_HOME counts as unset', async () => {
  const { root } = await temporaryProject({ 'a.txt': 'x' });
  const engine = createEngine({ root, env: { ...process.env, HELVE_HOME: '' } });
  expect(await call(engine, 'Read', { file_path: join(root, 'a.txt') })).toBe('1\tx');
});

test('a question can be garbage-collected after its answer', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { root } = await temporaryProject();
  const asked: Array<WeakRef<object>> = [];
  const engine = createEngine({
    root,
    async askPermission(question) {
      asked.push(new WeakRef(question));
      return { behavior: 'deny' };
    },
  });
  for (const name of ['a', 'b', 'c']) await call(engine, 'Write', { file_path: name, content: 'x' });
  await new Promise(setImmediate); // a WeakRef keeps its target alive until the end of the current job
  collect();
  expect(asked.map((question) => question.deref())).toEqual([undefined, undefined, undefined]);
  await engine.end();
});

test('a resource that is first used after the end of the session is ended at once', async () => {
  const project = await temporaryProject();
  const { session } = project.engine;
  await project.engine.end();
  const ended = Promise.withResolvers<void>();
  session.own((late) => late.atEnd(() => ended.resolve()));
  await ended.promise;
  await project.remove();
});

test('the end of a session waits for work that was prepared ahead', async () => {
  const project = await temporaryProject();
  const { session } = project.engine;
  const going = Promise.withResolvers<void>();
  const order: string[] = [];
  session.prepare(going.promise.then(() => order.push('prepared')));
  session.atEnd(() => void order.push('ended'));
  const end = project.engine.end();
  going.resolve();
  await end;
  expect(order).toEqual(['prepared', 'ended']);
  await project.remove();
});

test("records the person's answer in the audit log", async () => {
  const { root, path } = await temporaryProject();
  const dataFolder = path('../data');
  const askPermission = async () => ({ behavior: 'deny' as const, reason: 'not now' });
  const engine = createEngine({ root, dataFolder, askPermission });
  await call(engine, 'Write', { file_path: 'a.txt', content: 'x' });
  await engine.end();
  const log = await readFile(join(dataFolder, 'sessions', engine.session.id, 'audit.jsonl'), 'utf8');
  const answers = log.split('\n').filter((line) => line.includes('"type":"answer"'));
  expect(answers.map((line) => JSON.parse(line))).toMatchObject([
    { call: 'x', tool: 'Write', behavior: 'deny', reason: 'not now' },
  ]);
});
