import { readJson } from '../platform/parse-json.js';
import { UsageProblem } from './usage-problem.js';

/** The arguments TOOL JSON of a command that takes one call; otherwise a usage error that says what is wrong. */
export function readCallArguments(words: readonly string[], usage: string): { tool: string; input: unknown } {
  const [tool, json, ...more] = words;
  if (tool === undefined) throw new UsageProblem(`The tool and its JSON input are missing. ${usage}`);
  if (json === undefined) throw new UsageProblem(`The JSON input is missing. ${usage}`);
  if (more.length > 0) {
    throw new UsageProblem(`Unexpected argument${more.length === 1 ? '' : 's'}: ${more.join(' ')}. ${usage}`);
  }
  const { value: input, problem } = readJson(json);
  if (problem !== undefined) throw new UsageProblem(`The input of ${tool} is not valid JSON: ${problem}. ${usage}`);
  return { tool, input };
}
