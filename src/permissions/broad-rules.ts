// Whether an allow rule covers more than Helve would offer to remember: a whole tool, a program with all that it can do,
// files that are not limited to a folder of the project. Such a rule needs a person's own act.
import type { ToolTable } from '../contract/tool-traits.js';
import { isMcpName, readMcpName } from '../platform/text/mcp-names.js';
import { parseCommandPattern } from './match-command.js';
import { NEVER_REMEMBERED, runsFile, subCommandWords } from './remember.js';
import { coversHighRisk } from './risks/prefix-risks.js';
import { currentName, familyOf } from './tool-names.js';

/** Why an allow rule is too broad, as a clause about it; undefined if it is not. A rule that is not understood is. */
export function whyTooBroad(rule: string, tools: ToolTable): string | undefined {
  const [, written = '', specifier] = /^([\w*.-]+)(?: ?\(([\s\S]*)\))?$/.exec(rule.trim()) ?? [];
  if (written === '') return 'it is not understood';
  if (isMcpName(written)) {
    const tool = readMcpName(written)?.tool ?? '';
    return tool === '' || written.includes('*') ? 'it covers every tool of a server' : undefined;
  }
  if (written.includes('*')) return 'it covers several tools';
  const name = currentName(tools, written);
  const family = familyOf(tools, name);
  if (family === undefined || family === 'search' || family === 'agent' || family === 'skill' || family === 'slash') {
    return undefined; // what such a call starts is judged by itself
  }
  const inner = specifier?.trim() ?? '';
  if (/^\**$/.test(inner)) return `it covers everything that ${name} can do`;
  if (family === 'command') return whyBroadCommand(inner);
  if (family === 'domain') return inner.includes('*') ? 'it covers hosts that it does not name' : undefined;
  return whyBroadPath(inner);
}

function whyBroadCommand(specifier: string): string | undefined {
  const pattern = parseCommandPattern(specifier);
  if (!pattern || pattern.kind === 'any') return 'it covers every command';
  if (pattern.kind === 'glob') return 'it covers commands that it does not name';
  const words = pattern.kind === 'prefix' ? pattern.words : pattern.text.split(' ');
  const [name = ''] = words;
  const isDangerous = NEVER_REMEMBERED.test(name);
  if (pattern.kind === 'exact') {
    return isDangerous && !runsFile(words) ? `${name} runs, deletes or sends whatever it is given` : undefined;
  }
  const count = subCommandWords(words);
  if (isDangerous || count === 0 || words.length < count) return `it covers everything that ${words.join(' ')} can do`;
  return coversHighRisk(words) ? `commands that begin with ${words.join(' ')} can be a high risk` : undefined;
}

/** Only files below a folder of the project that the rule names. */
function whyBroadPath(path: string): string | undefined {
  const [first = ''] = path.replace(/^(?:\.\/)+/, '').split('/');
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || first === '..') return 'it covers files outside of the project';
  return first === '' || first === '.' || /[*?[{!]/.test(first) ? 'it covers the whole project' : undefined;
}
