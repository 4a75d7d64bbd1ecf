// Draws the risks and effects of a call, the risks first.
import type { PermissionQuestion, Risk } from '../../contract/permission.js';
import { effectWords, riskMarks, riskWords } from '../../display/question-words.js';
import type { Places } from '../../permissions/risks/place-words.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, wrap } from '../views/fit.js';

const MAX_QUOTED = 60; // columns

/** `quotesParts`: each risk is followed by the part of the command that it comes from. */
export function riskLines(theme: Theme, risks: readonly Risk[], width: number, { quotesParts = false } = {}): string[] {
  const { paint } = theme;
  return risks.flatMap((risk) => {
    const { level, part } = risk;
    const painted = level === 'high' ? paint.failure : paint.warning;
    const quote = quotesParts && part !== undefined ? cut(cleanLine(part), MAX_QUOTED) : undefined;
    const lines = wrap(`${riskMarks[level]} ${cleanLine(riskWords(risk, quote))}`, width, '  ');
    return lines.map((line) => painted(line));
  });
}

export function effectLines(theme: Theme, question: PermissionQuestion, places: Places, width: number): string[] {
  const { paint } = theme;
  return effectWords(question, places).flatMap(({ verb, text }) => {
    if (verb === undefined) return wrap(cleanLine(text), width, '  ').map(paint.muted);
    const [first = '', ...rest] = wrap(`${verb} ${cleanLine(text)}`, width, '  ');
    return [`${paint.warning(first.slice(0, verb.length))}${first.slice(verb.length)}`, ...rest];
  });
}
