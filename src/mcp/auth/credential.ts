// What is kept of a sign-in: one private file per server, named after the server's name and address.
import { join } from 'node:path';
import * as z from 'zod';
import { sha256 } from '../../platform/crypto.js';
import { CredentialFile } from '../../platform/oauth/credential-file.js';

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
export function credentialFile(dataFolder: string, { name, url }: ServerIdentity): CredentialFile<Credential> {
  const hash = sha256()
    .update(JSON.stringify([name, url]))
    .digest('hex')
    .slice(0, 24);
  const file = `${name.replaceAll(/[^\w-]/g, '_').slice(0, 40)}-${hash}.json`;
  return new CredentialFile<Credential>(join(dataFolder, 'mcp-tokens', file), (value) => {
    const { data } = credentialSchema.safeParse(value);
    if (!data) return { problem: 'its content is not a sign-in' };
    const isOurs = data.server.name === name && data.server.url === url;
    return isOurs ? { credential: data } : { problem: 'it belongs to another server' };
  });
}

/** The state of a sign-in as far as the file shows it; undefined if nobody has signed in. */
export function signInState(dataFolder: string, identity: ServerIdentity): 'signed in' | 'needs sign-in' | undefined {
  try {
    const credential = credentialFile(dataFolder, identity).read();
    if (!credential) return undefined;
    return credential.tokens ? 'signed in' : 'needs sign-in';
  } catch {
    return 'needs sign-in';
  }
}
