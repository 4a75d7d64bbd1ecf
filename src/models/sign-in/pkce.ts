import { randomBytes } from 'node:crypto';
import { sha256 } from '../../platform/crypto.js';

/** A random text that can be part of an address. */
export const randomText = (): string => randomBytes(32).toString('base64url');

/** The proof that the program that began a sign-in is the one that ends it (RFC 7636). */
export function proofKey(): { verifier: string; challenge: string } {
  const verifier = randomText();
  return { verifier, challenge: sha256().update(verifier).digest('base64url') };
}
