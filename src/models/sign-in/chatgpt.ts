// Sign in with ChatGPT for open-source programs: OAuth without a secret, and a registration of its own for each account.
// https://developers.openai.com/siwc/token-sharing-open-source
import { join } from 'node:path';
import { randomId } from '../../platform/crypto.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { readPrivateFile, withLock, writePrivateFile } from '../../platform/files/private-file.js';
import { isObject } from '../../platform/is-object.js';
import type { AuthFetch } from '../../platform/oauth/auth-fetch.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { receiveCallback } from '../../platform/oauth/receive-callback.js';
import { parseJson } from '../../platform/parse-json.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { checkIdToken } from './id-token.js';
import type { LoginOptions, TokenIssuer } from './login-options.js';
import { proofKey, randomText } from './pkce.js';
import { SignInEnded } from './sign-in-ended.js';
import type { ListedModel, SignIn, SignInTokens } from './sign-in-file.js';
import { type JsonAnswer, providerFetch, refusalWords, requestJson, signInOrigin } from './sign-in-requests.js';

type Environment = Readonly<Record<string, string | undefined>>;

const AUTH = 'https://auth.openai.com';
const API = 'https://api.openai.com/v1';
const FIRST_CLIENT = 'dynamic_agent_client'; // stands for a program that is registered by this sign-in
const PLAN_SCOPE = 'chatgpt.tokens.use.direct';
const SCOPE = `openid profile email offline_access resource.invoke ${PLAN_SCOPE}`;
const PORT = 1455; // the documented one; only the port may differ
const PATH = '/auth/callback';
const RENEW_BEFORE_MS = 3 * 60_000; // or a tenth of the token's life, if that is shorter

/** Codes with which the token endpoint says that the refresh token is worthless. */
const ENDED = [
  ...['invalid_grant', 'invalid_refresh_token', 'token_expired'],
  ...['refresh_token_expired', 'refresh_token_invalidated', 'refresh_token_reused'],
];

export const chatgpt: TokenIssuer = {
  provider: 'openai',
  title: 'ChatGPT',
  signIn,
  async renew({ issuer, api, clientId = '', tokens }, signal) {
    const answer = await requestJson(providerFetch([new URL(issuer).origin], signal), {
      what: 'The token endpoint of OpenAI',
      url: tokenEndpoint(issuer),
      form: { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens?.refresh ?? '', resource: api },
    });
    if (!answer.isOk) throw refusedRenewal(answer);
    return { tokens: tokensOf(answer, tokens?.refresh) };
  },
  async revoke({ issuer, clientId = '', tokens }, signal) {
    const fetch = providerFetch([new URL(issuer).origin], signal);
    const { revocation } = await discover(issuer, fetch);
    if (revocation === undefined || tokens?.refresh === undefined) return false;
    const form = { token: tokens.refresh, token_type_hint: 'refresh_token', client_id: clientId };
    return (await requestJson(fetch, { what: 'The revocation endpoint of OpenAI', url: revocation, form })).isOk;
  },
  async listModels({ api, tokens }, signal): Promise<ListedModel[]> {
    const answer = await requestJson(providerFetch([new URL(api).origin], signal), {
      what: 'The list of models of OpenAI',
      url: `${api}/models`,
      bearer: tokens?.access ?? '',
    });
    const { models } = answer.value;
    if (!answer.isOk || !Array.isArray(models)) {
      throw new AuthProblem(`OpenAI did not list the models of the plan (${refusalWords(answer)}).`);
    }
    return models.flatMap((model: unknown) => {
      if (!isObject(model) || model['visibility'] !== 'list' || typeof model['slug'] !== 'string') return [];
      const { slug: name, display_name: title } = model;
      return [{ name, ...(typeof title === 'string' && { title: plainLine(title, 80) }) }];
    });
  },
};

const tokenEndpoint = (issuer: string): string => `${new URL(issuer).origin}/api/accounts/oauth/token`;

interface ChatgptCallback {
  code: string;
  clientId: string;
}

