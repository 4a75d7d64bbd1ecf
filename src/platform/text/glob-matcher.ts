/** What a caller should let through: the time of a match grows with the length of all patterns together. */
export const MAX_GLOBS = 50;
export const MAX_GLOB_CHARS = 256;

/**
 * Tells whether a path (relative, with slashes) matches one of the globs. As in .gitignore, a glob without a slash is
 * about names in any folder, and one with a slash about whole paths. Brackets and braces that say nothing sensible stand
 * for themselves. However many ways there are to match, the path is gone through once.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => {
    const trimmed = glob.replace(/^\.\//, '').replace(/\/+$/, '');
    return { ofName: !trimmed.includes('/'), steps: stepsOf(trimmed.replace(/^\//, '')) };
  });
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return patterns.some(({ ofName, steps }) => matches(steps, ofName ? name : path));
  };
}

/** A pattern is a list of steps. */
interface Step {
  /** Takes one such character and leads to the next step. */
  accepts?: (character: string) => boolean;
  /** Takes any number of them, also none. */
  repeats?: boolean;
  /** Takes none and leads to several steps, by their distance. */
  forks?: number[];
}

const TOKEN = /(?:^|\/)\*\*(?:\/|$)|\*+|\?|\[(!?)([^\]/]+)\]|\{([^{}]*)\}|[\s\S]/gu;

function stepsOf(glob: string): Step[] {
  return [...glob.matchAll(TOKEN)].flatMap(([token, negated, set, choices]): Step[] => {
    if (/^\/?\*\*\/?$/.test(token)) return folders(token);
    if (token.startsWith('*')) return [{ accepts: isInName, repeats: true }];
    if (token === '?') return [{ accepts: isInName }];
    if (set !== undefined) return characterSet(token, set, negated === '!');
    if (choices !== undefined) return choice(choices.split(',').map(stepsOf));
    return [exactly(token)];
  });
}

const isInName = (character: string): boolean => character !== '/';
const exactly = (wanted: string): Step => ({ accepts: (character) => character === wanted });

/** Two stars: any text, slashes included; between slashes also nothing at all. */
function folders(token: string): Step[] {
  const any: Step = { accepts: () => true, repeats: true };
  const before = token.startsWith('/') ? [exactly('/')] : [];
  return token.endsWith('/') ? [...before, { forks: [1, 3] }, any, exactly('/')] : [...before, any];
}

function characterSet(token: string, set: string, isNegated: boolean): Step[] {
  const characters = [...set];
  const ranges: Array<{ first: number; last: number }> = [];
  for (let at = 0; at < characters.length; ) {
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    const [first, last] = [codeOf(characters[at]), codeOf(characters[isRange ? at + 2 : at])];
    if (first > last) return [...token].map(exactly); // no such range, so the text means itself
    ranges.push({ first, last });
    at += isRange ? 3 : 1;
  }
  const isIn = (code: number): boolean => ranges.some(({ first, last }) => first <= code && code <= last);
  return [{ accepts: (character) => isInName(character) && isIn(codeOf(character)) !== isNegated }];
}

const codeOf = (character: string | undefined): number => character?.codePointAt(0) ?? 0;

/** One fork into all the choices, and from the end of each a way behind the last. */
function choice(choices: Step[][]): Step[] {
  const length = choices.reduce((sum, steps) => sum + steps.length + 1, 1);
  const forks: number[] = [];
  const steps: Step[] = [{ forks }];
  for (const chosen of choices) {
    forks.push(steps.length);
    steps.push(...chosen);
    steps.push({ forks: [length - steps.length] });
  }
  return steps;
}

/** Follows all the ways at once: a place in the pattern counts once, whichever way led to it. */
function matches(steps: readonly Step[], text: string): boolean {
  const reached = new Uint32Array(steps.length + 1); // how many characters had been taken when a place was last reached
  let taken = 1;

  /** The places, and those that can be reached from them without a character. */
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
