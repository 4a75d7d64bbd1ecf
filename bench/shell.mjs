// Running commands: what a Bash call takes beyond a bare `bash -c`, ten commands side by side, and the memory that a
// command with gigabytes of output costs us. Peak memory comes from a process of its own.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundle-source.mjs';

const RUNS = 50;
const WANTED_BYTES = 5_000_000_000;
const KEPT_FREE_BYTES = 2_000_000_000; // leaves space for other users of the disk

const [bytes] = process.argv.slice(2);
if (bytes === undefined) await report();
else console.log(JSON.stringify(await measureOutput(Number(bytes))));

async function report() {
  const { temporaryProject, bashTool } = await load();
  const project = await temporaryProject();
  try {
    const call = async (command) => {
      const { isError, content } = await project.run(bashTool, { command });
      if (isError) throw new Error(content);
    };
    const rows = {
      'bare bash -c': async () => {
        const child = spawn('bash', ['--noprofile', '--norc', '-c', 'true'], { cwd: project.root, stdio: 'ignore' });
        await once(child, 'exit');
      },
      'Bash, a shell is ready': {
        before: () => bashTool.preload(project.engine.session),
        run: () => call('true'),
      },
      'Bash, none is ready': () => call('true'),
    };
    const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
    for (let turn = 0; turn < RUNS; turn += 1) {
      for (const [name, row] of Object.entries(rows)) {
        await row.before?.();
        const started = performance.now();
        await (row.run ?? row)();
        times[name].push(performance.now() - started);
      }
    }
    console.log(`### Running commands (Node ${process.versions.node}, ${RUNS} runs)\n`);
    console.log('| `true` | median ms | over bare | least ms | over bare |\n|---|--:|--:|--:|--:|');
    const bare = times['bare bash -c'];
    for (const [name, measured] of Object.entries(times)) {
      const [middle, least] = [median(measured), Math.min(...measured)];
      const over = [middle - median(bare), least - Math.min(...bare)].map((ms) => ms.toFixed(1));
      console.log(`| ${name} | ${middle.toFixed(1)} | ${over[0]} | ${least.toFixed(1)} | ${over[1]} |`);
    }
    await reportTen(project, bashTool);
  } finally {
    await project.remove();
  }
  reportOutput();
}

/** Ten commands that take half a second each. Their effects are not asked about: it is the running that is measured. */
async function reportTen({ engine }, bashTool) {
  const run = async (_, number) => {
    const { call } = bashTool.accept({ command: 'sleep 0.5; echo done' });
    const running = call.run(engine.contextFor(`ten_${number}`, new AbortController().signal));
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value.content;
    }
  };
  const started = performance.now();
  const contents = await Promise.all(Array.from({ length: 10 }, run));
  if (contents.some((content) => content !== 'done')) throw new Error(`Not all are done: ${contents}`);
  console.log(`\nTen commands of 500 ms side by side: ${(performance.now() - started).toFixed(0)} ms.`);
}

function reportOutput() {
  const { bavail, bsize } = statfsSync(tmpdir());
  const wanted = Math.min(WANTED_BYTES, Math.max(bavail * bsize - KEPT_FREE_BYTES, 1_000_000));
  const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(wanted)]);
  const { ms, startMB, peakMB } = JSON.parse(output.toString());
  const gigabytes = (wanted / 1e9).toFixed(1);
  console.log(
    `${gigabytes} GB of output, kept whole on disk: ${(ms / 1000).toFixed(1)} s, peak RSS ${peakMB.toFixed(0)} MB (${startMB.toFixed(0)} MB before).`,
  );
}

async function measureOutput(wanted) {
  const { temporaryProject, bashTool } = await load();
  const project = await temporaryProject({}, { env: { ...process.env, HELVE_MAX_OUTPUT: '6G' } });
  try {
    const startMB = process.resourceUsage().maxRSS / 1024;
    const started = performance.now();
    const command = `yes 'a line of text' | head -c ${wanted}`;
    const { content, isError } = await project.run(bashTool, { command, timeout: 600_000 });
    const ms = performance.now() - started;
    if (isError || !content.includes('characters are left out')) throw new Error(content.slice(0, 500));
    return { ms, startMB, peakMB: process.resourceUsage().maxRSS / 1024 };
  } finally {
    await project.remove();
  }
}

async function load() {
  const { temporaryProject } = await importSource('src/testing/temporary-project.ts');
  const { bashTool } = await importSource('src/tools/bash/bash.ts');
  return { temporaryProject, bashTool };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