async function signIn(earlier: SignIn | undefined, options: LoginOptions): Promise<SignIn> {
  const { env, signal, onAddress, onPaste, onNotice } = options;
  const auth = signInOrigin(AUTH, env);
  const api = auth === AUTH ? API : `${auth}/v1`;
  const known = earlier?.issuer === auth && earlier.clientId !== undefined ? earlier : undefined;
  const [state, nonce, { verifier, challenge }] = [randomText(), randomText(), proofKey()];
  const callback = await receiveCallback({
    port: { preferred: PORT },
    path: PATH,
    state,
    takesCode: false, // the address also names the client
    signal,
    read: (parameters) => callbackOf(parameters, known?.clientId),
  });
  try {
    const { redirectUri } = callback;
    const port = Number(new URL(redirectUri).port);
    if (port !== PORT) {
      onNotice(
        `Another program uses port ${PORT}, so the browser will return to port ${port}. If OpenAI does not accept that, end the other program, which may be Codex or another sign-in, and try again.`,
      );
    }
    const address = new URL(`${auth}/api/accounts/authorize`);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: known?.clientId ?? FIRST_CLIENT,
      ...(!known && { agent_name_hint: 'Helve' }),
      ext_agent_host_id: await hostId(env),
      redirect_uri: redirectUri,
      scope: SCOPE,
      resource: api,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(known?.account !== undefined && { login_hint: known.account }),
      ...(known?.declined && { prompt: 'consent' }),
    }).toString();
    onPaste((text) => callback.paste(text));
    onAddress(address.href);
    const { code, clientId } = await callback.result();
    const fetch = providerFetch([auth], signal);
    const answer = await requestJson(fetch, {
      what: 'The token endpoint of OpenAI',
      url: tokenEndpoint(auth),
      form: {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        resource: api,
      },
    });
    if (!answer.isOk) {
      throw new AuthProblem(
        `OpenAI did not accept the answer of the browser (${refusalWords(answer)}). Nothing was saved. A code is good once and for a short time: run helve login openai again.`,
      );
    }
    const account = await accountOf(answer, { auth, clientId, nonce, fetch });
    if (known?.subject !== undefined && known.subject !== account.subject) throw otherAccount(known, account);
    const { scope } = answer.value;
    const isAllowed = typeof scope === 'string' && scope.split(/\s+/).includes(PLAN_SCOPE);
    const shared = { version: 1, provider: 'openai', api, issuer: auth, clientId, ...account } as const;
    return isAllowed ? { ...shared, tokens: tokensOf(answer, undefined) } : { ...shared, declined: true };
  } finally {
    callback.close();
  }
}

/** `registered`: the client of an earlier sign-in, which this one must be for. */
function callbackOf(parameters: URLSearchParams, registered: string | undefined): ChatgptCallback {
  const error = parameters.get('error');
  if (error !== null) {
    const words = [error, parameters.get('error_description') ?? ''].filter((text) => text !== '').join(': ');
    throw new AuthProblem(
      `ChatGPT did not sign you in (${plainLine(words, 300)}). Nothing was saved. To try again: helve login openai.`,
    );
  }
  const code = parameters.get('code');
  if (code === null || code === '') throw new AuthProblem('The answer of ChatGPT contains no code. Nothing was saved.');
  const clientId = parameters.get('client_id') ?? registered;
  if (clientId === undefined || clientId === '' || clientId === FIRST_CLIENT) {
    throw new AuthProblem(
      'The answer of ChatGPT names no client, so Helve was not registered. Nothing was saved. Run helve login openai again.',
    );
  }
  if (registered !== undefined && clientId !== registered) {
    throw new AuthProblem(
      'The answer of ChatGPT is for another registration of Helve than the stored one. Nothing was saved. To register again: helve login openai --new.',
    );
  }
  return { code, clientId };
}

interface Account {
  subject: string;
  account?: string;
}

