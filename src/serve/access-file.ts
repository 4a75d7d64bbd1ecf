// Who may use the server: tokens with their roles, the browsers that are signed in, and one-time codes. Secrets are stored
// as hashes only. The file is private, replaced as a whole, and changed under a lock, since several processes change it.

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientRole, isClientRole } from '../contract/client-role.js';
import { UserFacingError } from '../contract/user-facing-error.js';
import { hashOf, randomHex } from '../platform/crypto.js';
import { readPrivateFile, withLock, writePrivateFile } from '../platform/files/private-file.js';
import { asWriteFailure } from '../platform/files/write-failure.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { parseJson } from '../platform/parse-json.js';
import { isSameSecret } from '../platform/web/guarded-request.js';

const CODE_MS = 5 * 60_000;
const BROWSER_MS = 30 * 24 * 3_600_000;
const MAX_TOKENS = 200;
const MAX_BROWSERS = 8; // of one token; the next one signs the oldest out
const MAX_CODES = 20;
const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'; // none that look alike; 32 of them, so each byte is fair
const TOKEN_PREFIX = 'helve_';

/** The file can't be read or changed; the message says why and what to do. */
export class AccessProblem extends UserFacingError {
  override readonly name = 'AccessProblem';
}

/** What a token may do in a fleet. */
export interface FleetScope {
  /** It sees and begins sessions of this project only. */
  project?: string | undefined;
  /** How many of its prompts run at once. */
  running?: number | undefined;
  /** How many prompts it may send in a day. */
  perDay?: number | undefined;
}

/** What a client was let in with. */
export interface Grant extends FleetScope {
  /** Unique: a token that is revoked and added again is another one. */
  id: string;
  /** Names the actor in the audit log. */
  name: string;
  role: ClientRole;
  /** Milliseconds since the epoch. */
  expires?: number | undefined;
  /** The hash of the cookie, if a browser was let in: it is signed out apart from its token. */
  browser?: string | undefined;
}

export interface ListedToken extends Grant {
  created: number;
  /** A browser that was signed in by a one-time code. It has no token of its own. */
  isBrowser: boolean;
  /** How many browsers are signed in with it. */
  browsers: number;
}

/** What a browser needs from then on: one secret in its cookie, and one that only pages of this port can read. */
export interface BrowserSecrets {
  cookie: string;
  key: string;
}

interface StoredBrowser {
  cookie: string;
  key: string;
}

interface StoredToken extends Grant {
  created: number;
  hash?: string | undefined;
  browsers: readonly StoredBrowser[];
}

interface StoredCode {
  hash: string;
  role: ClientRole;
  project?: string | undefined;
  expires: number;
}

interface Stored {
  tokens: readonly StoredToken[];
  codes: readonly StoredCode[];
}

export class AccessFile {
  readonly folder: string;
  readonly path: string;
  #cached: { mark: string; stored: Stored } | undefined;

  constructor(dataFolder: string) {
    this.folder = join(dataFolder, 'serve');
    this.path = join(this.folder, 'access.json');
  }

