// What is kept of a sign-in to a provider: one private file in the data folder.
import { join } from 'node:path';
import { dataFolderOf } from '../../platform/files/paths.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { CredentialFile, type ReadCredential } from '../../platform/oauth/credential-file.js';
import { isLoopbackName } from '../../platform/web/special-addresses.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The providers whose sign-ins have tokens that expire. A sign-in to OpenRouter ends with a key instead. */
export const tokenProviders = ['openai', 'copilot'] as const;

export type TokenProvider = (typeof tokenProviders)[number];

export interface SignInTokens {
  access: string;
  /** What a new access token is requested with. */
  refresh?: string;
  /** Milliseconds since the epoch; absent if the server did not say. */
  expiresAt?: number;
  /** From when on it is renewed before it is used. */
  renewAt?: number;
}

export interface ListedModel {
  name: string;
  title?: string;
}

export interface SignIn {
  version: 1;
  provider: TokenProvider;
  /** Where requests with the token go, and nowhere else. */
  api: string;
  /** The authorization server that issued the tokens. */
  issuer: string;
  /** Absent if the issuer does not know it any more: the next sign-in registers again. */
  clientId?: string;
  /** The account at the issuer, and its name for people. */
  subject?: string;
  account?: string;
  /** Absent after a sign-out, and if the sign-in has ended. The registration is kept for the next sign-in. */
  tokens?: SignInTokens;
  /** A renewal was begun: if it is still here at the next one, its answer was lost, with the token that replaced this. */
  renewing?: boolean;
  /** Why the sign-in has ended without a sign-out, as a sentence. */
  ended?: string;
  /** The person signed in, but did not allow to use the plan. */
  declined?: boolean;
  /** The models that the account may use, in the provider's order, and when they were listed. */
  models?: { list: readonly ListedModel[]; at: number };
}

export const signInFile = (env: Environment, provider: TokenProvider): CredentialFile<SignIn> =>
  new CredentialFile(join(dataFolderOf({ env }), 'sign-ins', `${provider}.json`), readerOf(provider));

/** A sign-in that requests may use, or one that has to be repeated. `problem` says why, as a sentence. */
export interface StoredSignIn {
  provider: TokenProvider;
  signIn?: SignIn;
  problem?: string;
}

/** The sign-ins of the user. One that was signed out of is left out. */
export function storedSignIns(env: Environment): StoredSignIn[] {
  return tokenProviders.flatMap((provider): StoredSignIn[] => {
    try {
      const signIn = signInFile(env, provider).read();
      if (signIn?.tokens) return [{ provider, signIn }];
      return signIn?.ended === undefined ? [] : [{ provider, signIn, problem: signIn.ended }];
    } catch (error) {
      return [{ provider, problem: messageOf(error) }];
    }
  });
}

/** Not by a schema library: this is read before the first request. */
const readerOf =
  (provider: TokenProvider): ReadCredential<SignIn> =>
  (value) => {
    if (!isObject(value) || value['version'] !== 1) return { problem: 'its content is not a sign-in' };
    if (value['provider'] !== provider) return { problem: 'it belongs to another provider' };
    const { api, issuer, clientId, subject, account, tokens, renewing, ended, declined, models } = value;
    const readTokens = tokens === undefined ? undefined : tokensIn(tokens);
    const areUsable = tokens === undefined || (readTokens && isText(clientId));
    if (!isText(issuer) || !isText(api) || !isSafeAddress(api) || !areUsable)
      return { problem: 'its content is not a sign-in' };
    const list = modelsIn(models);
    return {
      credential: {
        version: 1,
        ...{ provider, api, issuer },
        ...(isText(clientId) && { clientId }),
        ...(isText(subject) && { subject }),
        ...(isText(account) && { account }),
        ...(readTokens && { tokens: readTokens }),
        ...(renewing === true && { renewing }),
        ...(isText(ended) && { ended }),
        ...(declined === true && { declined }),
        ...(list && { models: list }),
      },
    };
  };

function tokensIn(value: unknown): SignInTokens | undefined {
  if (!isObject(value) || !isText(value['access'])) return undefined;
  const { access, refresh, expiresAt, renewAt } = value;
  return {
    access,
    ...(isText(refresh) && { refresh }),
    ...(typeof expiresAt === 'number' && { expiresAt }),
    ...(typeof renewAt === 'number' && { renewAt }),
  };
}

function modelsIn(value: unknown): SignIn['models'] {
  if (!isObject(value) || !Array.isArray(value['list']) || typeof value['at'] !== 'number') return undefined;
  const list = value['list'].flatMap((model: unknown): ListedModel[] => {
    if (!isObject(model) || !isText(model['name'])) return [];
    const { name, title } = model;
    return [{ name, ...(isText(title) && { title }) }];
  });
  return { list, at: value['at'] };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Encrypted, or on this machine. */
function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackName(url.hostname));
}
