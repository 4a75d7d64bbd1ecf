// Text in a command's output that comes from no file: the model's own words, and listed names.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { SyntaxNode } from 'unbash';
import type { Effect } from '../../contract/effect.js';
import { loadParser } from '../../platform/shell/parse-command.js';

/**
 * Whether the command's own text could reach the output in a form that `otherLines` does not know: by a here-document,
 * a here-string or a process substitution, or by a pipe from a program that does not just print files.
 */
export async function mixesOwnText(command: string, isReader: (name: string) => boolean): Promise<boolean> {
  const { parse, forEachChild } = await loadParser();
  const visit = (node: SyntaxNode, isPiped: boolean): boolean => {
    if (node.type === 'HereDoc' || node.type === 'HereString' || node.type === 'ProcessSubstitution') return true;
    if (node.type === 'Command' && isPiped && !isReader(node.name?.text ?? '')) return true;
    if (node.type === 'Pipeline') {
      return node.commands.some((one, index) => visit(one, isPiped || index < node.commands.length - 1));
    }
    let found = false;
    forEachChild(node, (child) => {
      found ||= visit(child, isPiped);
    });
    return found;
  };
  return visit(parse(command), false);
}

/** Matches the lines that programs other than the readers print. Undefined if they can't be known. */
export function otherLines(effects: readonly Effect[]): ((line: string) => boolean) | undefined {
  const lines = new Set<string>();
  let printsPaths = false;
  for (const effect of effects) {
    if (effect.kind === 'command') {
      const [program, ...words] = effect.argv ?? [];
      if (program === 'pwd' || program === 'cd') printsPaths = true;
      if (program === 'ls') for (const word of words) addName(lines, word);
      const said = program === 'echo' ? echoedLines(words) : [];
      if (!said) return undefined;
      for (const line of said) lines.add(line);
    }
    if (effect.kind === 'file' && effect.listing) {
      const names = effect.tree ? undefined : namesIn(effect.real);
      if (!names) return undefined;
      for (const name of names) addName(lines, name);
    }
  }
  return (line) => lines.has(line) || (printsPaths && line.startsWith('/'));
}

const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t', '\\\\': '\\' };

/**
 * The lines that `echo` prints, with and without escapes. Undefined for text that joins other output or has rare
 * escapes.
 */
function echoedLines(words: readonly string[]): string[] | undefined {
  const optionCount = words.findIndex((word) => !/^-[neE]+$/.test(word));
  const [options, text] = optionCount === -1 ? [words, []] : [words.slice(0, optionCount), words.slice(optionCount)];
  if (options.some((option) => option.includes('n'))) return undefined;
  const said = text.join(' ');
  const plain = said.replace(/\\[nt\\]/g, (sequence) => ESCAPES[sequence] ?? sequence);
  if (said.replace(/\\[nt\\]/g, '').includes('\\')) return undefined;
  return [...said.split('\n'), ...plain.split('\n')];
}

/** A name as `ls` prints it, also with the suffix of `-F` and `-p`. */
function addName(lines: Set<string>, name: string): void {
  for (const mark of ['', '/', '*', '@', '|', '=', ':']) lines.add(`${name}${mark}`);
}

function namesIn(path: string): string[] | undefined {
  try {
    return ['.', '..', ...readdirSync(path)];
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? [path, basename(path)] : undefined;
  }
}
