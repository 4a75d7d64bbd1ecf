import { looksInvented } from './looks-invented.js';
import type { Occurrence } from './occurrence.js';

const HEADER =
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|PuTTY-User-Key-File-[23]: /g;
const MAX_BLOCK_CHARS = 1_200; // many keys start with the same lines; this much distinguishes them
const LINE_BREAK = /\r\n|\r|\n|\\r\\n|\\n/; // a real one, or its escape in a string
const FIELD = /^[A-Za-z][\w-]*: /; // "Version: …", "Proc-Type: …"
const PUNCTUATION = /["'`+,;()\s]/g; // what is between the pieces of a string
const KEY_DATA = /^=?[A-Za-z0-9+/]{3,}={0,2}(?:\.{3}|…)?$/;
const LONG_KEY_DATA = /[A-Za-z0-9+/]{32}/;

/** Blocks with key data. A header alone, as in programs that read keys, does not count. */
export function findPrivateKeys(text: string): Occurrence[] {
  const headers = [...text.matchAll(HEADER)];
  return headers.flatMap(({ 0: header, index: at }, position) => {
    const start = at + header.length;
    const stop = Math.min(start + MAX_BLOCK_CHARS, headers[position + 1]?.index ?? text.length);
    const [body = ''] = text.slice(start, stop).split(/---- ?END /, 1);
    return isKeyData(header, body) ? [{ at, kind: 'private key', text: header + body }] : [];
  });
}

function isKeyData(header: string, body: string): boolean {
  if (header.startsWith('PuTTY')) return body.includes('Private-Lines:');
  const [rest = '', ...lines] = body.split(LINE_BREAK).map((line) => line.trim());
  const data = lines.find((line) => line.replace(PUNCTUATION, '') !== '' && !FIELD.test(line)) ?? '';
  if (looksInvented(data)) return false;
  // A short line counts only if the header stands as in a key file; inside a program's string it could be any word.
  return (rest === '' && KEY_DATA.test(data)) || LONG_KEY_DATA.test(data) || LONG_KEY_DATA.test(rest);
}
