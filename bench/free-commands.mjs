// How many commands of a collection run without a question: the share of a person's ordinary commands that is free.
//
//   node bench/free-commands.mjs COMMANDS [options]     COMMANDS: a text file, one command per line, or JSON lines
//                                                       {"command", "label"?: "harmless" | …} for labelled ones
//   --walls full|none     passed on to `helve permissions explain`; without it, what this machine has
//   --helve FILE          the command line to ask (default bin/helve.cjs of this checkout, which must be built)
//   --baseline FILE       commands that were free before: names those that now ask, and those that are new
//   --save FILE           write the commands that are free
//   --reasons N           how many reasons for questions to list (default 30)
//   --show                list every harmless labelled command that asks
//
// Collections are not part of the repository. Two that are public: data/bash/all.cm of TellinaTool/nl2bash, one command
// per line; and tldr-pages, whose examples this turns into commands with their placeholders filled:
//
//   node bench/free-commands.mjs --tldr PAGES/common PAGES/linux > commands.txt
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { explainCommands } from './explain-commands.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    walls: { type: 'string' },
    helve: { type: 'string', default: resolve(import.meta.dirname, '../bin/helve.cjs') },
    baseline: { type: 'string' },
    save: { type: 'string' },
    reasons: { type: 'string', default: '30' },
    show: { type: 'boolean', default: false },
    tldr: { type: 'boolean', default: false },
  },
});

if (positionals.length === 0) {
  console.error('free-commands: name a file of commands, one per line. It takes no collection of its own along.');
  process.exit(2);
}
if (options.tldr) {
  console.log([...new Set(positionals.flatMap(tldrCommands))].join('\n'));
} else {
  await report();
}

async function report() {
  const entries = readEntries(positionals[0]);
  const began = performance.now();
  const answers = await explainCommands(
    entries.map(({ command }) => command),
    options,
  );
  const seconds = (performance.now() - began) / 1000;
  const free = entries.filter((_, index) => answers[index]?.decision === 'allow').map(({ command }) => command);
  if (options.save) writeFileSync(options.save, `${free.join('\n')}\n`);

  console.log(`walls ${options.walls ?? 'as on this machine'}`);
  console.log(`free: ${free.length} of ${entries.length} commands (${percent(free.length, entries.length)})`);
  console.log(`judged in ${seconds.toFixed(1)} s`);
  reportLabels(entries, answers);
  if (options.baseline) compare(free, new Set(entries.map(({ command }) => command)));

  console.log('\nreasons for questions');
  const asked = entries.flatMap((entry, index) =>
    answers[index]?.decision === 'allow' ? [] : [{ command: entry.command, reason: kind(answers[index]) }],
  );
  for (const [reason, commands] of grouped(asked).slice(0, Number(options.reasons))) {
    console.log(`${String(commands.length).padStart(7)}  ${reason}    e.g. ${commands[0].slice(0, 80)}`);
  }
}

function reportLabels(entries, answers) {
  const labels = new Set(entries.flatMap(({ label }) => label ?? []));
  for (const label of labels) {
    const of = entries.flatMap((entry, index) => (entry.label === label ? [{ ...entry, ...answers[index] }] : []));
    const asks = of.filter(({ decision }) => decision !== 'allow');
    console.log(`labelled ${label}: ${of.length}, of which ${asks.length} ask`);
    if (!options.show) continue;
    const listed = label === 'harmless' ? asks : of.filter(({ decision }) => decision === 'allow');
    for (const { decision, command, reason } of listed) console.log(`    ${decision}  ${command}    (${reason})`);
  }
}

function compare(free, among) {
  const before = new Set(lines(options.baseline).filter((command) => among.has(command)));
  const now = new Set(free);
  const lost = [...before].filter((command) => !now.has(command));
  const won = free.filter((command) => !before.has(command));
  console.log(`baseline: ${before.size} free; now ${lost.length} of them ask, ${won.length} more are free`);
  for (const command of lost.slice(0, 200)) console.log(`  - ${command}`);
  for (const command of won.slice(0, 50)) console.log(`  + ${command}`);
}

/** A reason without what is particular to one command, so that equal ones can be counted. */
function kind({ reason = 'no reason' }) {
  return reason
    .replace(/"([^\s"]*)(?:[^"]|"(?!$| ))*"?/g, '"$1 …"')
    .replace(/\/\S*/g, '/…')
    .slice(0, 100);
}

function grouped(asked) {
  const groups = new Map();
  for (const { command, reason } of asked) groups.set(reason, [...(groups.get(reason) ?? []), command]);
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

function readEntries(file) {
  return lines(file).map((line) => (file.endsWith('.jsonl') ? JSON.parse(line) : { command: line }));
}

function lines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** The examples of a folder of tldr pages, each with its short and with its long options. */
function tldrCommands(folder) {
  return readdirSync(folder).flatMap((page) =>
    lines(join(folder, page)).flatMap((line) => {
      const example = /^`(.+)`$/.exec(line)?.[1];
      return example === undefined ? [] : [fill(example, '$1'), fill(example, '$2')];
    }),
  );
}

function fill(example, form) {
  return example.replace(/\{\{\[([^\]|]*)\|([^\]]*)\]\}\}/g, form).replace(/\{\{(.*?)\}\}/g, (_, text) => {
    const value = text.replace(/ \.\.\.$/, '').replace(/\[([^\]|]*)\|[^\]]*\]/g, '$1');
    return /^[^ "']*\|/.test(value) ? value.split('|')[0] : value;
  });
}

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
