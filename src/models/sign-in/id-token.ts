import { createPublicKey, verify } from 'node:crypto';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';

export interface ExpectedIdToken {
  issuer: string;
  /** The client that it has to be for. */
  audience: string;
  nonce: string | undefined;
  /** The keys of the issuer, as its JWKS document has them. */
  keys: readonly unknown[];
  /** In milliseconds since the epoch. */
  now: number;
}

const SKEW_S = 60; // of this machine's clock

/** Checks an ID token (OpenID Connect Core, 3.1.3.7). Returns its claims, or what is wrong as a clause. */
export function checkIdToken(
  token: string,
  { issuer, audience, nonce, keys, now }: ExpectedIdToken,
): { claims: Record<string, unknown> } | { problem: string } {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  const [header, claims] = [head, body].map((part) => parseJson(Buffer.from(part, 'base64url').toString()));
  if (!isObject(header) || !isObject(claims) || more.length > 0) return { problem: 'it is not a signed token' };
  if (header['alg'] !== 'RS256') return { problem: 'it is not signed with RS256' };
  const signed = Buffer.from(`${head}.${body}`);
  const fitting = keys.filter((key) => isObject(key) && key['kty'] === 'RSA' && key['kid'] === header['kid']);
  if (!fitting.some((key) => isSignedBy(key, signed, Buffer.from(signature, 'base64url')))) {
    return { problem: 'its signature is not that of the issuer' };
  }
  const { iss, aud, azp, exp, sub } = claims;
  if (iss !== issuer) return { problem: 'it is from another issuer' };
  const audiences = [aud].flat();
  if (!audiences.includes(audience)) return { problem: 'it is for another program' };
  if (audiences.length > 1 && azp !== audience) return { problem: 'it is for another program' };
  if (typeof exp !== 'number' || (exp + SKEW_S) * 1000 < now) return { problem: 'it has expired' };
  if (nonce !== undefined && claims['nonce'] !== nonce) return { problem: 'it belongs to another sign-in' };
  if (typeof sub !== 'string' || sub === '') return { problem: 'it names no account' };
  return { claims };
}

function isSignedBy(key: unknown, signed: Buffer, signature: Buffer): boolean {
  if (!isObject(key)) return false;
  try {
    const { kty, n, e } = key;
    if (typeof kty !== 'string' || typeof n !== 'string' || typeof e !== 'string') return false;
    return verify('RSA-SHA256', signed, createPublicKey({ key: { kty, n, e }, format: 'jwk' }), signature);
  } catch {
    return false; // not a key
  }
}
