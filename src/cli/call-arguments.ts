import { readJson } from '../platform/parse-json.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { fieldsOf, positionalsOf, takesRest } from '../terminal/console/fields.js';
import { findTool, parseCall } from '../terminal/console/parse-call.js';
import { quoted } from '../terminal/console/words.js';
import { builtInTools } from '../tools/index.js';
import { UsageProblem } from './usage-problem.js';

/** The arguments of a command that takes one call: TOOL JSON, or TOOL and plain words as at the terminal. */
export function readCallArguments(given: readonly string[], usage: string): { tool: string; input: unknown } {
  const [tool, first, ...more] = given;
  if (tool === undefined) throw new UsageProblem(`The tool and its input are missing. ${usage}`);
  if (first === undefined || !/^\s*[[{]/.test(first)) return readWords(tool, given.slice(1), usage);
  if (more.length > 0) {
    throw new UsageProblem(`Unexpected argument${more.length === 1 ? '' : 's'}: ${more.join(' ')}. ${usage}`);
  }
  const { value: input, problem } = readJson(first);
  if (problem !== undefined) throw new UsageProblem(`The input of ${tool} is not valid JSON: ${problem}. ${usage}`);
  return { tool, input };
}

function readWords(name: string, words: readonly string[], usage: string): { tool: string; input: unknown } {
  const tools = builtInTools().map((tool) => ({ name: tool.name, description: '', inputSchema: tool.inputSchema }));
  const tool = findTool(name, tools);
  if (!tool) {
    const [nearest] = nearestWords(
      name,
      tools.map((known) => known.name),
    );
    const isCommand = /\s/.test(name) && words.length === 0;
    const meant = isCommand
      ? ` For a command, put the tool before it: Bash ${quoted(name)}.`
      : nearest === undefined
        ? ''
        : ` Did you mean ${nearest}?`;
    throw new UsageProblem(
      `There is no built-in tool "${name}".${meant} The input of other tools must be JSON. ${usage}`,
    );
  }
  // The shell has removed the quotes around the words. The text of a command keeps its own.
  const isCommand = takesRest(positionalsOf(fieldsOf(tool))[0]);
  const line = isCommand ? words.join(' ') : words.map((word) => (isOption(word) ? word : quoted(word))).join(' ');
  const call = parseCall(`${tool.name} ${line}`, tools);
  if ('problem' in call) throw new UsageProblem(call.problem);
  return call;
}

const isOption = (word: string): boolean => /^--?[A-Za-z][^\s"']*$/.test(word);
