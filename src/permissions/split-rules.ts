// Several rules in one text, as a flag or the head of a command file has them. Parsing a rule is parse-rule.ts.

/** Splits rules at commas and spaces, except within parentheses. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let rule = '';
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else {
      rule += character;
    }
  }
  return [...rules, rule].filter((each) => each !== '');
}
