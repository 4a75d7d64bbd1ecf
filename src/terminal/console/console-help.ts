// Help for the tool console.
import { nearestWords } from '../../platform/text/similar-text.js';
import type { ConsoleTool } from '../contract.js';
import { fieldsOf, optionOf, positionalsOf, usageOf } from './fields.js';
import { findTool } from './parse-call.js';

const MAX_TOOLS = 30; // so that it fits on a screen
const MAX_COLUMNS = 80;

/** `help`: the tools, one line each. `help NAME`: one tool with its parameters. */
export function consoleHelp(wanted: string, tools: readonly ConsoleTool[]): string {
  const name = wanted.trim();
  if (name === '') return listOf(tools);
  const tool = findTool(name, tools);
  if (tool) return pageOf(tool);
  const [nearest] = nearestWords(
    name,
    tools.map((one) => one.name),
  );
  return `There is no tool "${name}". ${nearest === undefined ? 'Type help for the list.' : `Did you mean ${nearest}?`}`;
}

function listOf(tools: readonly ConsoleTool[]): string {
  const shown = tools.slice(0, MAX_TOOLS);
  const width = Math.max(...shown.map(({ name }) => name.length), 0);
  const room = Math.max(20, MAX_COLUMNS - width - 4);
  const lines = shown.map(
    ({ name, about, description }) => `  ${name.padEnd(width)}  ${firstSentence(about ?? description, room)}`,
  );
  const more = tools.length - shown.length;
  return [
    'Tools, each called by its name: Read README.md, Grep TODO --glob "*.ts", Bash npm test',
    ...lines,
    ...(more > 0 ? [`  and ${more} more; Tab completes their names`] : []),
    'help NAME says what a tool takes. /help lists the commands, /quit leaves.',
  ].join('\n');
}

function pageOf(tool: ConsoleTool): string {
  const fields = fieldsOf(tool);
  const positionals = positionalsOf(fields);
  const names = fields.map((field) => (positionals.includes(field) && field.isRequired ? field.name : optionOf(field)));
  const width = Math.max(...names.map((name) => name.length), 0);
  return [
    usageOf(tool),
    ...fields.map(({ description }, index) => `  ${(names[index] ?? '').padEnd(width)}  ${firstLine(description)}`),
    '',
    ...(tool.about ?? tool.description).split('\n').slice(0, 20),
  ].join('\n');
}

/** Short enough that each tool takes one line on most screens. */
const firstSentence = (text: string, room: number): string => {
  const [begun = ''] = /^.*?(?=[.:;](?:\s|$)|$)/m.exec(text) ?? [];
  const open = begun.indexOf('(', begun.lastIndexOf(')') + 1);
  const sentence = open === -1 ? begun : begun.slice(0, open).trimEnd();
  return sentence.length > room ? `${sentence.slice(0, room - 1).replace(/(?<!\W)\W+\w*$/, '')}…` : sentence;
};

const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n', 1);
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
};
