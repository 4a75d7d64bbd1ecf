import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type FakeAnswers, startFakeModelServer } from '../src/testing/index.js';
import { vendorSdk } from './vendor-types.js';

const examples = readdirSync('examples').filter((name) => name.endsWith('.mjs'));

/** What shows that an example did what it is there to show. */
const said: Readonly<Record<string, string>> = {
  'anthropic-sdk.mjs': 'two handle\n []',
  'can-use-tool.mjs': '"Which language?"="German"',
  'custom-tool.mjs': 'WordCount: The text has 4 words.',
  'hooks-in-a-program.mjs': "Done, and the tests pass. [ 'Write' ]",
  'mcp-offer.mjs': "21 degrees in the cellar { place: 'cellar', degrees: 21 }",
  'mcp-server-in-a-program.mjs': 'It is sunny in Lima.',
  'multi-turn-session.mjs': 'true 6\nfalse 8 6',
  'openai-sdk.mjs': 'One handle.\nStill one handle.\n[]',
  'own-loop.mjs': 'call_3 failed\ntwo handle',
  'structured-output.mjs': 'Ada was born in 1815. It took 3 turns.\nrefused',
  'two-agents.mjs': "[ 'writer: 0 denied, x', 'reader: 1 denied, nothing' ]",
  'worktrees.mjs': 'left merged \nright merged \nother kept it conflicts with the project in left.txt',
  'vercel-ai-sdk.mjs': 'Bash refused\nI may not delete it. []',
};

/** Examples that import the client of a vendor. */
const clients: Readonly<Record<string, string>> = {
  'anthropic-sdk.mjs': '@anthropic-ai/sdk',
  'openai-sdk.mjs': 'openai',
  'vercel-ai-sdk.mjs': '@ai-sdk/anthropic',
};

test.concurrent.for(examples)('examples/%s runs', async (name, { expect, skip }) => {
  const client = vendorSdk(clients[name] ?? '');
  if (!client.isThere && Object.hasOwn(clients, name)) skip(client.missing);
  const program = Object.hasOwn(clients, name) ? await besideClients(name) : `examples/${name}`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  expect(stderr).toBe('');
  expect(stdout).not.toBe('');
  expect(stdout).toContain(said[name] ?? '');
});

/** A copy of an example, in a project that has installed Helve and the clients of vendors. */
async function besideClients(name: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'helve-example-'));
  await cp(join('examples', name), join(place, name));
  await mkdir(join(place, 'node_modules/@ai-sdk'), { recursive: true });
  await mkdir(join(place, 'node_modules/@anthropic-ai'));
  await symlink(resolve('.'), join(place, 'node_modules/helve'));
  for (const client of ['@ai-sdk/anthropic', '@anthropic-ai/sdk', 'ai', 'openai']) {
    await symlink(vendorSdk(client).path, join(place, 'node_modules', client));
  }
  return join(place, name);
}

test('the README shows the example unchanged', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(readFileSync('examples/custom-tool.mjs', 'utf8').trim());
});

const guided = readdirSync('examples').filter((name) => existsSync(join('examples', name, 'run.sh')));

test.concurrent.each(guided)(
  'the commands of examples/%s print the expected output, and its guide shows them',
  async (name) => {
    const folder = join('examples', name);
    const place = await copyOf(folder);
    const { output, code } = await place.run('run.sh');
    const wanted = linesOf(join(folder, 'output.txt'));
    expect({ output, code, found: foundInOrder(output, wanted) }).toEqual({ output, code: 0, found: wanted });
    const guide = readFileSync(join('docs/guides', `${name}.md`), 'utf8');
    const commands = linesOf(join(folder, 'run.sh')).map((line) => line.replace(/ \|\| .*$/, ''));
    expect(commands.filter((command) => !guide.includes(command))).toEqual([]);
  },
);

test('the steps of the workflow for CI run, and fail where the review found something', async () => {
  const place = await copyOf('examples/run-in-ci');
  const git = (...words: string[]) => promisify(execFile)('git', words, { cwd: place.root, env: place.env });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'x');
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  const problems = [{ file: 'a.js', what: 'It divides by zero.' }];
  const review = { calls: [{ name: 'StructuredOutput', input: { problems } }] };
  const server = await startFakeModelServer([review, { text: 'Done.' }]);
  const workflow: Workflow = parse(readFileSync('examples/run-in-ci/workflow.yml', 'utf8'));
  const runs = [];
  for (const { name = '', run } of workflow.jobs.review.steps) {
    if (run === undefined || name.startsWith('Install')) continue;
    await writeFile(join(place.root, 'step.sh'), `set -eo pipefail\n${run}`); // as the runner does
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'x', HELVE_MODEL: 'sonnet' };
    runs.push({ name, ...(await place.run('step.sh', env)) });
  }
  await server.close();
  expect(runs.map(({ name, code }) => [name, code])).toEqual([
    ['Review the change', 0],
    ['Fail if something must be fixed', 1],
  ]);
  expect(runs.at(-1)?.output).toMatch(/^::error file=a\.js::It divides by zero\.\n1 problems, [\d.]+ US dollars\n$/);
  expect(readFileSync('docs/guides/run-in-ci.md', 'utf8')).toContain(
    readFileSync('examples/run-in-ci/workflow.yml', 'utf8').trim(),
  );
});

