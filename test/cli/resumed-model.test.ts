import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

/** Runs of one person in one folder, against one server. */
async function person() {
  const [cwd, HELVE_HOME] = [await emptyFolder(), await emptyFolder()];
  const server = await startFakeModelServer(() => ({ text: 'ok' }));
  const env = { HELVE_HOME, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' };
  const modelOf = (index: number) => server.requests.at(index)?.body.model;
  return { cwd, env, server, modelOf, home: HELVE_HOME };
}

test('a resumed session continues with its model, unless another one is given', async () => {
  const { cwd, env, server, modelOf } = await person();
  try {
    await runHelve(['-p', 'one', '--model', 'opus'], { cwd, env });
    const first = modelOf(0);
    expect(first).toMatch(/opus/);
    expect(await runHelve(['-p', 'two', '--continue'], { cwd, env })).toMatchObject({ code: 0, stderr: '' });
    expect(modelOf(1)).toBe(first);
    await runHelve(['-p', 'three', '--resume', 'last'], { cwd, env: { ...env, HELVE_MODEL: 'haiku' } });
    expect(modelOf(2)).toMatch(/haiku/);
    await runHelve(['-p', 'four', '--continue', '--model', 'sonnet'], { cwd, env });
    expect(modelOf(3)).toMatch(/sonnet/);
  } finally {
    await server.close();
  }
});

test('a model that is no longer available is reported, and the session continues with another', async () => {
  const { cwd, env, server, modelOf } = await person();
  try {
    await writeFile(join(cwd, 'script.json'), JSON.stringify({ name: 'gone-1', turns: [{ text: 'ok' }] }));
    await runHelve(['-p', 'one', '--model', 'scripted/script.json'], { cwd, env });
    const { code, stderr } = await runHelve(['-p', 'two', '--continue'], { cwd, env });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'The session used the model gone-1, which is not available here, so it continues with another.',
    );
    expect(modelOf(0)).toMatch(/sonnet/);
  } finally {
    await server.close();
  }
});

test('a resumed session continues with its model also if only its provider knows the name', async () => {
  const { cwd, env, server, modelOf } = await person();
  try {
    const local = { ...env, OLLAMA_BASE_URL: `${server.url}/v1` };
    await runHelve(['-p', 'one', '--model', 'ollama/my-own'], { cwd, env: local });
    expect(await runHelve(['-p', 'two', '--continue'], { cwd, env: local })).toMatchObject({ code: 0, stderr: '' });
    expect(modelOf(1)).toBe('my-own');
  } finally {
    await server.close();
  }
});

test('an unknown session is reported as such, with exit status 1, also without a model', async () => {
  const { cwd, home } = await person();
  for (const args of [
    ['-p', 'hi', '--resume', 'nosuch'],
    ['sessions', 'show', 'nosuch'],
  ]) {
    expect(await runHelve(args, { cwd, env: { HELVE_HOME: home } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no session "nosuch"'),
    });
  }
});
