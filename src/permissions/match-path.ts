// Path patterns of Read(...) and Edit(...) rules: gitignore semantics below one of four anchors. Pure: the caller passes
// the anchors, as written and with symlinks resolved.

import { matchesAll, matchesBeginning, type PatternElement } from './match-text.js';
import { memoizeByObject, memoizeByText } from './memoize.js';

/** The folders that patterns are relative to, each as written and resolved. */
export interface Anchors {
  /** `/x`: the folder that the settings file belongs to. */
  source: readonly string[];
  /** `x`, `./x`: the project. It does not move when a command changes the directory. */
  project: readonly string[];
  /** `~/x`. */
  home: readonly string[];
  /** Resolves symlinks of a folder. If given, ask and deny patterns also match the target of their literal prefix. */
  realName?: (folder: string) => string;
}

/** How names are compared. */
export interface PathStyle {
  foldsCase: boolean;
  windows: boolean;
}

export const thisPathStyle = (): PathStyle => ({
  foldsCase: process.platform === 'darwin' || process.platform === 'win32',
  windows: process.platform === 'win32',
});

interface PatternBase {
  folder: readonly string[];
  /** The names below it; `**` stands for any number of them. */
  globs: readonly string[];
  elements: ReadonlyArray<PatternElement<string>>;
}

export interface PathPattern {
  style: PathStyle;
  bases: readonly PatternBase[];
  /** The same, for the question what may lie below a folder. */
  below: readonly PatternBase[];
}

/** Whether the pattern matches a normalized absolute path or a folder above it. */
export const matchesPath = (pattern: PathPattern, path: string): boolean =>
  matchesNames(pattern, components(path, pattern.style));

function matchesNames({ bases, style }: PathPattern, names: readonly string[]): boolean {
  for (const { folder, elements } of bases) {
    const rest = restBelow(folder, names, style);
    if (rest !== undefined && matchesAll(elements, rest)) return true;
  }
  return false;
}

/** Whether the pattern matches the root of the tree or everything in it. */
export function matchesTree(pattern: PathPattern, root: string): boolean {
  const names = components(root, pattern.style);
  return matchesNames(pattern, names) || matchesNames(pattern, anyBelow(names));
}

const anyBelow = memoizeByObject((names: readonly string[]): readonly string[] => [...names, ANY_NAME]);

const ANY_NAME = '\u{10FFFD}'; // no file has this name: a glob that matches it matches every name

/** Whether the pattern could match something below the folder. */
export function mayMatchBelow({ below, style }: PathPattern, folder: string): boolean {
  const names = components(folder, style);
  return below.some(({ folder: base, elements }) => {
    if (restBelow(names, base, style)) return true;
    const rest = restBelow(base, names, style);
    return rest !== undefined && matchesBeginning(elements, rest);
  });
}

/** Whether the pattern could match a file that an absolute glob of the shell may expand to. */
export function mayMatchGlob({ below, style }: PathPattern, glob: string): boolean {
  const names = components(glob, style).map((name) => folded(name, style));
  return below.some(({ folder, globs }) => {
    const wanted = [...folder, ...globs].map((name) => folded(name, style));
    return overlap(names, wanted, '**', shareName);
  });
}

/** Whether a glob of the shell may expand to this path. */
export function mayBePath(glob: string, path: string, style: PathStyle): boolean {
  const [globs, names] = [glob, path].map((text) => components(text, style).map((name) => folded(name, style)));
  return overlap(globs ?? [], (names ?? []).map(escapePath), '**', shareName);
}

/** Whether some name matches both globs. A character set counts as any character. */
export function shareName(shell: string, rule: string): boolean {
  if (/[()]/.test(shell)) return true; // an extended glob, if it is one, is beyond this comparison
  if (shell.startsWith('*') && rule.startsWith('.')) return false; // a star of the shell doesn't match hidden files
  const [one, other] = [shell, rule].map((glob) => {
    const end = glob.lastIndexOf(']') + 1; // after it no set ends, so none begins
    const tokens = [
      ...glob.slice(0, end).matchAll(/\\.|\[[^\]]*\]|[\s\S]/gu),
      ...glob.slice(end).matchAll(/\\.|[\s\S]/gu),
    ];
    return tokens.map(([token]) => token);
  });
  const isAny = (token: string): boolean => token === '?' || token.startsWith('[');
  const plain = (token: string): string => token.replace(/^\\(?=.)/s, '');
  const agree = (mine: string, theirs: string): boolean =>
    isAny(mine) || isAny(theirs) || plain(mine) === plain(theirs);
  return overlap(one ?? [], other ?? [], '*', agree);
}

