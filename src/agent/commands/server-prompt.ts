import { ToolFailure } from '../../contract/failure.js';
import type { ServerPrompt } from '../../mcp/client/listed-offers.js';
import { splitWords } from './arguments.js';

/** Assigns the typed words to the arguments of the prompt; the last argument gets all remaining words. */
export function promptArguments(prompt: ServerPrompt, typed: string): Record<string, string> {
  const words = splitWords(typed);
  const last = prompt.arguments.length - 1;
  const given = prompt.arguments.flatMap(({ name }, index): Array<[string, string]> => {
    const value = index === last ? words.slice(index).join(' ') : words[index];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  const missing = prompt.arguments.slice(given.length).filter(({ required }) => required);
  if (missing.length === 0) return Object.fromEntries(given);
  const usage = prompt.arguments.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ');
  throw new ToolFailure(`/${prompt.command} needs ${missing.map(({ name }) => `"${name}"`).join(' and ')}.`, {
    advice: `Write /${prompt.command} ${usage}`,
  });
}
