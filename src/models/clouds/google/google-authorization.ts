import { createSign } from 'node:crypto';
import { ModelFailure } from '../../../contract/model.js';
import { isObject } from '../../../platform/is-object.js';
import { messageOf } from '../../../platform/message-of.js';
import { programOutput } from '../../../platform/shell/program-output.js';
import type { Authorization } from '../../http/authorization.js';
import { shorten } from '../../http/failures.js';
import { type Expiring, keptUntilExpiry } from '../../http/kept-until-expiry.js';
import { nodePost, type Post } from '../../http/post.js';
import { type GoogleCredentials, googleCredentials } from './google-credentials.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const USER_TOKEN_URI = 'https://oauth2.googleapis.com/token';
const TIMEOUT_MS = 30_000;
const KEPT_MS = 5 * 60_000; // a token of gcloud, which does not say when it expires
const ASSERTION_S = 3600; // the longest that Google accepts
const MAX_ANSWER_BYTES = 64 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

export interface GoogleAuthorizationOptions {
  post?: Post;
  now?: () => number;
  /** Where the tokens of a person are refreshed; a service account's file says so itself. */
  userTokenUri?: string;
}

/**
 * Authorises requests to Google's clouds with application default credentials. The token is kept in memory and
 * refreshed once for all requests that need it.
 */
export function googleAuthorization(env: Environment, options: GoogleAuthorizationOptions = {}): Authorization {
  const { now = Date.now, post = nodePost(), userTokenUri = USER_TOKEN_URI } = options;
  let isFixed = false;
  const token = keptUntilExpiry(async () => {
    const credentials = await googleCredentials(env);
    isFixed = credentials.kind === 'token';
    return await tokenFrom(credentials, { env, post, now, userTokenUri });
  }, now);
  return {
    async headersFor(_, signal) {
      const value = await token.get();
      signal.throwIfAborted();
      return { authorization: `Bearer ${value}` };
    },
    mayRetry({ status }) {
      if (status !== 401 || isFixed) return false;
      token.forget();
      return true;
    },
  };
}

interface TokenRequest {
  env: Environment;
  post: Post;
  now: () => number;
  userTokenUri: string;
}

async function tokenFrom(credentials: GoogleCredentials, request: TokenRequest): Promise<Expiring<string>> {
  const { env, now, userTokenUri } = request;
  switch (credentials.kind) {
    case 'token':
      return { value: credentials.token, expiresAt: Number.POSITIVE_INFINITY };
    case 'gcloud':
      return { value: await fromGcloud(credentials.args, env), expiresAt: now() + KEPT_MS };
    case 'service_account': {
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: assertion(credentials, now()),
      };
      return await exchangeToken(credentials, credentials.tokenUri, form, request);
    }
    case 'authorized_user': {
      const { clientId, clientSecret, refreshToken } = credentials;
      const form = {
        grant_type: 'refresh_token',
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: refreshToken,
      };
      return await exchangeToken(credentials, userTokenUri, form, request);
    }
  }
}

/** A signed statement of who asks: https://developers.google.com/identity/protocols/oauth2/service-account */
function assertion(credentials: GoogleCredentials & { kind: 'service_account' }, now: number): string {
  const { email, keyId, privateKey, tokenUri, file } = credentials;
  const issued = Math.floor(now / 1000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId && { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: issued, exp: issued + ASSERTION_S };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey).toString('base64url')}`;
  } catch {
    throw new ModelFailure('auth', `The private key in ${file} is not one that can sign.`, {
      advice: 'Create a new key for the service account, and set GOOGLE_APPLICATION_CREDENTIALS to its file.',
      about: 'key',
    });
  }
}

async function exchangeToken(
  { kind, file }: GoogleCredentials & { file: string },
  url: string,
  form: Readonly<Record<string, string>>,
  { post, now }: TokenRequest,
): Promise<Expiring<string>> {
  const failed = (why: string, cause?: unknown): ModelFailure =>
    new ModelFailure(
      'auth',
      `Google gave no access token for the credentials in ${file}: ${shorten(why, Object.values(form))}.`,
      {
        advice:
          kind === 'authorized_user'
            ? 'Run "gcloud auth application-default login".'
            : "Check that the key of the service account is still valid, and this machine's clock.",
        about: 'key',
        cause,
      },
    );
  let text = '';
  let status: number;
  try {
    const answer = await post(url, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    ({ status } = answer);
    for await (const chunk of answer.body) {
      text += Buffer.from(chunk).toString();
      if (text.length > MAX_ANSWER_BYTES) break;
    }
  } catch (error) {
    throw failed(`${URL.parse(url)?.host} can't be reached (${messageOf(error)})`, error);
  } finally {
    post.release?.();
  }
  const answer = parsed(text);
  const { access_token, expires_in, error, error_description } = isObject(answer) ? answer : {};
  if (status === 200 && typeof access_token === 'string') {
    const seconds = typeof expires_in === 'number' ? expires_in : 0;
    return { value: access_token, expiresAt: now() + seconds * 1000 };
  }
  throw failed([status, error, error_description].filter(Boolean).join(', '));
}

async function fromGcloud(args: readonly string[], env: Environment): Promise<string> {
  const command = `gcloud ${args.join(' ')}`;
  const failed = (why: string, cause?: unknown): ModelFailure =>
    new ModelFailure('auth', `No Google credentials: "${command}" gave no token (${why}).`, {
      advice:
        'Run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account.',
      about: 'key',
      cause,
    });
  let output: string;
  try {
    output = await programOutput('gcloud', args, { env, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw failed(messageOf(error), error);
  }
  const token = output.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw failed('it printed something else');
  return token;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // an answer may hold a token, so the parser's message is not shown
  }
}