async function accountOf(
  { value }: JsonAnswer,
  { auth, clientId, nonce, fetch }: { auth: string; clientId: string; nonce: string; fetch: AuthFetch },
): Promise<Account> {
  const { issuer, keys: jwks } = await discover(auth, fetch);
  const { keys } = (await requestJson(fetch, { what: 'The list of keys of OpenAI', url: jwks })).value;
  const token = typeof value['id_token'] === 'string' ? value['id_token'] : '';
  const all = Array.isArray(keys) ? keys : [];
  const checked = checkIdToken(token, { issuer, audience: clientId, nonce, keys: all, now: Date.now() });
  if ('problem' in checked) {
    throw new AuthProblem(
      `The ID token of OpenAI can't be trusted: ${checked.problem}. Nothing was saved. Check this machine's clock, then run helve login openai again.`,
    );
  }
  const { sub, email } = checked.claims;
  return { subject: String(sub), ...(typeof email === 'string' && { account: plainLine(email, 100) }) };
}

function otherAccount({ account }: SignIn, now: Account): AuthProblem {
  const [before, after] = [account, now.account].map((name) => name ?? 'another account');
  return new AuthProblem(
    `You signed in as ${after}, but this machine is registered for ${before}. Nothing was changed. To use the other account: helve login openai --new.`,
  );
}

interface Discovered {
  issuer: string;
  keys: string;
  revocation: string | undefined;
}

async function discover(auth: string, fetch: AuthFetch): Promise<Discovered> {
  const url = `${new URL(auth).origin}/.well-known/openid-configuration`;
  const answer = await requestJson(fetch, { what: 'The OpenID configuration of OpenAI', url });
  const { issuer, jwks_uri: keys, revocation_endpoint: revocation } = answer.value;
  if (!answer.isOk || typeof issuer !== 'string' || typeof keys !== 'string') {
    throw new AuthProblem(
      `The OpenID configuration of OpenAI can't be used (${refusalWords(answer)}). Try again in a while.`,
    );
  }
  return { issuer, keys, revocation: typeof revocation === 'string' ? revocation : undefined };
}

/** Without a refresh token in the answer, the earlier one stays valid. */
function tokensOf(answer: JsonAnswer, earlier: string | undefined): SignInTokens {
  const { access_token: access, refresh_token: sent, expires_in: seconds, token_type: type } = answer.value;
  const refresh = typeof sent === 'string' && sent !== '' ? sent : earlier;
  if (
    typeof access !== 'string' ||
    !/^[\x21-\x7e]+$/.test(access) ||
    (type !== undefined && !/^bearer$/i.test(`${type}`))
  ) {
    throw new AuthProblem(
      'The token endpoint of OpenAI gave no token that Helve can use. Run helve login openai again.',
    );
  }
  const now = Date.now();
  const life = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(life !== undefined && { expiresAt: now + life, renewAt: now + life - Math.min(RENEW_BEFORE_MS, life / 10) }),
  };
}

function refusedRenewal(answer: JsonAnswer): AuthProblem {
  const facts = `OpenAI refused to renew it: ${refusalWords(answer)}`;
  if (answer.code === 'invalid_client') return new SignInEnded(facts, { isClientGone: true });
  if (ENDED.includes(answer.code)) return new SignInEnded(facts);
  return new AuthProblem(
    `The sign-in to ChatGPT could not be renewed (${refusalWords(answer)}). Try again in a while.`,
  );
}

/** The name of this machine for OpenAI: random, and the same for all sign-ins of this data folder. */
async function hostId(env: Environment): Promise<string> {
  const path = join(dataFolderOf({ env }), 'sign-ins', 'host.json');
  return await withLock(`${path}.lock`, async () => {
    const stored = parseJson(readPrivateFile(path) ?? '');
    if (isObject(stored) && typeof stored['id'] === 'string' && stored['id'].startsWith('urn:uuid:'))
      return stored['id'];
    const id = `urn:uuid:${randomId()}`;
    await writePrivateFile(path, `${JSON.stringify({ id })}\n`);
    return id;
  });
}
