// Of the commands that a model really sent: how many Helve understands, and how many that only read it asks about.
// By hand, after a build:
//
//   node bench/harness/commands.mjs CLONE [--walls full|none] [--show]
//
// CLONE is a clone of gruckion/mini-swe-agent (MIT), whose swebench_results/ has 500 trajectories of one model on
// SWE-bench Verified, with one command in a bash block in each message.
import { parseArgs } from 'node:util';
import { explainCommands } from '../explain-commands.mjs';
import { openClone } from './clone.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { walls: { type: 'string', default: 'none' }, show: { type: 'boolean', default: false } },
});
const [path] = positionals;
if (path === undefined) {
  console.error('Name a clone of gruckion/mini-swe-agent: node bench/harness/commands.mjs CLONE');
  process.exit(2);
}

// Programs that only read, in any form that this file lets through: no redirection, substitution or background.
const READERS = new Set(
  'basename cat cd cut date diff dirname du echo egrep fgrep file grep head id less ls nl printf pwd realpath sort stat tail tr tree uname uniq wc which whoami'.split(
    ' ',
  ),
);
const GIT_READERS = new Set(['blame', 'diff', 'grep', 'log', 'ls-files', 'rev-parse', 'show', 'status']);

const clone = openClone(path);
const trajectories = clone.files.filter((file) => /^swebench_results\/.*\.traj\.json$/.test(file));
const sent = [];
for await (const { text } of clone.texts(trajectories)) {
  if (text === undefined) continue;
  for (const { role, content } of JSON.parse(text).messages ?? []) {
    if (role !== 'assistant' || typeof content !== 'string') continue;
    const blocks = [...content.matchAll(/```bash\s*\n(.*?)\n```/gs)];
    if (blocks.length === 1) sent.push(blocks[0][1].trim());
  }
}
const commands = [...new Set(sent)];
const startedAt = performance.now();
const answers = await explainCommands(commands, { walls: options.walls, projectAt: '/testbed' });
const ms = performance.now() - startedAt;

const entries = commands.map((command, index) => ({ command, ...answers[index] }));
const unknown = entries.filter(({ effects }) => effects.some(({ kind }) => kind === 'unknown'));
const readers = entries.filter(({ command }) => onlyReads(command));
const askedReaders = readers.filter(({ decision }) => decision !== 'allow');
const outside = askedReaders.filter(({ reason }) => / is outside the project$/.test(reason));
// By what Helve itself knows of them: they only read, and it asks all the same.
const unconfined = entries.filter(({ decision, effects }) => decision !== 'allow' && effects.every(isReading));
const others = unconfined.filter((entry) => !askedReaders.includes(entry));

console.log(`gruckion/mini-swe-agent ${clone.commit.slice(0, 12)} (${clone.licence}), walls ${options.walls}`);
console.log(`${trajectories.length} trajectories, ${sent.length} commands, ${commands.length} different ones`);
console.log(`understood: ${commands.length - unknown.length} (${percent(commands.length - unknown.length)})`);
console.log(`without a question: ${entries.filter(({ decision }) => decision === 'allow').length}`);
console.log(
  `only read: ${readers.length}, of which ${askedReaders.length} ask; ${outside.length} of these read outside the project`,
);
console.log(`others that only read, by what Helve knows of them, and ask: ${others.length}`);
console.log(`${(ms / commands.length).toFixed(2)} ms for each command, start of the process included`);
if (options.show) {
  for (const { command, effects } of unknown) {
    console.log(`unknown: ${oneLine(command)}    (${effects.find(({ kind }) => kind === 'unknown').why})`);
  }
  for (const { command, reason } of askedReaders) console.log(`asked: ${oneLine(command)}    (${reason})`);
  for (const { command, reason } of others) console.log(`other: ${oneLine(command)}    (${reason})`);
}

function isReading({ kind, harmless, access }) {
  return kind === 'command' ? harmless : kind === 'file' ? access === 'read' : kind === 'session';
}

/** Whether each part of the line is a program that only reads, with words that the shell does not compute. */
function onlyReads(command) {
  const parts = splitLine(command);
  return parts?.every(([program, ...words]) => {
    if (READERS.has(program))
      return !(program === 'sort' && words.some((word) => word.startsWith('-o') || word.startsWith('--output')));
    if (program === 'git') return GIT_READERS.has(words[0]) && !words.some((word) => word.startsWith('--output'));
    if (program === 'find') return !words.some((word) => /^-(exec|execdir|ok|okdir|delete|fprint\w*|fls)$/.test(word));
    if (program === 'sed')
      return (
        words[0] === '-n' && /^['"]?[\d,$]+p['"]?$/.test(words[1] ?? '') && !words.some((word) => /^-.*i/.test(word))
      );
    return false;
  });
}

/** The words of each simple command; undefined for a line with more than quotes, pipes, && and ;. */
function splitLine(line) {
  const parts = [[]];
  const tokens = line.matchAll(/\s+|&&|\|\||[|;]|'[^']*'|"[^"$`\\]*"|[^\s'"|;&<>$`(){}\\#*?[\]~!]+|[*?]|./gsu);
  for (const [token] of tokens) {
    if (/^\s+$/.test(token)) {
      if (token.includes('\n')) return undefined;
      if (parts.at(-1).at(-1) !== '') parts.at(-1).push('');
    } else if (['&&', '||', '|', ';'].includes(token)) parts.push(['']);
    else if (/^['"]/.test(token) && token.length > 1) addTo(parts.at(-1), token.slice(1, -1));
    else if (/^[<>$`(){}\\#[\]~!&'"]$/.test(token)) return undefined;
    else addTo(parts.at(-1), token);
  }
  const words = parts.map((part) => part.filter((word) => word !== ''));
  return words.every(({ length }) => length > 0) ? words : undefined;
}

function addTo(words, text) {
  if (words.length === 0) words.push('');
  words[words.length - 1] += text;
}

function percent(part) {
  return `${((100 * part) / commands.length).toFixed(2)} %`;
}

function oneLine(command) {
  const line = command.replaceAll(/\s+/g, ' ');
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
