// Existing scripts for other agents, run unchanged: JSON on stdin through jq and Python, exit codes, printed answers.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookEvent, HookPayloads } from '../contract/hook.js';
import { toolTable } from '../tools/index.js';
import { createHooks } from './run-hooks.js';
import { readHooks } from './schema.js';

const fixtures = join(import.meta.dirname, '../../test/fixtures/hooks');
const missing = ['jq', 'python3'].filter((program) => spawnSync(program, ['--version']).error);
const scripted = test.skipIf(missing.length > 0); // the scripts are written for these programs

async function projectWithScripts(files: Readonly<Record<string, string>> = {}) {
  // A name with a space and a quote, as real folders may have.
  const root = await realpath(await mkdtemp(join(tmpdir(), "helve it's-")));
  await cp(fixtures, join(root, '.claude/hooks'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const settings: unknown = JSON.parse(await readFile(join(fixtures, 'settings.json'), 'utf8'));
  const value = typeof settings === 'object' && settings !== null && 'hooks' in settings ? settings.hooks : undefined;
  const { configured, problems } = readHooks(value, { source: '.claude/settings.json', trusted: true });
  expect(problems).toEqual([]);
  const hooks = createHooks({
    tools: toolTable(),
    configured,
    root,
    sessionId: 's',
    transcriptPath: join(root, 'transcript.jsonl'),
    env: process.env,
    situation: () => ({ cwd: root, mode: 'default' }),
  });
  const { signal } = new AbortController();
  return {
    root,
    run: <Event extends HookEvent>(event: Event, payload: HookPayloads[Event]) => hooks.run(event, payload, { signal }),
    call: (tool_name: string, tool_input: unknown) => ({ tool_name, tool_input, tool_use_id: 'call_1' }),
  };
}

const nothing = { answers: [], additionalContext: [], messages: [], reports: [] };

scripted('refuses and asks by printed JSON', async () => {
  const { run, call } = await projectWithScripts();
  expect(await run('PreToolUse', call('Bash', { command: 'make && rm -rf build' }))).toMatchObject({
    behavior: 'deny',
    answers: [{ behavior: 'deny', reason: 'Removing whole folders is not allowed in this project' }],
    reports: [],
  });
  expect(await run('PreToolUse', call('Bash', { command: 'git push' }))).toMatchObject({
    behavior: 'ask',
    reports: [],
  });
  expect(await run('PreToolUse', call('Bash', { command: 'ls' }))).toEqual(nothing);
});

scripted('refuses with exit code 2 and the text on stderr', async () => {
  const { run, call } = await projectWithScripts();
  for (const tool of ['Edit', 'Write', 'MultiEdit']) {
    expect(await run('PreToolUse', call(tool, { file_path: '/p/.env' }))).toMatchObject({
      answers: [{ behavior: 'deny', reason: '/p/.env is protected: it holds .env' }],
      reports: [],
    });
  }
  expect(await run('PreToolUse', call('Write', { file_path: '/p/a.txt' }))).toEqual(nothing);
  expect(await run('PreToolUse', call('Read', { file_path: '/p/.env' }))).toEqual(nothing);
});

scripted('checks a file after it was written', async () => {
  const { root, run, call } = await projectWithScripts({ 'good.json': '{}', 'bad.json': '{' });
  const written = (name: string) => ({
    ...call('Write', { file_path: join(root, name) }),
    tool_response: { ok: true },
  });
  expect(await run('PostToolUse', written('bad.json'))).toMatchObject({
    block: { reason: expect.stringMatching(/^bad\.json is no longer valid JSON: ./) },
    reports: [],
  });
  expect(await run('PostToolUse', written('good.json'))).toEqual(nothing);
});

scripted('adds text to a prompt, or blocks it', async () => {
  const { root, run } = await projectWithScripts();
  expect(await run('UserPromptSubmit', { prompt: 'hello' })).toEqual({
    ...nothing,
    additionalContext: [`The project is ${basename(root)}.`],
  });
  expect(await run('UserPromptSubmit', { prompt: 'use sk-abcdefghijklmnop1234' })).toEqual({
    ...nothing,
    block: { reason: 'The prompt holds something that looks like a key.' },
  });
});

scripted('makes the model continue once', async () => {
  const { run } = await projectWithScripts({ 'TODO.md': '- [x] one\n- [ ] two\n' });
  expect(await run('Stop', { stop_hook_active: false })).toEqual({
    ...nothing,
    block: { reason: 'There are open points in TODO.md. Finish them.' },
  });
  expect(await run('Stop', { stop_hook_active: true })).toEqual(nothing);
});
