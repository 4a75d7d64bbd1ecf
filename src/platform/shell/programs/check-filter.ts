// Filters of jq and yq. They compute on their input, except for a few words that read modules, files or the
// environment.

const forbidden = /^(import|include|modulemeta|env|strenv|envsubst|load\w*|system|eval)$/;

const tokens =
  /[ \t\r\n]+|#[^\n\\]*(?=\n|$)|\.[A-Za-z_]\w*|\$[ \t\r\n]*(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*|@\w+|(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"|[.[\](){}|,:;=<>+\-*/%?!&~]/y;

/** Why a filter may read more than its input; undefined if it certainly does not. */
export function checkFilter(filter: string | undefined): string | undefined {
  if (filter === undefined) return 'its filter is not known';
  const inString: number[] = []; // for each string with an open interpolation, the brackets open in it
  let at = 0;
  while (at < filter.length) {
    tokens.lastIndex = at;
    const [token] = tokens.exec(filter) ?? [];
    if (token === undefined) return `its filter is not understood at "${filter.slice(at, at + 10)}"`;
    at += token.length;
    const depth = inString.length - 1;
    if (token === '"') {
      const end = stringEnd(filter, at);
      if (end === undefined) return 'its filter has a string that does not end';
      at = end.at;
      if (end.interpolates) inString.push(0);
    } else if (token === '(' && depth >= 0) {
      inString[depth] = (inString[depth] ?? 0) + 1;
    } else if (token === ')' && depth >= 0) {
      if (inString[depth] === 0) {
        inString.pop();
        const end = stringEnd(filter, at); // back in the enclosing string
        if (end === undefined) return 'its filter has a string that does not end';
        at = end.at;
        if (end.interpolates) inString.push(0);
      } else inString[depth] = (inString[depth] ?? 0) - 1;
    } else if (token.startsWith('$')) {
      const name = token.slice(1).trim();
      if (name === 'ENV' || name.startsWith('__')) return `its filter uses $${name}`;
    } else if (forbidden.test(token) || token.includes('::')) {
      return `its filter uses ${token}, which may read more than its input`;
    }
  }
  return inString.length === 0 ? undefined : 'its filter has a string that does not end';
}

/** Past the string that continues at `at`, or past the `\(` that opens an interpolation in it. */
function stringEnd(filter: string, from: number): { at: number; interpolates: boolean } | undefined {
  for (let at = from; at < filter.length; at += 1) {
    if (filter[at] === '"') return { at: at + 1, interpolates: false };
    if (filter[at] !== '\\') continue;
    if (filter[at + 1] === '(') return { at: at + 2, interpolates: true };
    at += 1;
  }
  return undefined;
}