  list(): ListedToken[] {
    return this.#read().tokens.map(({ hash, browsers, ...rest }) => ({
      ...rest,
      isBrowser: hash === undefined,
      browsers: browsers.length,
    }));
  }

  /** Returns the token, which is stored nowhere. */
  async addToken(name: string, role: ClientRole, expires?: number, scope: FleetScope = {}): Promise<string> {
    const token = `${TOKEN_PREFIX}${randomHex(32)}`;
    await this.#change(({ tokens, codes }) => {
      if (tokens.some((one) => one.name === name)) {
        throw new AccessProblem(
          `There is a token named "${name}" already. Choose another name, or revoke it first with helve serve tokens revoke ${name}.`,
        );
      }
      if (tokens.length >= MAX_TOKENS) {
        throw new AccessProblem(
          `There are ${MAX_TOKENS} tokens already, which is the limit. helve serve tokens revoke NAME removes one.`,
        );
      }
      const secret = { hash: hashed(token), browsers: [] };
      const added = { id: randomHex(8), name, role, ...scope, created: Date.now(), expires, ...secret };
      return { stored: { tokens: [...tokens, added], codes }, result: undefined };
    });
    return token;
  }

  /** False if there is none of that name. */
  async revoke(name: string): Promise<boolean> {
    return await this.#change(({ tokens, codes }) => {
      const left = tokens.filter((one) => one.name !== name);
      return { stored: { tokens: left, codes }, result: left.length < tokens.length };
    });
  }

  /** A code that signs one browser in within five minutes. */
  async addCode(role: ClientRole, project?: string): Promise<string> {
    const bytes = [...Buffer.from(randomHex(8), 'hex')];
    const letters = bytes.map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length]).join('');
    await this.#change(({ tokens, codes }) => {
      const added = { hash: hashed(letters), role, project, expires: Date.now() + CODE_MS };
      return { stored: { tokens, codes: [...codes, added].slice(-MAX_CODES) }, result: undefined };
    });
    return `${letters.slice(0, 4)}-${letters.slice(4)}`;
  }

  /** Whom a token belongs to. */
  byToken(token: string): Grant | undefined {
    const hash = hashed(token);
    return grantOf(this.#read().tokens.find((one) => one.hash !== undefined && isSameSecret(one.hash, hash)));
  }

  byBrowser({ cookie, key }: BrowserSecrets): Grant | undefined {
    const [cookieHash, keyHash] = [hashed(cookie), hashed(key)];
    const isOurs = (one: StoredBrowser): boolean =>
      isSameSecret(one.cookie, cookieHash) && isSameSecret(one.key, keyHash);
    for (const token of this.#read().tokens) {
      const found = token.browsers.find(isOurs);
      const grant = found && grantOf(token);
      if (grant) return { ...grant, browser: found.cookie };
    }
    return undefined;
  }

  /** Whether what a client was let in with still holds as it was. */
  holds({ id, role, project, browser }: Grant): boolean {
    const one = this.#read().tokens.find((token) => token.id === id);
    const isSignedIn = browser === undefined || one?.browsers.some(({ cookie }) => cookie === browser) === true;
    const grant = grantOf(one);
    return isSignedIn && grant?.role === role && grant.project === project;
  }

  /** Signs a browser in. Undefined if the token or code is not valid. A code is used up by this. */
  async signIn(given: { token: string } | { code: string }): Promise<(BrowserSecrets & Grant) | undefined> {
    if ('token' in given && !this.byToken(given.token)) return undefined; // without a write
    const code = 'code' in given ? given.code.toUpperCase().replace(/[\s-]/g, '') : '';
    if ('code' in given && !this.#codeIn(this.#read(), code)) return undefined;
    return await this.#change((stored) => {
      const secrets = { cookie: randomHex(32), key: randomHex(32) };
      const browser = { cookie: hashed(secrets.cookie), key: hashed(secrets.key) };
      if ('token' in given) {
        const hash = hashed(given.token);
        const found = stored.tokens.find((one) => one.hash !== undefined && isSameSecret(one.hash, hash));
        const grant = grantOf(found);
        if (!found || !grant) return { stored, result: undefined };
        const browsers = [...found.browsers, browser].slice(-MAX_BROWSERS);
        const tokens = stored.tokens.map((one) => (one === found ? { ...one, browsers } : one));
        return { stored: { ...stored, tokens }, result: { ...secrets, ...grant } };
      }
      const used = this.#codeIn(stored, code);
      if (!used) return { stored, result: undefined };
      const id = randomHex(8);
      const created = Date.now();
      const { role, project } = used;
      const grant = { id, name: `browser-${id.slice(0, 6)}`, role, project, expires: created + BROWSER_MS };
      const tokens = [...stored.tokens, { ...grant, created, browsers: [browser] }];
      const codes = stored.codes.filter((one) => one !== used);
      return { stored: { tokens, codes }, result: { ...secrets, ...grant } };
    });
  }

  /** Signs a browser out. */
  async signOut({ cookie }: BrowserSecrets): Promise<void> {
    const hash = hashed(cookie);
    await this.#change(({ tokens, codes }) => {
      const left = tokens
        .map((one) => ({ ...one, browsers: one.browsers.filter((browser) => !isSameSecret(browser.cookie, hash)) }))
        .filter((one) => one.hash !== undefined || one.browsers.length > 0);
      return { stored: { tokens: left, codes }, result: undefined };
    });
  }

  #codeIn({ codes }: Stored, code: string): StoredCode | undefined {
    const hash = hashed(code);
    return codes.find((one) => isSameSecret(one.hash, hash) && isCurrent(one.expires - Date.now()));
  }

  /** What the file holds now, without reading it again if it is the same file. */
  #read(): Stored {
    const stats = lstatSync(this.path, { throwIfNoEntry: false, bigint: true });
    const mark = stats ? `${stats.ino}:${stats.ctimeNs}:${stats.size}` : ''; // a change of its mode counts, too
    if (this.#cached?.mark === mark) return this.#cached.stored;
    const stored = this.#load();
    this.#cached = { mark, stored };
    return stored;
  }

  #load(): Stored {
    let text: string | undefined;
    try {
      text = readPrivateFile(this.path);
    } catch (error) {
      throw new AccessProblem(
        `${this.path} can't be used: ${messageOf(error)}. It holds the tokens of helve serve, so no one is let in. Correct or remove it; removing it revokes all tokens.`,
      );
    }
    const stored = text === undefined ? { tokens: [], codes: [] } : checked(parseJson(text));
    if (stored) return stored;
    throw new AccessProblem(
      `${this.path} is damaged or was written by a later version of Helve, so no one is let in. Remove it, which revokes all tokens, and add them again with helve serve tokens add.`,
    );
  }

  async #change<Result>(change: (stored: Stored) => { stored: Stored; result: Result }): Promise<Result> {
    return await withLock(join(this.folder, 'access.lock'), async () => {
      const now = Date.now();
      const before = this.#load();
      const { stored, result } = change(before);
      if (stored === before) return result;
      const isValid = ({ expires }: { expires?: number | undefined }): boolean =>
        expires === undefined || expires > now;
      const kept = {
        v: 1,
        // A token that has expired is listed until it is revoked; a browser that has is forgotten.
        tokens: stored.tokens.filter((one) => one.hash !== undefined || isValid(one)),
        codes: stored.codes.filter(isValid),
      };
      await writePrivateFile(this.path, `${JSON.stringify(kept, null, 2)}\n`);
      return result;
    }).catch(async (error: unknown) => {
      throw error instanceof AccessProblem ? error : await asWriteFailure(error, this.path, 'written');
    });
  }
}

