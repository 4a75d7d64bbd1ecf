const keywords = new Set(
  'BEGIN END if else while for do in break continue next nextfile exit delete print printf'.split(' '),
);
const functions = new Set(
  'length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strftime systime mktime strtonum asort asorti'.split(
    ' ',
  ),
);
// What they name leads out of the text: other files to read, the environment, the system.
const forbidden = new Set(
  'system getline close fflush ARGV ARGC ENVIRON PROCINFO SYMTAB FUNCTAB function func return BEGINFILE ENDFILE'.split(
    ' ',
  ),
);

/** Why an awk program may do more than compute and print; undefined where every word in it is known not to. */
export function checkAwk(program: string | undefined): string | undefined {
  if (program === undefined) return 'its program is not known';
  let at = 0;
  let printing = false; // within a print statement, where `>` writes to a file
  let depth = 0;
  let operand = false; // whether a slash would divide rather than begin a pattern
  let previous = '';
  const conditions: boolean[] = []; // of each open bracket: whether a statement follows it, as behind `if ( )`
  while (at < program.length) {
    const rest = program.slice(at);
    const [blank = ''] = /^(?:[ \t\r]|\\\n|#[^\n]*)+/.exec(rest) ?? [];
    if (blank !== '') {
      at += blank.length;
      continue;
    }
    const token = nextToken(rest, operand);
    if (token === undefined) return `its program is not understood at "${rest.slice(0, 10)}"`;
    at += token.length;
    if (/^[A-Za-z_]/.test(token)) {
      if (forbidden.has(token)) return `its program uses ${token}`;
      const isCall = program[at] === '(';
      if (isCall && !functions.has(token) && !keywords.has(token)) return `its program calls ${token}`;
      if (token === 'print' || token === 'printf') {
        printing = true;
        depth = 0;
      }
      operand = !keywords.has(token);
      // Which of the two a slash is here, implementations don't agree on.
      if (token === 'length' && !isCall && /^\s*\//.test(program.slice(at))) return 'its program is not understood';
    } else if (token === '>' || token === '>=') {
      if (token === '>' && program[at] === '>') return 'its program writes to a file';
      if (token === '>' && printing && depth <= 0) return 'its program writes to a file';
      operand = false;
    } else if (token === '(' || token === '[') {
      depth += 1;
      operand = false;
      conditions.push(token === '(' && /^(if|while|for)$/.test(previous));
    } else if (token === ')' || token === ']') {
      depth -= 1;
      operand = conditions.pop() !== true;
    } else if (/^[;{}\n]$/.test(token)) {
      const goesOn = token === '\n' && (depth > 0 || /^(,|&&|\|\||\?|:)$/.test(previous));
      operand = false;
      if (goesOn) continue; // any number of newlines may stand there
      printing = false;
    } else if (token === '++' || token === '--') {
      if (/^\s*\//.test(program.slice(at))) return 'its program is not understood';
    } else {
      operand = /^["\d.]/.test(token) || (token.length > 1 && token.startsWith('/') && token.endsWith('/'));
    }
    previous = token;
  }
  return undefined;
}

const string = /^"(?:[^"\\\n]|\\[^\n])*"/;
const pattern = /^\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:[^\]/\\\n]|\\[a-zA-Z.*+?$^(){}|-])*\])+\//;
const other =
  /^(?:[A-Za-z_]\w*|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|\+\+|--|\|\||&&|[-+*/%^=!<>]=|\*\*=?|[-+*/%^!<>=?:,;{}()[\]$~\n])/;

function nextToken(rest: string, afterOperand: boolean): string | undefined {
  // A slash where no operand came before is never a division: what is no whole pattern is not understood.
  const found = rest.startsWith('/') && !afterOperand ? pattern.exec(rest) : (string.exec(rest) ?? other.exec(rest));
  return found?.[0];
}
