// Formats servers without their secrets, since output is easily shared.

import { isObject } from '../../platform/is-object.js';
import { visible } from '../../platform/text/visible.js';
import type { KnownServer } from './known-servers.js';

const HIDDEN = '***';
const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|session/i;

/** The entry with the values of variables, headers, addresses and secret-looking arguments masked. */
export function withoutSecrets(entry: KnownServer['entry']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      if (name === 'args' && Array.isArray(value)) return [name, maskedArguments(value.map(String))];
      if (name === 'url' && typeof value === 'string') return [name, maskedAddress(value)];
      return [name, name === 'env' || name === 'headers' ? maskedValues(value) : maskedByName(name, value)];
    }),
  );
}

/** A reference to a variable is not a secret: it only says where the secret is. */
const masked = (value: string): string => (/^(?:[A-Za-z]+ )?\$\{\w+\}$/.test(value) ? value : HIDDEN);

function maskedValues(value: unknown): unknown {
  if (!isObject(value)) return HIDDEN;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(String(inner))]));
}

function maskedByName(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => maskedByName(name, inner));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([inner, held]) => [inner, maskedByName(inner, held)]));
  }
  const isAddress = /url$|issuer/i.test(name);
  return typeof value === 'string' && SECRET_NAME.test(name) && !isAddress ? masked(value) : value;
}

/** `--api-key X`, `--token=X`, `TOKEN=X`. */
function maskedArguments(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? '';
    if (/^--?[\w-]+$/.test(before) && SECRET_NAME.test(before) && !word.startsWith('-')) return masked(word);
    const [, name = '', value = ''] = /^(-{0,2}[\w-]+=)(.*)$/s.exec(word) ?? [];
    return name !== '' && SECRET_NAME.test(name) ? `${name}${masked(value)}` : maskedAddress(word);
  });
}

/** Masks user name and password in an address, and its query. */
function maskedAddress(text: string): string {
  if (!/^[a-z]+:\/\//i.test(text)) return text;
  return text
    .replace(/^([a-z]+:\/\/)[^/@]*@/i, `$1${HIDDEN}@`)
    .replace(/([?&][^=&#]+=)([^&#]*)/g, (_, name: string, value: string) => `${name}${masked(value)}`);
}

/** Its command or address, in one line. */
export function summaryOf({ entry }: KnownServer): string {
  const shown = withoutSecrets(entry);
  const { command, url, type } = shown;
  if (typeof command === 'string') {
    const words = [command, ...(Array.isArray(shown['args']) ? shown['args'].map(String) : [])];
    return visible(words.map(quoted).join(' '));
  }
  return visible(`${String(url ?? '')} (${String(type ?? 'no type')})`);
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

export const placeOf = ({ file, line }: KnownServer): string => visible(line === undefined ? file : `${file}:${line}`);

/** One word, and the reason if it is not used. */
export function stateOf({ state, problem, signIn }: KnownServer): string {
  if (problem !== undefined) return `${state}: ${visible(problem)}`;
  return signIn === undefined ? state : `${state}, ${signIn}`;
}

export function asRow(server: KnownServer) {
  const { name, scope, file, line = null, state, problem = null, signIn = null, entry } = server;
  return { name, scope, file, line, state, problem, signIn, server: withoutSecrets(entry) };
}
