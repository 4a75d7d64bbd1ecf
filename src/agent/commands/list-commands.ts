// The list of commands and skills for the model: a line for each, within a budget.
import { safeCut } from '../../platform/text/truncate.js';
import type { Command } from './command-file.js';

const MAX_LINE_CHARS = 300;
const MAX_ALL_CHARS = 8_000;

export function listedCommands(commands: readonly Command[]): string[] {
  const lines = commands.map((command) => ({ long: lineOf(command), short: `- ${nameOf(command)}` }));
  let left = MAX_ALL_CHARS - lines.reduce((sum, { short }) => sum + short.length + 1, 0);
  const shown: string[] = [];
  let size = 0;
  for (const { long, short } of lines) {
    const more = long.length - short.length;
    const line = more <= left ? long : short;
    left -= line === long ? more : 0;
    size += line.length + 1;
    if (size > MAX_ALL_CHARS) break;
    shown.push(line);
  }
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `(${rest} more, each to be called by its name)`] : shown;
}

const nameOf = ({ kind, name }: Command): string => (kind === 'command' ? `/${name}` : name);

function lineOf(command: Command): string {
  const hint = command.argumentHint === undefined ? '' : ` ${command.argumentHint}`;
  const line = `- ${nameOf(command)}${hint}: ${command.description}`.replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, safeCut(line, MAX_LINE_CHARS))}…`;
}
