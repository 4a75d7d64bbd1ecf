// What confinement adds to a command that runs without a question, beside a bare `bash -c` in the same run: with a shell
// ready, with none, ten at once, one after the other without a pause, and in a project whose rules deny files. Then how
// many commands of a mixed session had to wait for a new shell.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { importSource } from './bundle-source.mjs';

const RUNS = 40;
const THINKING_MS = 60; // a model takes longer
const { chooseConfiner } = await importSource('src/platform/sandbox/confiner.ts');
const { temporaryProject } = await importSource('src/testing/temporary-project.ts');
const { bashTool } = await importSource('src/tools/bash/bash.ts');

let starts = 0;
const processes = process.getBuiltinModule('node:child_process');
const { spawn: start } = processes;
processes.spawn = (...args) => {
  starts += 1;
  return start(...args);
};

const { confiner, why } = await chooseConfiner({ env: process.env, workspace: [] });
console.log(
  `### Confined commands (Node ${process.versions.node}, ${RUNS} runs, as ${process.getuid?.() === 0 ? 'root' : 'a user'})\n`,
);
if (!confiner) {
  console.log(why);
  process.exit(0);
}
const folders = Object.fromEntries(
  Array.from({ length: 2_000 }, (_, index) => [`d${index % 200}/e${index}/f.txt`, '']),
);
const mode = { permissionMode: 'default' };
const free = await temporaryProject({ 'a.txt': 'text\n' }, mode);
const denying = await temporaryProject(
  { ...folders, '.env': '' },
  { ...mode, permissions: { deny: ['Read(**/.env*)'] } },
);
const allowed = await temporaryProject({ 'a.txt': 'text\n' });

const rows = {
  'bare bash -c true': { bare: 'true' },
  'unconfined, a shell is ready: true': { project: allowed, command: 'true' },
  'confined, a shell is ready: true': { project: free, command: 'true' },
  'confined, no shell is ready: true': { project: free, command: 'true', isEmpty: true },
  'bare bash -c: a short pipe': { bare: 'cat /etc/hostname | sort | head -5' },
  'confined, a shell is ready: a short pipe': { project: free, command: 'cat a.txt | sort | head -5' },
  'confined, files denied among 2,201 folders, a shell is ready: true': { project: denying, command: 'true' },
  'bare bash -c true, ten at once': { bare: 'true', count: 10 },
  'confined, ten at once: true': { project: free, command: 'true', count: 10 },
};

try {
  const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
  for (let turn = 0; turn < RUNS; turn += 1) {
    for (const [name, row] of Object.entries(rows)) times[name].push(await measured(row));
  }
  console.log('| | median ms | least ms |\n|---|--:|--:|');
  for (const [name, all] of Object.entries(times)) {
    console.log(`| ${name} | ${median(all).toFixed(1)} | ${Math.min(...all).toFixed(1)} |`);
  }
  console.log('\n| 100 commands in a project that denies files | had to wait for a new shell |\n|---|--:|');
  for (const [name, disturb] of Object.entries(disturbances())) console.log(`| ${name} | ${await waited(disturb)} % |`);
} finally {
  for (const project of [free, denying, allowed]) await project.remove();
}

async function measured({ bare, project, command, isEmpty, count = 1 }) {
  if (project) {
    await bashTool.preload(project.engine.session);
    await delay(THINKING_MS);
    if (isEmpty) await Promise.all([runIn(project, 'true'), runIn(project, 'true')]); // takes those that are ready
  }
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, () => (project ? runIn(project, command) : runBare(bare))));
  return performance.now() - started;
}

/** What happens between two commands. */
function disturbances() {
  let number = 0;
  return {
    'nothing changes between them': async () => {},
    'a file is written in a folder that can hold no denied one': async () =>
      await denying.write('d1/e1/f.txt', `${++number}`),
    'a file is made in the project before every fourth': async () => {
      number += 1;
      if (number % 4 === 0) await denying.write(`new-${number}.txt`, '');
    },
    'a denied file is replaced before every fourth': async () => {
      number += 1;
      if (number % 4 === 0) await denying.write(`.env.${number}`, '');
    },
  };
}

/** The share of commands that started a shell of their own, by counting the programs that are started meanwhile. */
async function waited(disturb) {
  let late = 0;
  for (let turn = 0; turn < 100; turn += 1) {
    await bashTool.preload(denying.engine.session);
    await disturb();
    const before = starts;
    await runIn(denying, 'true');
    if (starts > before) late += 1;
  }
  return late;
}

async function runIn(project, command) {
  const { isError, content } = await project.run(bashTool, { command });
  if (isError) throw new Error(String(content));
}

async function runBare(command) {
  const child = spawn('bash', ['--noprofile', '--norc', '-c', command], { stdio: 'ignore' });
  await once(child, 'exit');
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
