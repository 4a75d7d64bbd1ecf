// Relative paths among the words of a command. Hooks and servers start in the project, so a relative path would choose a
// file of the project, which nobody has approved.
import { statSync } from 'node:fs';
import type { PluginFacts } from './loaded-plugin.js';
import { pathInPlugin } from './plugin-paths.js';

/** The words with each relative path of a file that the plugin has as the path of its copy. Others are reported. */
export function inOwnFiles(facts: PluginFacts, by: string, words: readonly string[]): string[] {
  return words.map((word) => {
    const { option, path } = partsOf(word);
    if (path === undefined) return word;
    const place = pathInPlugin(facts.root, path);
    if ('path' in place && statSync(place.path).isFile()) return option + place.path;
    if (looksLikeProgram(path)) facts.looksInProject(by, path);
    return word;
  });
}

/** Paths in the text of a shell command that would be looked up in the project, as far as its words show. */
export const pathsInCommand = (command: string): string[] => [
  ...new Set(command.split(/[\s;&|()<>"'`=]+/).filter((word) => isRelative(word) && looksLikeProgram(word))),
];

/** `--import=./x.mjs` is an option with a path. */
function partsOf(word: string): { option: string; path?: string } {
  const [, option = '', rest = word] = /^(-[\w-]*=)(.*)$/s.exec(word) ?? [];
  return isRelative(rest) ? { option, path: rest } : { option };
}

const isRelative = (word: string): boolean => word !== '' && !/^(?:[-/~$%@]|[A-Za-z][\w+.-]*:)/.test(word);

const looksLikeProgram = (path: string): boolean =>
  /^\.{1,2}\//.test(path) || /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|jar|exe|ps1|bat|cmd)$/i.test(path);
