// The risks of running a program, by the tables of risky commands.
import type { CommandEffect } from '../../contract/effect.js';
import { findProgram } from '../../platform/shell/programs/index.js';
import { neverFree } from '../../platform/shell/programs/never-free.js';
import { type CommandLine, commandLine } from './command-line.js';
import { innerCommands } from './inner-commands.js';
import type { CommandRisk } from './programs/form.js';
import { type Forms, formsOf, innerPrograms, riskyPrograms } from './programs/index.js';
import type { ReachingRisk } from './reach.js';
import { readingsOf } from './readings.js';
import { shortened } from './short-text.js';
import { variableRisk } from './variable-risks.js';

export function commandRisks(command: CommandEffect, index: number): ReachingRisk[] {
  const line = commandLine(command);
  if (!line || command.harmless) return [];
  const about = { effects: [index], part: command.text };
  const variables = variableRisk(command);
  const own = formRisk(line, riskyPrograms);
  const inner = innerRisks(line);
  const found = [...optional(variables), ...optional(own), ...inner];
  if (found.length > 0) return found.map((risk) => ({ undoable: false, ...risk, ...about }));
  const [written = ''] = command.argv ?? [];
  const isKnown = formsOf(line, riskyPrograms) !== undefined || written.includes('/');
  if (isKnown || findProgram(line.name) !== undefined || neverFree(line.name) !== undefined) return [];
  const text = `runs ${line.name}, a program that Helve does not know`;
  return [{ kind: 'unknown', level: 'notable', undoable: false, text, ...about }];
}

function formRisk(line: CommandLine, programs: Forms): CommandRisk | undefined {
  const forms = formsOf(line, programs);
  if (!forms) return undefined;
  const found = readingsOf(line).flatMap((reading) => {
    const operands = reading.operands.join(' ');
    const form = forms.find(
      ({ on, when }) => (on === undefined || on.test(operands)) && (when === undefined || when(reading)),
    );
    return optional(form?.risk(reading));
  });
  return found.find(({ level }) => level === 'high') ?? found[0];
}

const MAX_DEPTH = 4; // npx in a container in a script

/** The risks of the commands that a program runs for its caller. */
function innerRisks(line: CommandLine, depth = 0): CommandRisk[] {
  if (depth > MAX_DEPTH) return [];
  const { lines, script } = innerCommands(line);
  const found = lines.flatMap((inner) => [
    ...optional(formRisk(inner, riskyPrograms) ?? formRisk(inner, innerPrograms)),
    ...innerRisks(inner, depth + 1),
  ]);
  if (script === undefined) return found;
  const isUnknown = script.includes('…');
  const text = `starts other commands: ${isUnknown ? 'which ones is known only when it runs' : shortened(script)}`;
  return [{ kind: 'unknown', level: isUnknown ? 'high' : 'notable', text }, ...found];
}

const optional = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);
