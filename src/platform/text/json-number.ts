// The grammar of a JSON number, one character at a time.

export type NumberPart =
  | 'start'
  | 'sign'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent sign'
  | 'exponent digits';

export function nextNumberPart(part: NumberPart, char: string): NumberPart | undefined {
  switch (part) {
    case 'start':
      if (char === '-') return 'sign';
      return nextNumberPart('sign', char);
    case 'sign':
      if (char === '0') return 'zero';
      return isDigit(char) ? 'integer' : undefined;
    case 'zero':
    case 'integer':
      if (char === '.') return 'point';
      if (char === 'e' || char === 'E') return 'exponent';
      return part === 'integer' && isDigit(char) ? 'integer' : undefined;
    case 'point':
      return isDigit(char) ? 'fraction' : undefined;
    case 'fraction':
      if (char === 'e' || char === 'E') return 'exponent';
      return isDigit(char) ? 'fraction' : undefined;
    case 'exponent':
      if (char === '+' || char === '-') return 'exponent sign';
      return isDigit(char) ? 'exponent digits' : undefined;
    case 'exponent sign':
    case 'exponent digits':
      return isDigit(char) ? 'exponent digits' : undefined;
  }
}

export const canEndNumber = (part: NumberPart): boolean =>
  part === 'zero' || part === 'integer' || part === 'fraction' || part === 'exponent digits';

export const isDigit = (char: string): boolean => char >= '0' && char <= '9';
