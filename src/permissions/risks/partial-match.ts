// Patterns that match every text which can be continued to a match: `--del` for `^--delete$`, `stash ` for
// `^stash drop`. Abbreviated options, and the commands that a rule with a prefix covers, are found with the tables' own
// patterns in this way.
import { memoizeByObject } from '../memoize.js';

/** The pattern for beginnings of what the given one matches. Back references and named groups are not supported. */
export const beginningOf = memoizeByObject(
  (pattern: RegExp): RegExp => new RegExp(beginnings(pattern.source), pattern.flags),
);

/** An escape, a class, a look-around or group that begins, or a single character. */
const ATOM = /\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:))?|[^\\]/gisy;
const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y;

function beginnings(source: string): string {
  let at = 0;
  const next = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(source) ?? [];
    at += found.length;
    return found;
  };
  /** Up to the end of the group; as written if nothing in it may be left out. */
  const group = (asWritten: boolean): string => {
    let out = '';
    for (;;) {
      const atom = next(ATOM);
      if (atom === '' || atom === ')') return out;
      if (atom === '|' || atom === '^' || atom === '$') out += atom;
      else if (/^\(\?<?[=!]/.test(atom)) out += `${atom}${group(true)})`;
      else {
        const inner = atom.startsWith('(') ? `(?:${group(asWritten)})` : atom;
        const quantifier = next(QUANTIFIER);
        out += asWritten ? inner + quantifier : `(?:${inner}${quantifier}|${someOf(inner, quantifier)}$)`;
      }
    }
  };
  return group(false);
}

/** `x{2,3}` begins with one. */
const someOf = (inner: string, quantifier: string): string => (quantifier.startsWith('{') ? `${inner}*` : '');
