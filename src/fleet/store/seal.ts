// Encrypts what is stored in the database with a key that only workers have: AES-256-GCM. Each part is bound to its place,
// so that parts that were exchanged in the database are rejected.
import { UserFacingError } from '../../contract/user-facing-error.js';
import { messageOf } from '../../platform/message-of.js';

const crypto = () => process.getBuiltinModule('node:crypto');

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  /** Names the key without revealing it; stored beside each part. */
  readonly keyId: string;
  close(plain: Uint8Array, place: string): Buffer;
  /** Throws if it is not what was stored in this place. */
  open(sealed: Uint8Array, place: string): Buffer;
}

/** `key`: 32 bytes. */
export function sealWith(key: Uint8Array): Seal {
  const { createCipheriv, createDecipheriv, createHash, randomBytes } = crypto();
  const keyId = createHash('sha256').update('helve key id').update(key).digest('hex').slice(0, 16);
  return {
    keyId,
    close(plain, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, place) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
        decipher.setAAD(Buffer.from(place));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch (error) {
        throw new Error(
          `${place} can't be decrypted: it was changed or moved in the database (${messageOf(error)}). Restore the database from a backup.`,
          { cause: error },
        );
      }
    },
  };
}

/** As it is stored: encrypted, or with `keyId` null as it is. */
export interface SealedBytes {
  keyId: string | null;
  bytes: Uint8Array;
}

export function sealedBytes(seal: Seal | undefined, plain: string | Uint8Array, place: string): SealedBytes {
  const bytes = typeof plain === 'string' ? Buffer.from(plain) : plain;
  return seal ? { keyId: seal.keyId, bytes: seal.close(bytes, place) } : { keyId: null, bytes };
}

/** Throws if it can't be decrypted here. */
export function openSealed(seal: Seal | undefined, { keyId, bytes }: SealedBytes, place: string): Uint8Array {
  if (keyId === null) return bytes;
  if (seal?.keyId === keyId) return seal.open(bytes, place);
  throw new Error(
    `${place} is encrypted with the key ${keyId}, and this process has ${seal ? `the key ${seal.keyId}` : 'no key'}. Start it with --key-file and the file of that key.`,
  );
}

/** The key in a text of 64 hexadecimal digits. Throws with a sentence for the person. */
export function keyFrom(text: string, name: string): Uint8Array {
  const digits = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(digits)) {
    throw new UserFacingError(
      `${name} must have 64 hexadecimal digits, the 32 bytes of a key. Make one with: openssl rand -hex 32`,
    );
  }
  return Buffer.from(digits, 'hex');
}
