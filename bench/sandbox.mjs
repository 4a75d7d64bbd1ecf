// Measures what the sandbox adds to a command: from the start of `bash -c true` to its end, bare and sandboxed, alternating
// in one run. "wrap" is Helve's own part: checking the paths of the policy before, and removing placeholders after. Then
// the same as a call of the Bash tool, also with denied files and with an allowed host.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from './bundle-source.mjs';

const RUNS = 50;
const { chooseSandbox } = await importSource('src/platform/sandbox/choose.ts');
const { protectedPaths, secretPaths } = await importSource('src/platform/sandbox/sensitive-paths.ts');
const { temporaryProject } = await importSource('src/testing/temporary-project.ts');
const { bashTool } = await importSource('src/tools/bash/bash.ts');

const sandbox = await chooseSandbox({ env: process.env, workspace: [] });
console.log(`### Sandbox (Node ${process.versions.node}, median and least of ${RUNS} runs)\n`);
if (sandbox.kind === 'none') {
  console.log(sandbox.why);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), 'helve-bench-'));
try {
  const [root, temp] = [join(folder, 'project'), join(folder, 'temp')];
  for (const path of [root, temp, join(root, '.git/hooks')]) await mkdir(path, { recursive: true });
  const home = homedir();
  const walls = { workspace: [root], writable: [], hidden: [], readOnly: [], network: 'off', temp, home };
  const full = { ...walls, hidden: secretPaths(home, join(home, '.helve')), readOnly: protectedPaths([root], home) };
  const command = { program: 'bash', args: ['--noprofile', '--norc', '-c', 'true'], cwd: root, env: process.env };
  const rows = {
    'bare bash -c': () => run({ ...command, descriptors: [] }),
    'walls alone': () => runWrapped(walls),
    'walls alone, network on': () => runWrapped({ ...walls, network: 'on' }),
    'walls, secrets hidden, protected paths held': () => runWrapped(full),
  };
  const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
  for (let turn = 0; turn < RUNS; turn += 1) for (const name in rows) times[name].push(await rows[name]());
  const bare = median(times['bare bash -c'].map(({ all }) => all));
  const leastBare = Math.min(...times['bare bash -c'].map(({ all }) => all));
  const mounts = (await prepared(full, async ({ args }) => args)).filter(
    (word) => /bind|tmpfs|proc|dev$/.test(word) && word.startsWith('--'),
  );
  console.log('| | ms | over bare | of that wrap | least ms | over bare |\n|---|--:|--:|--:|--:|--:|');
  for (const [name, measured] of Object.entries(times)) {
    const all = median(measured.map((one) => one.all));
    const least = Math.min(...measured.map((one) => one.all));
    const own = median(measured.map((one) => one.own));
    console.log(
      `| ${name} | ${all.toFixed(1)} | ${(all - bare).toFixed(1)} | ${own.toFixed(1)} | ${least.toFixed(1)} | ${(least - leastBare).toFixed(1)} |`,
    );
  }
  console.log(`\n${sandbox.why}; ${mounts.length} mounts with everything.\n`);
  await reportCalls();

  async function runWrapped(policy) {
    const started = performance.now();
    const { own } = await prepared(policy, run);
    const all = performance.now() - started;
    return { all, own: all - own };
  }

  async function prepared(policy, use) {
    const wrapped = await sandbox.wrap({ ...command, freeDescriptor: 3 }, policy);
    try {
      const result = await use(wrapped);
      return Array.isArray(result) ? result : { own: result.all };
    } finally {
      await wrapped.ended();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** `true` as a call of the Bash tool. */
async function reportCalls() {
  const wish = { network: 'off', allowWrite: [], denyWrite: [], denyRead: [], failIfUnavailable: true };
  const hosts = { allowed: ['example.com'], denied: [] };
  const files = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`d${index % 200}/e${index}/f.txt`, '']),
  );
  const projects = {
    bare: await temporaryProject({}),
    sandboxed: await temporaryProject({}, { sandbox: wish }),
    hosts: await temporaryProject({}, { sandbox: { ...wish, network: hosts } }),
    denied: await temporaryProject(
      { ...files, '.env': '' },
      { sandbox: wish, permissions: { deny: ['Read(**/.env*)'] } },
    ),
  };
  const rows = {
    'bare bash -c': { call: () => run({ ...bare(), descriptors: [] }) },
    'no sandbox, a shell is ready': { project: projects.bare, isReady: true },
    'no sandbox, no shell is ready': { project: projects.bare },
    'sandbox, a shell is ready': { project: projects.sandboxed, isReady: true },
    'sandbox, no shell is ready': { project: projects.sandboxed },
    'sandbox, files denied among 2,201 folders, a shell is ready': { project: projects.denied, isReady: true },
    'sandbox, one host allowed, a shell is ready': { project: projects.hosts, isReady: true },
    'sandbox, one host allowed, no shell is ready': { project: projects.hosts },
  };
  try {
    const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
    for (let turn = 0; turn < RUNS; turn += 1) {
      for (const [name, { project, isReady, call }] of Object.entries(rows)) {
        if (isReady) await bashTool.preload(project.engine.session);
        if (isReady) await new Promise((resolve) => setTimeout(resolve, 20)); // a model takes longer to ask for a command
        const started = performance.now();
        if (call) await call();
        else {
          const { isError, content } = await project.run(bashTool, { command: 'true' });
          if (isError) throw new Error(String(content));
        }
        times[name].push(performance.now() - started);
      }
    }
    console.log('| `true` | median ms | over bare | least ms | over bare |\n|---|--:|--:|--:|--:|');
    const plain = times['bare bash -c'];
    for (const [name, measured] of Object.entries(times)) {
      const [middle, least] = [median(measured), Math.min(...measured)];
      const over = [middle - median(plain), least - Math.min(...plain)].map((ms) => ms.toFixed(1));
      console.log(`| ${name} | ${middle.toFixed(1)} | ${over[0]} | ${least.toFixed(1)} | ${over[1]} |`);
    }
  } finally {
    for (const project of Object.values(projects)) await project.remove();
  }
}

function bare() {
  return { program: 'bash', args: ['--noprofile', '--norc', '-c', 'true'], cwd: tmpdir(), env: process.env };
}

async function run({ program, args, cwd, env, descriptors, started: onStarted }) {
  const started = performance.now();
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit', ...descriptors] });
  onStarted?.();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} exited with ${code}.`);
  return { all: performance.now() - started, own: 0 };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
