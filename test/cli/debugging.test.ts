import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { traceSdk } from '../counterparts.js';
import { emptyFolder, jsonLines, runHelve } from './run-helve.js';

const KEY = 'a-key-that-looks-like-nothing';

async function ask(answers: FakeAnswers, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [cwd, dataFolder] = [await emptyFolder(), await emptyFolder()];
  await writeFile(join(cwd, 'a.txt'), 'hello\n');
  const server = await startFakeModelServer(answers);
  try {
    const run = await runHelve(['-p', 'go', '--model', 'anthropic/test', ...args], {
      cwd,
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY, HELVE_HOME: dataFolder, ...env },
    });
    return { ...run, cwd, logs: join(dataFolder, 'logs') };
  } finally {
    await server.close();
  }
}

const readThenDone: FakeAnswers = [
  { calls: [{ name: 'Read', input: { file_path: 'nope.txt' }, id: 'toolu_1' }] },
  { text: 'Done.' },
];

test('--debug writes a log of the session that only its owner can read, and nothing to standard output', async () => {
  const run = await ask(readThenDone, ['--debug']);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  const [name = '', ...more] = await readdir(run.logs);
  expect(more).toEqual([]);
  const path = join(run.logs, name);
  expect(run.stderr).toBe(`helve: debug log: ${path}\n`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const log = await readFile(path, 'utf8');
  expect(log).toContain(` session_start ${name.slice(0, -4)} in ${run.cwd}, model test`);
  expect(log).toMatch(
    / request_end #1 anthropic\/test \d+ ms \(first word after \d+ ms\), \S+ of \S+, ok, stop reason/,
  );
  expect(log).toMatch(/ tool_result toolu_1 Read FAILED \w+ after \d+ ms\n {4}\S*(?:Error|Failure): .*\n/);
  expect(log).toMatch(/ result completed after 2 turns/);
  expect(log).not.toContain(KEY);
});

test('the log contains no value of a secret variable', async () => {
  const secret = 'nothing"like\\a-key';
  const calls: FakeAnswers = [
    { calls: [{ name: 'Read', input: { file_path: `${secret}.txt` }, id: 'toolu_1' }] },
    { text: 'Done.' },
  ];
  const { cwd } = await ask(calls, ['--debug-file', 'log.txt'], { DEPLOY_TOKEN: secret });
  const log = await readFile(join(cwd, 'log.txt'), 'utf8');
  expect(log).toContain('tool_call toolu_1 Read {"file_path":"[redacted: secret].txt"}');
  expect(log).not.toContain('a-key');
});

test.skipIf(process.platform === 'win32')(
  'a pipe without a reader is not used as a log and does not block',
  async () => {
    const pipe = join(await emptyFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const run = await ask(readThenDone, ['--debug-file', pipe]);
    expect(run).toMatchObject({
      code: 0,
      stdout: 'Done.\n',
      stderr: expect.stringContaining("can't be written (ENXIO"),
    });
  },
);

test('the log contains a failed request with its status, and the retry', async () => {
  const overloaded = { status: 529, error: { type: 'overloaded_error', message: `Busy. ${KEY}` } };
  const run = await ask([overloaded, { text: 'Done.' }], ['--debug-file', 'x.log'], { HELVE_RETRY_BASE_MS: '1' });
  const log = await readFile(join(run.cwd, 'x.log'), 'utf8');
  expect(log).toMatch(/ request_end #1 .* FAILED overloaded, status 529.*\n {4}ModelFailure: /);
  expect(log).toMatch(/ model_retry 1 of \d+, anthropic\/test in \d+ ms: /);
  expect(log).toMatch(/ request_end #2 .*, ok,/);
  expect(log).not.toContain(KEY);
  expect(existsSync(run.logs)).toBe(false);
});

test.each([
  [['--debug=own.log'], {}, 'own.log'],
  [[], { HELVE_DEBUG: 'from-env.log' }, 'from-env.log'],
  [['--debug', '--debug-file', 'both.log'], {}, 'both.log'],
])('%j with %j writes %s', async (args, env, name) => {
  const run = await ask([{ text: 'Done.' }], args, env);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: '' });
  expect(await readFile(join(run.cwd, name), 'utf8')).toContain(' result completed ');
});

test('there is no log unless it is requested', async () => {
  const run = await ask([{ text: 'Done.' }], [], { HELVE_DEBUG: '0' });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(run.logs)).toBe(false);
});

test('a log that cannot be written is reported once, and the run continues', async () => {
  const run = await ask(readThenDone, ['--debug-file', 'a.txt/x.log']);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(run.stderr).toMatch(
    /^helve: The debug log .*a\.txt\/x\.log can't be written \(.*\)\. The work continues without it\.\n$/,
  );
});

test('hooks are in the log', async () => {
  const hook = { type: 'command', command: 'echo \'{"hookSpecificOutput":{"additionalContext":"mind the gap"}}\'' };
  const settings = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
  const run = await ask(readThenDone, ['--debug-file', 'x.log', '--settings', settings]);
  expect(await readFile(join(run.cwd, 'x.log'), 'utf8')).toMatch(
    / hooks PreToolUse toolu_1 Read \d+ ms, no decision\n(?: {4}.*\n)* {4}adds: mind the gap\n/,
  );
});

/** Registers a provider that writes each span to a file, as a person's own script would. */
async function tracingScript(): Promise<{ script: string; spans: () => Promise<Array<Record<string, unknown>>> }> {
  const folder = await emptyFolder();
  const { resolve } = createRequire(import.meta.url);
  const api = JSON.stringify(pathToFileURL(resolve('@opentelemetry/api')).href);
  const file = join(folder, 'spans.jsonl');
  const script = join(folder, 'tracing.mjs');
  await writeFile(
    script,
    `import { appendFileSync } from 'node:fs';
import api from ${api};
import sdk from ${JSON.stringify(traceSdk().url)};
const exporter = {
  export(spans, done) {
    for (const { name, attributes, parentSpanContext } of spans) {
      const line = { name, attributes, parent: parentSpanContext?.spanId };
      appendFileSync(${JSON.stringify(file)}, JSON.stringify(line) + '\\n');
    }
    done({ code: 0 });
  },
  async shutdown() {},
};
const processor = new sdk.BatchSpanProcessor(exporter);
api.trace.setGlobalTracerProvider(new sdk.BasicTracerProvider({ spanProcessors: [processor] }));
`,
  );
  return { script, spans: async () => jsonLines(await readFile(file, 'utf8')) };
}

test('a provider that a script has registered gets the spans of a run, below TRACEPARENT', async ({ skip }) => {
  if (!traceSdk().isThere) skip(traceSdk().missing);
  const { script, spans } = await tracingScript();
  const answers: FakeAnswers = [
    {
      calls: [
        { name: 'Read', input: { file_path: 'a.txt' }, id: 'toolu_1' },
        { name: 'Bash', input: { command: 'env | grep -c "^OTEL_"' }, id: 'toolu_2' },
      ],
    },
    { text: 'Done.' },
  ];
  const run = await ask(answers, ['--allowed-tools', 'Bash', '--output-format', 'json', '--debug-file', 'x.log'], {
    NODE_OPTIONS: `--import ${script}`,
    OTEL_SERVICE_NAME: 'test',
    OTEL_LOG_TOOL_CONTENT: '1',
    TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({ result: 'Done.' });
  const all = await spans();
  expect(all.map(({ name }) => name).toSorted()).toEqual([
    'chat test',
    'chat test',
    'execute_tool Bash',
    'execute_tool Read',
    'invoke_agent helve',
  ]);
  expect(all.find(({ name }) => name === 'invoke_agent helve')).toMatchObject({ parent: 'b7ad6b7169203331' });
  expect(all.find(({ name }) => name === 'chat test')?.['attributes']).toMatchObject({
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'test',
    'gen_ai.response.finish_reasons': ['tool_use'],
  });
  // The command was given none of the variables that steer tracing.
  expect(all.find(({ name }) => name === 'execute_tool Bash')?.['attributes']).toMatchObject({
    'gen_ai.tool.call.result': expect.stringMatching(/^0\n/),
  });
});

test('says that nothing is traced if no provider is registered', async () => {
  const run = await ask([{ text: 'Done.' }], [], { OTEL_SERVICE_NAME: 'test' });
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(run.stderr).toMatch(/^helve: OTEL_\* is set, but no tracer provider is registered .*\n$/);
});

test('the stack of an unexpected error names functions, files and lines of the sources', async () => {
  const preload = join(await emptyFolder(), 'fail.cjs');
  await writeFile(preload, "process.stdout.write = () => { throw new TypeError('defect'); };");
  const { code, stderr } = await runHelve(['tools'], {
    env: { HELVE_DEBUG: '1', NODE_OPTIONS: `--require=${preload}` },
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^helve: TypeError: defect\n/m);
  const [, file = '', line = 0] = /at writeLine \((.+\.ts):(\d+):\d+\)/.exec(stderr) ?? [];
  expect(file).toBe(resolve('src/cli/write-line.ts'));
  const source = (await readFile(file, 'utf8')).split('\n');
  expect(source[Number(line) - 1]).toContain('new Promise');
  expect(stderr).not.toContain('dist');
});