function grantOf(token: StoredToken | undefined): Grant | undefined {
  if (!token) return undefined;
  const { id, name, role, expires, project, running, perDay } = token;
  if (expires !== undefined && expires <= Date.now()) return undefined;
  return { id, name, role, expires, project, running, perDay };
}

/** More time than a code is given means that the clock was set back, so its age is not known. */
const isCurrent = (leftMs: number): boolean => leftMs > 0 && leftMs <= CODE_MS;

/** A fast hash is enough: tokens are 256 random bits, and codes are gone before theirs could be searched. */
const hashed = (secret: string): string => hashOf(Buffer.from(secret));

function checked(value: unknown): Stored | undefined {
  if (!isObject(value) || value['v'] !== 1) return undefined;
  const { tokens, codes } = value;
  if (!Array.isArray(tokens) || !Array.isArray(codes)) return undefined;
  return tokens.every(isToken) && codes.every(isCode) ? { tokens, codes } : undefined;
}

function isToken(value: unknown): value is StoredToken {
  if (!isObject(value)) return false;
  const { id, name, role, created, expires, hash, browsers, project, running, perDay } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || !isClientRole(role) || typeof created !== 'number')
    return false;
  if (project !== undefined && typeof project !== 'string') return false;
  if ([expires, running, perDay].some((one) => one !== undefined && typeof one !== 'number')) return false;
  if (hash !== undefined && typeof hash !== 'string') return false;
  return Array.isArray(browsers) && browsers.every(isBrowser);
}

const isBrowser = (value: unknown): value is StoredBrowser =>
  isObject(value) && typeof value['cookie'] === 'string' && typeof value['key'] === 'string';

const isCode = (value: unknown): value is StoredCode =>
  isObject(value) &&
  typeof value['hash'] === 'string' &&
  ['string', 'undefined'].includes(typeof value['project']) &&
  isClientRole(value['role']) &&
  typeof value['expires'] === 'number';
