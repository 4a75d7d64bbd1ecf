// Commands of Gemini extensions: TOML with the texts `prompt` and `description`, turned into a command of Helve.

/** Thrown for a text that is not understood; a clause. */
class TomlProblem extends Error {}

/** The markdown of the command, or a clause that says why it can't be used. */
export function tomlCommand(toml: string): { text: string } | { problem: string } {
  try {
    const { prompt, description } = readTexts(toml);
    if (prompt === undefined || prompt.trim() === '') return { problem: 'it has no text "prompt"' };
    const front =
      description === undefined
        ? ''
        : `---\ndescription: ${JSON.stringify(description.replaceAll(/\s+/g, ' '))}\n---\n`;
    return { text: `${front}${convertPrompt(prompt)}` };
  } catch (error) {
    if (error instanceof TomlProblem) return { problem: error.message };
    throw error;
  }
}

/** `{{args}}`, `!{command}` and `@{file}` become `$ARGUMENTS`, a command to run, and `@file`. */
function convertPrompt(prompt: string): string {
  const literal = prompt.replaceAll(/\$(?=ARGUMENTS|[1-9]|\{|[A-Za-z_])/g, '\\$');
  const withArguments = literal.replaceAll('{{args}}', '$ARGUMENTS');
  let text = '';
  let from = 0;
  for (const match of withArguments.matchAll(/([!@])\{/g)) {
    if (match.index < from) continue;
    const end = closingBrace(withArguments, match.index + 2);
    if (end === undefined) throw new TomlProblem(`"${match[0]}" in its prompt has no closing brace`);
    const inner = withArguments.slice(match.index + 2, end).trim();
    text += withArguments.slice(from, match.index);
    text += match[1] === '@' ? `@${inner}` : shellPart(inner);
    from = end + 1;
  }
  return text + withArguments.slice(from);
}

function shellPart(command: string): string {
  if (!/[`\n]/.test(command)) return ` !\`${command}\``;
  if (command.includes('```')) throw new TomlProblem('a command in its prompt contains three backticks');
  return `\n\`\`\`!\n${command}\n\`\`\`\n`;
}

function closingBrace(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Reads top-level keys with texts, which is all that such a file may contain. */
function readTexts(toml: string): { prompt?: string; description?: string } {
  const found = new Map<string, string>();
  let rest = toml.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  for (;;) {
    rest = rest.replace(/^(?:[ \t\n]+|#[^\n]*)+/, '');
    if (rest === '') break;
    const [head, key = ''] = /^(?:([A-Za-z0-9_-]+)|"([^"\n]*)")[ \t]*=[ \t]*/.exec(rest) ?? [];
    const line = toml.split('\n').length - rest.split('\n').length + 1;
    if (head === undefined) throw new TomlProblem(`line ${line}: expected a key and a text, as in prompt = "…"`);
    if (found.has(key)) throw new TomlProblem(`line ${line}: "${key}" is there twice`);
    const { value, length } = readText(rest.slice(head.length), line);
    rest = rest.slice(head.length + length);
    if (!/^[ \t]*(?:#[^\n]*)?(?:\n|$)/.test(rest))
      throw new TomlProblem(`line ${line}: unexpected text after the value`);
    found.set(key, value);
  }
  const [prompt, description] = [found.get('prompt'), found.get('description')];
  return { ...(prompt !== undefined && { prompt }), ...(description !== undefined && { description }) };
}

function readText(text: string, line: number): { value: string; length: number } {
  for (const [mark, isLiteral] of [
    ['"""', false],
    ["'''", true],
    ['"', false],
    ["'", true],
  ] as const) {
    if (!text.startsWith(mark)) continue;
    const end = endOf(text, mark, isLiteral);
    if (end === undefined) throw new TomlProblem(`line ${line}: the text has no end`);
    const inner = text.slice(mark.length, end);
    if (mark.length === 1 && inner.includes('\n'))
      throw new TomlProblem(`line ${line}: the text has no end in its line`);
    const whole = mark.length === 3 ? inner.replace(/^\n/, '') : inner;
    return { value: isLiteral ? whole : unescaped(whole, line), length: end + mark.length };
  }
  throw new TomlProblem(`line ${line}: only texts are understood here`);
}

function endOf(text: string, mark: string, isLiteral: boolean): number | undefined {
  for (let at = mark.length; at < text.length; at += 1) {
    if (text[at] === '\\' && !isLiteral) at += 1;
    else if (text.startsWith(mark, at)) {
      let end = at;
      while (mark.length === 3 && text[end + 3] === mark[0]) end += 1; // up to two quotes may precede the end
      return end;
    }
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' },
};

function unescaped(text: string, line: number): string {
  return text.replaceAll(
    /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[ \t]*\n[\s]*|([\s\S]))/g,
    (written, short?: string, long?: string, plain?: string) => {
      const code = short ?? long;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
          throw new TomlProblem(`line ${line}: ${written} is no character`);
        return String.fromCodePoint(point);
      }
      if (plain === undefined) return '';
      const meant = escapes[plain];
      if (meant === undefined) throw new TomlProblem(`line ${line}: there is no escape \\${plain}`);
      return meant;
    },
  );
}
