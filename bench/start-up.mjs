// How long the built command line takes to start, beside a bare Node, and to send its first request, without plugins and
// with one. A folder with another build, as the argument, is measured in the same run, in turn with this one.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const RUNS = Number(process.env.RUNS ?? 15);
const other = process.argv[2];
const builds = { here: resolve('bin/helve.cjs'), ...(other && { there: resolve(other, 'bin/helve.cjs') }) };
const folder = mkdtempSync(join(tmpdir(), 'helve-start-up-'));

/** A model that answers every request with one word. */
const arrived = { at: 0 };
const server = createServer((request, response) => {
  arrived.at ||= performance.now();
  request.resume().on('end', () => {
    const events = [
      { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  });
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}`;

function environment(home) {
  mkdirSync(home, { recursive: true });
  const { PATH } = process.env;
  return {
    PATH,
    HOME: home,
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'k',
    HELVE_MODEL: 'claude-test',
  };
}

/** The time until the process ends. */
const whole = (args) => async () => {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}.`);
  return performance.now() - started;
};

/** The time until the first request of a prompt has arrived. */
const firstRequest = (helve, env) => async () => {
  arrived.at = 0;
  const started = performance.now();
  const child = spawn(process.execPath, [helve, '-p', 'hi'], { cwd: folder, env, stdio: 'ignore' });
  const status = await new Promise((done) => child.once('close', done));
  if (status !== 0 || arrived.at === 0) throw new Error(`helve -p exited with ${status}.`);
  return arrived.at - started;
};

/** A small plugin with a command and a skill, added and approved. */
function withPlugin(helve, home) {
  const env = environment(home);
  const plugin = join(folder, 'plugin');
  for (const part of ['.claude-plugin', 'commands', 'skills/report'])
    mkdirSync(join(plugin, part), { recursive: true });
  writeFileSync(join(plugin, '.claude-plugin/plugin.json'), '{"name": "sample"}');
  writeFileSync(join(plugin, 'commands/greet.md'), '---\ndescription: Greets\n---\nGreet.');
  writeFileSync(join(plugin, 'skills/report/SKILL.md'), '---\nname: report\ndescription: Reports\n---\nReport.');
  const { status } = spawnSync(process.execPath, [helve, 'plugin', 'add', plugin, '--yes'], { env, stdio: 'ignore' });
  return status === 0 ? env : undefined; // a build without plugins
}

const cases = { 'node -e 0': { here: whole(['-e', '0']) } };
for (const [build, helve] of Object.entries(builds)) {
  const add = (name, measure) => (cases[name] = { ...cases[name], [build]: measure });
  add('helve --version', whole([helve, '--version']));
  add('helve tools', whole([helve, 'tools']));
  add('helve call Think', whole([helve, 'call', 'Think', '{"thought":"x"}']));
  add('first request, no plugins', firstRequest(helve, environment(join(folder, `home-${build}`))));
  const env = withPlugin(helve, join(folder, `home-plugin-${build}`));
  if (env) add('first request, one plugin', firstRequest(helve, env));
}

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
const names = Object.keys(builds);
console.log(`### Start-up (Node ${process.versions.node}, median of ${RUNS} runs, in turn, ms)\n`);
console.log(`| | ${names.map((name) => (name === 'here' ? 'this build' : other)).join(' | ')} |`);
console.log(`|---|${names.map(() => '--:|').join('')}`);
for (const [name, measures] of Object.entries(cases)) {
  const times = Object.fromEntries(names.map((build) => [build, []]));
  for (let run = -1; run < RUNS; run += 1) {
    for (const build of run % 2 === 0 ? names : names.toReversed()) {
      const time = await measures[build]?.();
      if (time !== undefined && run >= 0) times[build].push(time); // the first run fills caches
    }
  }
  console.log(`| ${name} | ${names.map((build) => median(times[build])?.toFixed(1) ?? '–').join(' | ')} |`);
}
server.close();
rmSync(folder, { recursive: true, force: true });