test('local models can be used by the names in models.json', async () => {
  const place = await copyOf('examples/connect-a-local-model');
  const file = readFileSync('examples/connect-a-local-model/models.json', 'utf8');
  await mkdir(join(place.home, '.helve'));
  await writeFile(join(place.home, '.helve/models.json'), file);
  const asked = await askedFor(
    () => ({ text: 'Hello.' }),
    async (url) => {
      const names = ['OLLAMA', 'LMSTUDIO', 'LLAMACPP', 'VLLM'];
      const env = Object.fromEntries(names.map((name) => [`${name}_BASE_URL`, `${url}/v1`]));
      const models = ['', ' --model lmstudio/devstral', ' --model quick', ' --model vllm/qwen3-coder'];
      await writeFile(join(place.root, 'run.sh'), models.map((model) => `helve -p "Say hello."${model}`).join('\n'));
      expect(await place.run('run.sh', env)).toEqual({ output: 'Hello.\n'.repeat(4), code: 0 });
    },
  );
  expect(asked.map(({ path, body }) => [path, body.model])).toEqual(
    ['qwen3', 'devstral', 'gemma', 'qwen3-coder'].map((model) => ['/v1/chat/completions', model]),
  );
  expect(readFileSync('docs/guides/connect-a-local-model.md', 'utf8')).toContain(file.trim());
});

test.concurrent.each([
  { from: 'claude-code', words: ['make test', 'Use tabs.'] },
  { from: 'opencode', words: ['npm test', 'Commits are in the imperative.'] },
  { from: 'gemini-cli', words: ['npm test'] },
])('instructions that were written for $from reach the model', async ({ from, words }) => {
  const place = await copyOf(`examples/move-from-${from}`);
  await writeFile(join(place.root, 'run.sh'), 'helve -p "Hello." --model anthropic/claude-sonnet-4-5');
  const [request] = await askedFor([{ text: 'Hello.' }], async (url) => {
    expect(await place.run('run.sh', { ANTHROPIC_BASE_URL: url })).toMatchObject({ code: 0 });
  });
  expect(words.filter((word) => !JSON.stringify(request?.body.system).includes(word))).toEqual([]);
});

interface Workflow {
  jobs: { review: { steps: ReadonlyArray<{ name?: string; run?: string }> } };
}

/** A copy of an example, with a home of its own, in which `helve` is what was built. */
async function copyOf(folder: string) {
  const place = await mkdtemp(join(tmpdir(), 'helve-example-'));
  const [root, home, bin] = ['project', 'home', 'bin'].map((name) => join(place, name)) as [string, string, string]; // three of three
  await cp(folder, root, { recursive: true });
  await mkdir(home);
  await mkdir(bin);
  await writeFile(join(bin, 'helve'), `#!/bin/sh\nexec "${process.execPath}" "${resolve('bin/helve.cjs')}" "$@"\n`);
  await chmod(join(bin, 'helve'), 0o755);
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(delimiter);
  const isScripted = existsSync(join(folder, 'answers.json'));
  const env: Record<string, string> = { PATH: path, HOME: home, TMPDIR: tmpdir() };
  if (isScripted) env['HELVE_MODEL'] = 'scripted/answers.json';
  return {
    root,
    home,
    env,
    async run(
      script: string,
      more: Readonly<Record<string, string>> = {},
    ): Promise<{ output: string; code: number | null }> {
      const child = spawn('bash', ['-e', script], {
        cwd: root,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      return await new Promise((done) => child.once('close', (code) => done({ output, code })));
    },
  };
}

/** What a model server is asked meanwhile. */
async function askedFor(answers: FakeAnswers, work: (url: string) => Promise<void>) {
  const server = await startFakeModelServer(answers);
  try {
    await work(server.url);
    expect(server.refused).toEqual([]);
    return server.requests;
  } finally {
    await server.close();
  }
}

const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Those of the texts that the output has, each behind the one before. */
function foundInOrder(output: string, texts: readonly string[]): string[] {
  let at = 0;
  return texts.filter((text) => {
    const next = output.indexOf(text, at);
    if (next >= 0) at = next + text.length;
    return next >= 0;
  });
}
