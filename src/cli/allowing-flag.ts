// The flag that would have allowed a refused call, for the person to copy.
import { resolve } from 'node:path';
import { isInside } from '../platform/files/paths.js';
import { isObject } from '../platform/is-object.js';
import { toolTable } from '../tools/index.js';

const MAX_RULE_CHARS = 100;

export function allowingFlag({ tool, input }: { tool: string; input: unknown }): string {
  const { family, subject: [field = ''] = [] } = toolTable().traits.get(tool) ?? {};
  const subject = isObject(input) ? input[field] : undefined;
  if (typeof subject !== 'string') return `--allowed-tools ${tool}`;
  if (family === 'edit' && isInside(process.cwd(), resolve(subject))) return '--permission-mode acceptEdits';
  const isSimple = family === 'command' && subject.length <= MAX_RULE_CHARS && /^[^\n'()*]+$/.test(subject);
  return isSimple ? `--allowed-tools '${tool}(${subject})'` : `--allowed-tools ${tool}`;
}
