// What is kept of a sign-in: one private file per server, named after the server's name and address.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { sha256 } from '../../platform/crypto.js';
import { readPrivateFile, withLock, writePrivateFile } from '../../platform/files/private-file.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { parseJson } from '../../platform/parse-json.js';
import { errorClause } from '../../platform/text/clause.js';

const LOCK_WAIT_MS = 60_000; // longer than the token requests of another process may take

const address = z.url({ protocol: /^https?$/ });

const credentialSchema = z.object({
  version: z.literal(1),
  server: z.object({ name: z.string(), url: address }),
  /** The authorization server that issued everything below: none of it goes to another one. */
  issuer: z.string(),
  authorizationServer: address,
  endpoints: z.object({
    token: address,
    revocation: address.optional(),
    /** The ways in which a client may show who it is. */
    clientAuth: z.array(z.string()).optional(),
  }),
  /** The resource that tokens are for. */
  resource: z.string().optional(),
  /** Where the server said that its metadata are, if it did. */
  resourceMetadataUrl: address.optional(),
  client: z.object({
    id: z.string(),
    /** Only of a registered client: a secret of settings is read from its variable. */
    secret: z.string().optional(),
    auth: z.string().optional(),
    from: z.enum(['settings', 'metadata', 'registration']),
    /** Of a registered client: the address that it was registered with. */
    redirectUri: z.string().optional(),
  }),
  tokens: z
    .object({
      access: z.string().min(1),
      refresh: z.string().optional(),
      /** Milliseconds since the epoch; absent if the server did not say. */
      expiresAt: z.number().optional(),
      /** From when on it is renewed before it is used. */
      renewAt: z.number().optional(),
      scope: z.string().optional(),
    })
    .optional(),
});

export type Credential = z.output<typeof credentialSchema>;
export type Tokens = NonNullable<Credential['tokens']>;

export interface ServerIdentity {
  name: string;
  url: string;
}

/** The credential of one server, on disk. */
export class CredentialFile {
  readonly path: string;
  readonly #identity: ServerIdentity;

  constructor(dataFolder: string, { name, url }: ServerIdentity) {
    this.#identity = { name, url };
    const hash = sha256()
      .update(JSON.stringify([name, url]))
      .digest('hex')
      .slice(0, 24);
    this.path = join(dataFolder, 'mcp-tokens', `${name.replaceAll(/[^\w-]/g, '_').slice(0, 40)}-${hash}.json`);
  }

  /** Undefined if nobody has signed in. Throws if the file can't be relied on. */
  read(): Credential | undefined {
    let why: string;
    try {
      const text = readPrivateFile(this.path);
      if (text === undefined) return undefined;
      const { success, data } = credentialSchema.safeParse(parseJson(text));
      const { name, url } = this.#identity;
      if (success && data.server.name === name && data.server.url === url) return data;
      why = success ? 'it belongs to another server' : 'its content is not a sign-in'; // the content stays out of messages
    } catch (error) {
      why = errorClause(error);
    }
    throw new AuthProblem(`${this.path} can't be relied on: ${why}. It is replaced by the next sign-in.`);
  }

  async write(credential: Credential | undefined): Promise<void> {
    if (credential) {
      await writePrivateFile(this.path, `${JSON.stringify(credential)}\n`);
      return;
    }
    const { unlink } = await import('node:fs/promises');
    await unlink(this.path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }

  /** Runs the work while no other process renews or replaces this credential. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    return await withLock(`${this.path}.lock`, work, { waitMs: LOCK_WAIT_MS });
  }

  /** Changes whenever the file is written or removed. */
  async stamp(): Promise<string> {
    const stats = await stat(this.path, { bigint: true }).catch(() => undefined);
    return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : '';
  }
}

/** The state of a sign-in as far as the file shows it; undefined if nobody has signed in. */
export function signInState(dataFolder: string, identity: ServerIdentity): 'signed in' | 'needs sign-in' | undefined {
  try {
    const credential = new CredentialFile(dataFolder, identity).read();
    if (!credential) return undefined;
    return credential.tokens ? 'signed in' : 'needs sign-in';
  } catch {
    return 'needs sign-in';
  }
}
