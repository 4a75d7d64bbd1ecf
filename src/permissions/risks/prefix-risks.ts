// Whether a rule for the first words of a command would cover more than a person agrees to: forms of the command that
// are a high risk, whatever the form in question is.
import { type CommandLine, lineOf } from './command-line.js';
import { innerPrefix } from './inner-commands.js';
import { beginningOf } from './partial-match.js';
import type { RiskyForm } from './programs/form.js';
import { type Forms, formsOf, innerPrograms, riskyPrograms } from './programs/index.js';
import { readingsOf } from './readings.js';

/** Whether a command that begins with these words can be a high risk by the tables of risky commands. */
export const coversHighRisk = (words: readonly string[]): boolean => covers(words, [riskyPrograms]);

function covers(words: readonly string[], tables: readonly Forms[]): boolean {
  const line = lineOf(words);
  if (!line) return true;
  const isRisky = readingsOf(line).some((reading) =>
    tables.some((table) => reaches(formsOf(reading, table) ?? [], reading)),
  );
  if (isRisky) return true;
  const inner = innerPrefix(line);
  return inner !== undefined && covers(inner, [riskyPrograms, innerPrograms]);
}

/** In the order of the table: a form that fits whatever follows hides those after it. */
function reaches(forms: readonly RiskyForm[], line: CommandLine): boolean {
  const operands = line.operands.join(' ');
  const next = operands === '' ? '' : `${operands} `;
  for (const { on, when, leads, worst, risk } of forms) {
    if (leads && operands !== '') continue;
    if (on && !beginningOf(on).test(next) && !on.test(operands)) continue;
    const level = worst ?? risk(line)?.level;
    if (level === 'high') return true;
    if (!when && (!on || (on.source.startsWith('^') && on.test(operands) && on.test(`${operands} x`)))) return false;
  }
  return false;
}
