/** Limits that a caller should enforce: the time of a match grows with the total length of all patterns. */
export const MAX_GLOBS = 50;
export const MAX_GLOB_CHARS = 256;

/**
 * Whether a path (relative, with slashes) matches one of the globs. As in .gitignore, a glob without a slash matches
 * names in any folder, and one with a slash matches whole paths. Malformed brackets and braces are literal. However
 * many ways there are to match, the path is scanned once.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => {
    const trimmed = glob.replace(/^\.\//, '').replace(/(?<!\\)(?<!(?<!\\)\/)\/+$/, '');
    const anywhere = trimmed.replace(/^(?:\*\*\/)+(?=[^/]+$)/, ''); // a name in any folder, written out
    return { ofName: !anywhere.includes('/'), matches: matcherOf(compile(anywhere.replace(/^\//, ''))) };
  });
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return patterns.some(({ ofName, matches }) => matches(ofName ? name : path));
  };
}

/**
 * Whether a file is selected by a list of globs, of which the last match wins. A glob with a leading "!" excludes its
 * matches and everything below them. If no glob includes anything, all other files are selected.
 */
export function globFilter(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => true;
  const rules = globs.map((glob) => {
    const leavesOut = glob.startsWith('!');
    return { leavesOut, matches: globMatcher([leavesOut ? glob.slice(1) : glob]) };
  });
  const otherwise = rules.every(({ leavesOut }) => leavesOut);
  const verdict = (path: string): boolean | undefined => {
    const rule = rules.findLast(({ matches }) => matches(path));
    return rule && !rule.leavesOut;
  };
  const openFolders = new Map<string, boolean>();
  const isOpen = (folder: string): boolean => {
    const known = openFolders.get(folder);
    if (known !== undefined) return known;
    const open = verdict(folder) !== false && isOpenAbove(folder);
    openFolders.set(folder, open);
    return open;
  };
  const isOpenAbove = (path: string): boolean => {
    const slash = path.lastIndexOf('/');
    return slash === -1 || isOpen(path.slice(0, slash));
  };
  const canClose = rules.some(({ leavesOut }) => leavesOut);
  return (path) => (verdict(path) ?? otherwise) && (!canClose || isOpenAbove(path));
}

/** The problem with a glob, in a few words; undefined if it is well-formed. */
export function globProblem(glob: string): string | undefined {
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === '\\') {
      if (at + 1 === glob.length) return "dangling '\\' at its end";
      at += 1;
    } else if (character === '[') {
      const set = CHARACTER_SET.exec(glob.slice(at));
      if (!set) return "unclosed character class; missing ']'";
      const [whole, , members = ''] = set;
      if (rangesOf(members) === undefined) return `invalid range in ${whole}`;
      at += whole.length - 1;
    } else if (character === '{') depth += 1;
    else if (character === '}') {
      if (depth === 0) return "unopened alternate group; missing '{'";
      depth -= 1;
    }
  }
  return depth > 0 ? "unclosed alternate group; missing '}'" : undefined;
}

/** A pattern in two equivalent forms. */
interface Compiled {
  steps: Step[];
  /** As a regular expression. */
  source: string;
  /** The number of unbounded repetitions in it. */
  repeats: number;
}

interface Step {
  /** Consumes one matching character and continues with the next step. */
  accepts?: (character: string) => boolean;
  /** Consumes any number of them, including none. */
  repeats?: boolean;
  /** Consumes nothing and continues with several steps, given by their distance. */
  forks?: number[];
}

/**
 * A regular expression is several times as fast, but each repetition multiplies the paths that backtracking may try.
 */
function matcherOf({ steps, source, repeats }: Compiled): (text: string) => boolean {
  if (repeats > MAX_TRIED_REPEATS) return (text) => matches(steps, text);
  const expression = new RegExp(`^(?:${source})$`, 'su');
  return (text) => expression.test(text);
}

const MAX_TRIED_REPEATS = 2;

// A leading "]" is a member of its set.
const CHARACTER_SET = /^\[([!^]?)(\]?[^\]]*)\]/;
const FOLDERS = /^(?:\*\*(?:\/|$)|\/\*\*(?:\/|$))/;

function compile(written: string): Compiled {
  const glob = written.replace(/(^|\/)(?:\*\*\/)+(?=\*\*(?:\/|$))/g, '$1'); // repeated `**/` means the same as one
  const parts: Compiled[] = [];
  for (let at = 0; at < glob.length; ) {
    const { length, ...part } = tokenAt(glob.slice(at), at === 0);
    parts.push(part);
    at += length;
  }
  return joined(parts);
}

const joined = (parts: readonly Compiled[]): Compiled => ({
  steps: parts.flatMap(({ steps }) => steps),
  source: parts.map(({ source }) => source).join(''),
  repeats: parts.reduce((sum, { repeats }) => sum + repeats, 0),
});