/** Whether two sequences with gaps, which match anything, have a match in common. */
function overlap(
  one: readonly string[],
  other: readonly string[],
  gap: string,
  agree: (one: string, other: string) => boolean,
): boolean {
  // reach[j]: whether the first i elements of one and the first j of the other have a match in common; one row per i.
  let reach: boolean[] = [];
  for (let i = 0; i <= one.length; i += 1) {
    const row: boolean[] = [];
    for (let j = 0; j <= other.length; j += 1) {
      const [mine, theirs] = [one[i - 1], other[j - 1]];
      const isStart = i === 0 && j === 0;
      const byMine = mine === gap && (reach[j] === true || row[j - 1] === true);
      const byTheirs = theirs === gap && (row[j - 1] === true || reach[j] === true);
      const byBoth = mine !== undefined && theirs !== undefined && reach[j - 1] === true && agree(mine, theirs);
      row.push(isStart || byMine || byTheirs || byBoth);
    }
    reach = row;
  }
  return reach[other.length] === true;
}

export type ParsedPath = { ok: true; pattern: PathPattern } | { ok: false; problem: string; fix: string };

/** Allow patterns match exactly their location; ask and deny patterns are read as widely as possible. */
export function parsePathPattern(
  text: string,
  { list, anchors, style }: { list: 'allow' | 'ask' | 'deny'; anchors: Anchors; style: PathStyle },
): ParsedPath {
  const trimmed = text.trim();
  const { folders, rest, isAnchored } = anchorOf(trimmed, anchors, style);
  const isOnlyForFolders = /\/$/.test(rest);
  const names = plainNames(rest);
  if (!names) {
    return {
      ok: false,
      problem: `"${text}" goes up with ".." behind a wildcard, so it can never match`,
      fix: 'Write the folder that is meant.',
    };
  }
  let bases = folders.map((folder) => components(folder, style));
  while (names[0] === '..') {
    names.shift();
    bases = bases.map((base) => base.slice(0, -1));
  }
  const isOneName = names.length === 1 && names[0] !== '**';
  const isOneFolder = names.length === 2 && names[1] === '**' && names[0] !== '**';
  const isStrict = list !== 'allow';
  // gitignore: a name without a slash matches at any depth. In ask and deny rules, so does "src/**".
  const isWritten = trimmed.startsWith('./') || trimmed.startsWith('../');
  const atAnyDepth =
    !isAnchored && ((isOneName && (!isWritten || isStrict)) || (isOneFolder && isStrict && !isWritten));
  const mayBeDeep = atAnyDepth && !isWritten;
  const globs = globsOf(names, isOnlyForFolders && !isStrict);
  const compile = (deep: boolean): PatternBase[] =>
    withRealNames(bases, names, isStrict ? anchors.realName : undefined, style).map(({ folder, skipped }) => {
      const here = deep && skipped === 0 ? ['**', ...globs] : globs.slice(skipped);
      return { folder, globs: here, elements: here.map((glob) => (glob === '**' ? 'gap' : nameElements(glob, style))) };
    });
  return { ok: true, pattern: { style, bases: compile(atAnyDepth), below: compile(mayBeDeep) } };
}

