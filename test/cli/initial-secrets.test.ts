import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

const onLinux = test.runIf(process.platform === 'linux');

/** Prints the environment and the arguments of every process between the command and this test. */
const showAncestors = `p=$$; while [ "$p" -gt 1 ] && [ "$p" != ${process.pid} ]; do
  for f in environ cmdline; do echo "== $f"; tr '\\0' '\\n' < /proc/$p/$f; echo; done
  p=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$p/status)
done`;

const bash = async (command: string, env: Record<string, string>, args: readonly string[] = []): Promise<string> => {
  const input = JSON.stringify({ command });
  const options = { cwd: await emptyFolder(), env };
  const run = await runHelve(['call', 'Bash', input, '--permission-mode', 'bypassPermissions', ...args], options);
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout).content;
};

onLinux('a command finds no key of a provider in the environment of helve, by whatever name', async () => {
  const home = await emptyFolder();
  const models = { providers: { mine: { wire: 'chat', baseUrl: 'http://127.0.0.1:9', keys: ['ODD_NAME'] } } };
  await writeFile(join(home, 'models.json'), JSON.stringify(models));
  const env = { ANTHROPIC_API_KEY: 'canary-one', ODD_NAME: 'canary-two', HELVE_HOME: home, EMPTY: '', PLAIN: 'grün' };
  const seen = await bash(`echo "<$ANTHROPIC_API_KEY$ODD_NAME|$PLAIN>"; ${showAncestors}`, env);
  expect(seen).toContain('<|grün>');
  expect(seen).toContain('helve.cjs'); // its own process was among them
  expect(seen).toContain('ANTHROPIC_API_KEY=xxxxxxxxxx\n');
  expect(seen).toContain(`HELVE_HOME=${home}\n`);
  expect(seen).not.toContain('canary');
});

onLinux('a command finds no settings that were given as JSON in the arguments of helve', async () => {
  const settings = JSON.stringify({ env: { ANTHROPIC_API_KEY: 'canary-three' } });
  const servers = JSON.stringify({ mcpServers: { a: { command: 'true', env: { TOKEN: 'canary-four' } } } });
  const seen = await bash(showAncestors, {}, ['--settings', settings, `--mcp-config=${servers}`]);
  expect(seen).toMatch(/^--settings\nx+\n--mcp-config=x+$/m);
  expect(seen).not.toContain('canary');
});

onLinux('a run still uses the key that it was started with, and its commands do not find it', async () => {
  const server = await startFakeModelServer([
    { calls: [{ name: 'Bash', input: { command: showAncestors } }] },
    { text: 'done' },
  ]);
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'canary-five' };
    const run = await runHelve(['-p', 'go', '--permission-mode', 'bypassPermissions'], { env });
    expect(run).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['canary-five', 'canary-five']);
    const sent = JSON.stringify(server.requests[1]?.body.messages);
    expect(sent).toContain('ANTHROPIC_API_KEY=xxx');
    expect(sent).not.toContain('canary');
  } finally {
    await server.close();
  }
});

onLinux(
  'an environment with bytes that are not UTF-8, odd names, or nothing at all does not keep helve from starting',
  async () => {
    const script = `BYTES=$'\\xff\\xfe' exec env 'A B=1' "$@"`;
    const command = [process.execPath, resolve('bin/helve.cjs'), '--version'];
    expect(execFileSync('bash', ['-c', script, 'bash', ...command], { encoding: 'utf8' })).toMatch(/^helve \d/);
    expect(execFileSync('env', ['-i', ...command], { encoding: 'utf8' })).toMatch(/^helve \d/);
  },
);
