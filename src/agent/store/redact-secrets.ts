// Redacts secrets in texts that may leave this machine: false positives are better than a missed key. Only the
// shown text is changed, never the session.
import { findCredentials } from '../../tools/editing/secrets/find-credentials.js';
import { findPrivateKeys } from '../../tools/editing/secrets/find-private-keys.js';
import { looksInvented } from '../../tools/editing/secrets/looks-invented.js';

const MAX_KEY_CHARS = 20_000;
const MIN_KNOWN_CHARS = 6; // a shorter value would match parts of ordinary words

/**
 * Matches every text in which one of the searches below finds something, but few short inputs of tools: a long
 * run of letters and digits, or a word that precedes a secret. It saves about 70 searches.
 */
const MAY_HOLD_SECRET =
  /[A-Za-z0-9_+%=-]{16}|:\/\/|pass|pwd|secret|token|key|cred|auth|bearer|cookie|sig=|glc_|whsec_|-u[ =]|--user|BEGIN|PuTTY|Private/i;

interface Range {
  from: number;
  to: number;
  kind: string;
}

/** Redacts keys, tokens and passwords. `known` are secret values of any format. */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  const found = MAY_HOLD_SECRET.test(text)
    ? [...privateKeys(text), ...credentials(text), ...keyIds(text), ...named(text)]
    : [];
  const ranges = [...found, ...given(text, known)];
  if (ranges.length === 0) return text;
  let clean = '';
  let at = 0;
  for (const { from, to, kind } of ranges.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    if (to <= at) continue;
    if (from >= at) clean += `${text.slice(at, from)}[redacted: ${kind}]`;
    at = to;
  }
  return clean + text.slice(at);
}

function privateKeys(text: string): Range[] {
  return findPrivateKeys(text).map(({ at, text: found }) => {
    const block = text.slice(at, at + MAX_KEY_CHARS);
    const end = /-----END [A-Z0-9 ]{0,80}-----|---- END SSH2 [A-Z ]{0,40}----|Private-MAC: [0-9a-f]+/.exec(block);
    // A key that was cut off ends with its last valid character.
    const rest = /^[A-Za-z0-9+/=\s\\]*/.exec(block.slice(found.length))?.[0].length ?? 0;
    return { from: at, to: at + (end ? end.index + end[0].length : found.length + rest), kind: 'private key' };
  });
}

const credentials = (text: string): Range[] =>
  findCredentials(text).map(({ at, kind, text: found }) => ({ from: at, to: at + found.length, kind }));

/** Includes ids that contain EXAMPLE, since a real one may, and redacting them does no harm. */
const keyIds = (text: string): Range[] =>
  [...text.matchAll(/(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g)].map(
    ({ 0: { length }, index }) => ({ from: index, to: index + length, kind: 'AWS access key id' }),
  );

const NAME =
  'pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?|client[_-]?secret';
const VALUE = `(?<quote>\\\\?["'\`])(?<quoted>[^"'\`\\n\\\\]{3,400})\\\\?["'\`]|(?<bare>[^\\s"'\`,;(){}<>[\\]\\\\]{3,400})`;

/** Values after a name that indicates a secret. The group `bare`, `quoted` or `value` is redacted. */
const patterns: ReadonlyArray<{ kind: string; pattern: RegExp; isSecret?: (value: string, whole: string) => boolean }> =
  [
    {
      kind: 'secret',
      // name: "value", name=value, "name": "value"
      pattern: new RegExp(
        `(?<![A-Za-z])(?:[A-Za-z0-9_.-]{0,40}[_.-])?(?:${NAME})(?:[_-][A-Za-z0-9]{1,20})?\\\\?["'\`]?[ \\t]{0,8}(?::=|=>|[=:])[ \\t]{0,8}(?:${VALUE})`,
        'gi',
      ),
      isSecret: isSecretValue,
    },
    {
      kind: 'secret',
      // dbPassword = "value"
      pattern: new RegExp(
        `(?:[a-z0-9](?:Password|Secret|Token|ApiKey|AccessKey|PrivateKey))\\\\?["'\`]?[ \\t]{0,8}(?::=|=>|[=:])[ \\t]{0,8}(?:${VALUE})`,
        'g',
      ),
      isSecret: isSecretValue,
    },
    { kind: 'secret', pattern: new RegExp(`--(?:${NAME})[ =](?:${VALUE})`, 'gi') },
    {
      kind: 'authorization',
      pattern:
        /authorization\\?["'`]?[ \t]{0,8}[:=][ \t]{0,8}\\?["'`]?(?:(?:bearer|basic|token|digest) )?(?<value>[^\s"'`\\]{4,2000})/gi,
    },
    {
      kind: 'authorization',
      pattern: /(?<![A-Za-z])Bearer (?<value>(?=[^\s"'`]{0,200}\d)[A-Za-z0-9._~+/=-]{16,2000})/g,
    },
    { kind: 'cookie', pattern: /(?:set-)?cookie\\?["'`]?[ \t]{0,8}:[ \t]{0,8}\\?["'`]?(?<value>[^\n"'`\\]{8,4000})/gi },
    {
      kind: 'password',
      pattern: /(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{0,64}:(?<value>[^\s@/"'`<>]{1,128})@/gi,
    },
    { kind: 'password', pattern: /[ \t](?:-u|--user)[ =]["'`]?[^\s:"'`]{1,64}:(?<value>[^\s"'`]{1,128})/g },
  ];

function named(text: string): Range[] {
  return patterns.flatMap(({ kind, pattern, isSecret = () => true }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: whole, index, groups = {} }) => {
      const value = groups['value'] ?? groups['quoted'] ?? groups['bare'] ?? '';
      if (value === '' || isReference(value) || looksInvented(value) || !isSecret(value, whole)) return [];
      const from = index + whole.lastIndexOf(value);
      return [{ from, to: from + value.length, kind }];
    }),
  );
}

/** A reference to a variable or to the environment. */
const isReference = (value: string): boolean => /^\$|^%[A-Z_]+%$|^process\.env|^os\.environ|^\[redacted/.test(value);

/** Such names are common in code; a type, a call or another name after one is not a secret. */
function isSecretValue(value: string, whole: string): boolean {
  const isQuoted = /["'`]$/.test(whole);
  const isSetting = /^[A-Z0-9_.-]+[ \t]*=[^=]/.test(whole); // DB_PASSWORD=…
  if (isSetting) return true;
  if (isQuoted) return !/\s/.test(value) || /\d/.test(value);
  return /\d/.test(value) && value.length >= 6 && !/^[A-Za-z_$][\w$]*(?:\.[\w$]+)+$/.test(value);
}

/** The values of environment variables whose names indicate a secret. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const secrets: string[] = [];
  for (const name of Object.keys(env)) {
    const value = SECRET_NAME.test(name) ? env[name] : undefined;
    if (value !== undefined && value.length >= 8) secrets.push(value);
  }
  return secrets;
}

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

function given(text: string, known: readonly string[]): Range[] {
  return known
    .filter((value) => value.length >= MIN_KNOWN_CHARS)
    .flatMap((value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])]) // also in its JSON form, as in an input
    .flatMap((value) => {
      const ranges: Range[] = [];
      for (let from = text.indexOf(value); from >= 0; from = text.indexOf(value, from + value.length)) {
        ranges.push({ from, to: from + value.length, kind: 'secret' });
      }
      return ranges;
    });
}