/** Parses the first element of the pattern, and returns its length. */
function tokenAt(rest: string, isStart: boolean): Compiled & { length: number } {
  const folderStars = FOLDERS.exec(rest)?.[0];
  if (folderStars && (isStart || folderStars.startsWith('/'))) {
    return { length: folderStars.length, ...folders(folderStars) };
  }
  const stars = /^\*+/.exec(rest)?.[0];
  if (stars) {
    return { length: stars.length, steps: [{ accepts: isInName, repeats: true }], source: '[^/]*', repeats: 1 };
  }
  if (rest.startsWith('?')) return { length: 1, steps: [{ accepts: isInName }], source: '[^/]', repeats: 0 };
  if (rest.startsWith('\\') && rest.length > 1) {
    const escaped = exactly(String.fromCodePoint(codeOf(rest.slice(1))));
    return { length: 1 + firstLength(rest.slice(1)), ...escaped };
  }
  const set = CHARACTER_SET.exec(rest);
  if (set) {
    const [token, negated, members = ''] = set;
    return { length: token.length, ...characterSet(token, members, negated !== '') };
  }
  const choices = rest.startsWith('{') ? choicesOf(rest) : undefined;
  if (choices) return { length: choices.length, ...choice(choices.texts.map(compile)) };
  return { length: firstLength(rest), ...exactly(String.fromCodePoint(codeOf(rest))) };
}

const firstLength = (text: string): number => (codeOf(text) > 0xffff ? 2 : 1);

/** The alternatives of a brace group, and its length; undefined if it is not closed. */
function choicesOf(rest: string): { texts: string[]; length: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < rest.length; at += 1) {
    const character = rest[at];
    if (character === '\\') at += 1;
    else if (character === '[') at += (CHARACTER_SET.exec(rest.slice(at))?.[0].length ?? 1) - 1;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return { texts: [...texts, rest.slice(start, at)], length: at + 1 };
    } else if (character === ',' && depth === 1) {
      texts.push(rest.slice(start, at));
      start = at + 1;
    }
  }
  return undefined;
}

const isInName = (character: string): boolean => character !== '/';

const exactly = (wanted: string): Compiled => ({
  steps: [{ accepts: (character) => character === wanted }],
  source: wanted.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'),
  repeats: 0,
});

/** `**`: any text, including slashes; between slashes also nothing. */
function folders(token: string): Compiled {
  const any: Compiled = { steps: [{ accepts: () => true, repeats: true }], source: '.*', repeats: 1 };
  const before = token.startsWith('/') ? [exactly('/')] : [];
  if (!token.endsWith('/')) return joined([...before, any]);
  const { steps } = joined([any, exactly('/')]);
  return joined([...before, { steps: [{ forks: [1, 3] }, ...steps], source: '(?:.*\\/)?', repeats: 1 }]);
}

function characterSet(token: string, set: string, isNegated: boolean): Compiled {
  const ranges = rangesOf(set);
  if (!ranges) return joined([...token].map(exactly)); // not a valid range, so the text is literal
  const isIn = (code: number): boolean => ranges.some(({ first, last }) => first <= code && code <= last);
  const code = (value: number): string => `\\u{${value.toString(16)}}`;
  const members = ranges.map(({ first, last }) => `${code(first)}-${code(last)}`).join('');
  return {
    steps: [{ accepts: (character) => isInName(character) && isIn(codeOf(character)) !== isNegated }],
    source: `(?!\\/)[${isNegated ? '^' : ''}${members}]`,
    repeats: 0,
  };
}

/** Undefined if a range runs backwards, or the set is empty. */
function rangesOf(set: string): Array<{ first: number; last: number }> | undefined {
  const characters = [...set];
  const ranges: Array<{ first: number; last: number }> = [];
  for (let at = 0; at < characters.length; ) {
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    const [first, last] = [codeOf(characters[at]), codeOf(characters[isRange ? at + 2 : at])];
    if (first > last) return undefined;
    ranges.push({ first, last });
    at += isRange ? 3 : 1;
  }
  return ranges.length > 0 ? ranges : undefined;
}

const codeOf = (character: string | undefined): number => character?.codePointAt(0) ?? 0;

/** A fork into all alternatives; the end of each jumps behind the last. */
function choice(choices: readonly Compiled[]): Compiled {
  const length = choices.reduce((sum, { steps }) => sum + steps.length + 1, 1);
  const forks: number[] = [];
  const steps: Step[] = [{ forks }];
  for (const chosen of choices) {
    forks.push(steps.length);
    steps.push(...chosen.steps);
    steps.push({ forks: [length - steps.length] });
  }
  const { repeats } = joined(choices);
  return { steps, source: `(?:${choices.map(({ source }) => source).join('|')})`, repeats };
}

/** Simulates the NFA: each state counts once, whichever path led to it. */
function matches(steps: readonly Step[], text: string): boolean {
  const reached = new Uint32Array(steps.length + 1); // how many characters had been consumed when a state was last reached
  let taken = 1;

  /** The states, and those reachable from them without consuming a character. */
  const andFrom = (starts: readonly number[]): number[] => {
    const places: number[] = [];
    const pending = [...starts];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (reached[place] === taken) continue;
      reached[place] = taken;
      places.push(place);
      const step = steps[place];
      if (step?.repeats) pending.push(place + 1);
      for (const distance of step?.forks ?? []) pending.push(place + distance);
    }
    return places;
  };

  let places = andFrom([0]);
  for (const character of text) {
    taken += 1;
    const next: number[] = [];
    for (const place of places) {
      const step = steps[place];
      if (step?.accepts?.(character)) next.push(step.repeats ? place : place + 1);
    }
    if (next.length === 0) return false;
    places = andFrom(next);
  }
  return reached[steps.length] === taken;
}
