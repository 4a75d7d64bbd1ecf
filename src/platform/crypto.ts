import type { Hash } from 'node:crypto';

// Not by `import`: that evaluates every export of the module, and one of them loads all of WebCrypto, which would
// slow down every start.
const crypto = () => process.getBuiltinModule('node:crypto');

export const randomId = (): string => crypto().randomUUID();

export const randomHex = (bytes: number): string => crypto().randomBytes(bytes).toString('hex');

export const sha256 = (): Hash => crypto().createHash('sha256');

/** The SHA-256 hash, in hexadecimal. */
export const hashOf = (bytes: Uint8Array): string => sha256().update(bytes).digest('hex');
