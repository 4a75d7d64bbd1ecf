import { leftWords } from '../../agent/budget/budget-words.js';
import { shownCost } from '../../agent/store/export-session.js';
import { counted } from '../../platform/text/counted.js';
import { grouped } from '../../platform/text/digits.js';
import { table } from '../../platform/text/table.js';
import type { TerminalCommand } from '../contract.js';
import { fitted } from './answers.js';

export const cost: TerminalCommand = {
  name: 'cost',
  aliases: ['usage'],
  group: 'Model',
  description: 'show tokens, cost and time of this conversation',

  async run(_, { usage, budget }) {
    const { models, costUsd, prompts, killed = 0, modelMs, totalMs } = usage;
    return fitted([
      `Cost ${shownCost(costUsd)}, ${counted(prompts, 'prompt')}`,
      timeLine(totalMs, modelMs),
      ...table(
        models.map(({ provider, name, usage: used, costUsd: own }) => [
          `${provider}/${name}`,
          `${grouped(used.input_tokens)} in`,
          `${grouped(used.cache_read_input_tokens)} from cache`,
          `${grouped(used.output_tokens)} out`,
          shownCost(own),
        ]),
      ),
      ...(killed > 0
        ? [`${counted(killed, 'prompt')} cut off when Helve was killed: the cost of that is not included.`]
        : []),
      ...budget.map((use) => `Budget: ${leftWords(use)}`),
      ...(costUsd === null ? ['The prices of a model are unknown; ~/.helve/models.json can set them.'] : []),
    ]);
  },
};

/** In whole seconds, of which the parts add up. */
function timeLine(totalMs: number, modelMs: number): string {
  const model = Math.min(Math.round(modelMs / 1000), Math.round(totalMs / 1000));
  const other = Math.round(totalMs / 1000) - model;
  const shownOther = other === 0 ? Math.max(0, totalMs - modelMs) : other * 1000;
  return `Time ${shownTime(totalMs)}: ${shownTime(model === 0 ? modelMs : model * 1000)} for the model, ${shownTime(shownOther)} for tools, questions and the rest`;
}

function shownTime(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds === 0 && milliseconds > 0) return '<1 s';
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