/** Escapes gitignore's wildcards in a path. */
export const escapePath = (path: string): string => path.replace(/[\\*?[\]!#]/g, (special) => `\\${special}`);

interface Anchored {
  folders: readonly string[];
  rest: string;
  /** The pattern is anchored, so it doesn't match at any depth. */
  isAnchored: boolean;
}

function anchorOf(text: string, anchors: Anchors, { windows }: PathStyle): Anchored {
  if (windows && /^[a-z]:[\\/]/i.test(text)) {
    return { folders: ['/'], rest: text.replaceAll('\\', '/').replace(':', ''), isAnchored: true };
  }
  if (text.startsWith('//')) return { folders: ['/'], rest: text.slice(2), isAnchored: true };
  if (text === '~' || text.startsWith('~/')) return { folders: anchors.home, rest: text.slice(2), isAnchored: true };
  if (text.startsWith('/')) return { folders: anchors.source, rest: text.slice(1), isAnchored: true };
  return { folders: anchors.project, rest: text, isAnchored: false };
}

/** The names between the slashes, without `.` and without `..` but at the beginning. */
function plainNames(text: string): string[] | undefined {
  const names: string[] = [];
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue;
    const last = names.at(-1);
    if (name !== '..' || last === undefined || last === '..') names.push(name);
    else if (/[*?[\\]/.test(last)) return undefined;
    else names.pop();
  }
  return names;
}

function globsOf(names: readonly string[], isOnlyBelow: boolean): string[] {
  const globs = names.flatMap((name, index) => (name === '**' && index === names.length - 1 ? ['*', '**'] : [name])); // "a/**" matches everything in a, but not a itself
  return isOnlyBelow ? [...globs, '*', '**'] : [...globs, '**']; // everything below a match matches too
}

// An escaped character, a character set, stars, or a literal character.
const NAME_TOKEN = /\\([\s\S])|\[([!^]?)(\]?(?:\\[\s\S]|[^\]\\])+|\])\]|(\[)[\s\S]*|\*+|[\s\S]/gu;
const NAME_TOKEN_WITHOUT_SETS = /\\([\s\S])|\*+|[\s\S]/gu;

/** An unpaired bracket is a literal character. A set that does not end is followed by none that does. */
function nameTokens(name: string): RegExpExecArray[] {
  const tokens = [...name.matchAll(NAME_TOKEN)];
  const last = tokens.at(-1);
  return last?.[4] === undefined
    ? tokens
    : [...tokens.slice(0, -1), ...name.slice(last.index).matchAll(NAME_TOKEN_WITHOUT_SETS)];
}

function nameElements(name: string, style: PathStyle): PatternElement<string> {
  if (!/[*?[\\]/.test(name)) {
    const wanted = folded(name, style); // most names have no wildcards and need no parsing
    return (text) => folded(text, style) === wanted;
  }
  const pattern = nameTokens(folded(name, style)).map(([token, escaped, negated, set]): PatternElement<string> => {
    if (set !== undefined) return characterElement(set, negated !== '');
    if (token.startsWith('*')) return 'gap';
    if (token === '?') return () => true;
    const wanted = escaped ?? token;
    return (character) => character === wanted;
  });
  return (text) => matchesAll(pattern, [...folded(text, style)]);
}

function characterElement(set: string, isNegated: boolean): PatternElement<string> {
  const characters = [...set.matchAll(/\\?([\s\S])/gu)].map(([token, character = '']) => ({ token, character }));
  const ranges: Array<[first: string, last: string]> = [];
  for (let at = 0; at < characters.length; at += 1) {
    const first = characters[at]?.character ?? '';
    const last = characters[at + 2];
    if (characters[at + 1]?.token === '-' && last) {
      ranges.push([first, last.character]);
      at += 2;
    } else {
      ranges.push([first, first]);
    }
  }
  return (character) => ranges.some(([first, last]) => first <= character && character <= last) !== isNegated;
}

/** Each base as it is and, if the literal prefix of the pattern is a symlink, its target. */
function withRealNames(
  bases: ReadonlyArray<readonly string[]>,
  names: readonly string[],
  realName: Anchors['realName'],
  style: PathStyle,
): Array<{ folder: readonly string[]; skipped: number }> {
  const written = bases.map((folder) => ({ folder, skipped: 0 }));
  const firstWildcard = names.findIndex((name) => /[*?[\\]/.test(name));
  const plain = firstWildcard < 0 ? names : names.slice(0, firstWildcard);
  if (!realName || plain.length === 0 || style.windows) return written;
  const real = bases.flatMap((folder) => {
    const path = `/${[...folder, ...plain].join('/')}`;
    const target = realName(path);
    return target === path ? [] : [{ folder: components(target, style), skipped: plain.length }];
  });
  return [...written, ...real];
}

/** The segments of a path. On Windows all spellings of a name become one. */
export const components = (path: string, { windows }: PathStyle): readonly string[] =>
  windows ? windowsComponents(path) : plainComponents(path);

const MAX_KEPT = 1_000; // more than one call ever names

const plainComponents = memoizeByText(MAX_KEPT, (path): readonly string[] =>
  path.split('/').filter((name) => name !== '' && name !== '.'),
);

function windowsComponents(path: string): readonly string[] {
  return path
    .replaceAll('\\', '/')
    .replace(/^\/\/[?.]\/|^\/\?\?\//, '')
    .split('/')
    .map((name, index) => (index === 0 ? name.replace(/^([a-z]):$/i, '$1') : name.replace(/:.*$/, '')))
    .map((name) => (/^\.+$/.test(name) ? name : name.replace(/(?<![. ])[. ]+$/, '')))
    .filter((name) => name !== '' && name !== '.');
}

function restBelow(folder: readonly string[], path: readonly string[], style: PathStyle): string[] | undefined {
  if (folder.length > path.length) return undefined;
  for (let index = 0; index < folder.length; index += 1) {
    const [name = '', other = ''] = [folder[index], path[index]];
    if (name !== other && folded(name, style) !== folded(other, style)) return undefined;
  }
  return path.slice(folder.length);
}

const folded = (text: string, { foldsCase }: PathStyle): string =>
  foldsCase ? text.normalize('NFC').toLowerCase() : text;
