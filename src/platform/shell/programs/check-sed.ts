/** Why a sed script may do more than print; undefined where every command in it is known not to. */
export function checkSed(script: string | undefined): string | undefined {
  if (script === undefined) return 'its script is not known';
  let at = 0;
  let depth = 0;
  const rest = (): string => script.slice(at);
  const skip = (pattern: RegExp): string => {
    const [found = ''] = new RegExp(`^(?:${pattern.source})`, 'su').exec(rest()) ?? [];
    at += found.length;
    return found;
  };
  while (at < script.length) {
    if (skip(/[\s;]+/)) continue;
    if (skip(/#[^\n]*/)) continue;
    const from = at;
    if (skipAddress()) {
      skip(/\s*/);
      if (skip(/,\s*/) && !skip(/[+~]\d+/) && !skipAddress())
        return `the address at ${from + 1} of its script is not understood`;
    }
    skip(/[\s!]*/);
    const command = script[at];
    at += 1;
    if (command === '{') depth += 1;
    else if (command === '}') depth -= 1;
    else if (command === 's') {
      const flags = skipDelimited(2) ? skip(/[^\s;}]*/) : undefined;
      if (flags === undefined || !/^[gpiIm0-9M]*$/.test(flags.replace(/m/gi, '')))
        return 'its substitution may write or run something';
    } else if (command === 'y') {
      if (!skipDelimited(2)) return 'its script is not understood';
    } else if (command && 'pPdDnNgGhHxl='.includes(command)) {
      if (command === 'l') skip(/ *\d*/);
    } else if (command && 'qQ'.includes(command)) skip(/ *\d*/);
    else if (command && 'btT:'.includes(command)) skip(/ *[\w.-]*/);
    else if (command && 'aic'.includes(command)) skip(/[^\n]*(\\\n[^\n]*)*/);
    else return `the sed command ${command ?? 'at the end'} is not known to be harmless`;
    const between = skip(/[ \t]*/);
    if (at < script.length && command !== '{' && !/^[;\n}#]/.test(rest()) && between === '' && command !== '}') {
      return 'its script is not understood';
    }
    if (at < script.length && !/^[;\n}#]/.test(rest()) && command !== '{' && command !== '}')
      return 'its script is not understood';
  }
  return depth === 0 ? undefined : 'its script is not understood';

  function skipAddress(): boolean {
    if (skip(/\d+(~\d+)?|\$/)) return true;
    if (script?.[at] === '\\') at += 1;
    else if (script?.[at] !== '/') return false;
    if (!skipDelimited(1)) return false;
    skip(/[IM]*/);
    return true;
  }

  /** Past `count` parts that the character here separates; brackets and escapes may hold it as itself. */
  function skipDelimited(count: number): boolean {
    const delimiter = script?.[at];
    if (delimiter === undefined || /[\s\\\w]/.test(delimiter)) return false;
    at += 1;
    for (let left = count; at < (script?.length ?? 0); at += 1) {
      const character = script?.[at];
      if (character === '\\') at += 1;
      else if (character === '\n') return false;
      else if (character === '[' && left === count) {
        // Whether a delimiter within brackets counts differs between implementations, so there must be none.
        const [bracket] = /^\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|\\[a-zA-Z.*+?$^()|{}-]|[^\]\\])*\]/.exec(rest()) ?? [];
        if (bracket === undefined || bracket.includes(delimiter) || bracket.includes('\n')) return false;
        at += bracket.length - 1;
      } else if (character === delimiter) {
        left -= 1;
        if (left === 0) {
          at += 1;
          return true;
        }
      }
    }
    return false;
  }
}
