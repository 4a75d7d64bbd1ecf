// The files that deny rules keep from being read, as a matcher for the sandbox, which hides them from commands.
import type { UnreadableFiles } from '../contract/tool-context.js';
import { matchesPath, matchesTree, mayMatchBelow, type PathPattern } from './match-path.js';
import type { Rule } from './rule.js';

/** Undefined if no rule denies reading, as in most sessions. */
export function deniedReads(rules: readonly Rule[]): UnreadableFiles | undefined {
  const denying = rules.flatMap(({ list, text, source, subject }) =>
    list === 'deny' && subject.kind === 'path' && subject.access === 'read'
      ? [{ name: `${source.file}: ${text}`, pattern: subject.pattern }]
      : [],
  );
  if (denying.length === 0) return undefined;
  const patterns = denying.map(({ pattern }) => pattern);
  return {
    key: denying.map(({ name }) => name).join('\n'),
    starts: [...new Set(patterns.flatMap(startsOf))],
    matches: (path, { isFolder }) =>
      patterns.some((pattern) => (isFolder ? matchesTree(pattern, path) : matchesPath(pattern, path))),
    mayMatchBelow: (folder) => patterns.some((pattern) => mayMatchBelow(pattern, folder)),
  };
}

/** The literal path prefixes of a pattern: everything it matches is there or below. */
function startsOf({ bases, style }: PathPattern): string[] {
  if (style.windows) return []; // there is no sandbox
  return bases.map(({ folder, globs }) => {
    const wildcard = globs.findIndex((name) => /[*?[]/.test(name.replaceAll(/\\./g, '')));
    const plain = (wildcard < 0 ? globs : globs.slice(0, wildcard)).map((name) => name.replaceAll(/\\(.)/g, '$1'));
    return `/${[...folder, ...plain].join('/')}`;
  });
}
