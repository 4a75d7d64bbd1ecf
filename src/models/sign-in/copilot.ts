// GitHub Copilot, with an OAuth app that the user names: GitHub publishes no way in for every program, and Helve does not
// pass itself off as another one.
import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '../../platform/is-object.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { isLoopbackName } from '../../platform/web/special-addresses.js';
import type { LoginOptions, TokenIssuer } from './login-options.js';
import { SignInEnded } from './sign-in-ended.js';
import type { ListedModel, SignIn, SignInTokens } from './sign-in-file.js';
import { type JsonAnswer, providerFetch, refusalWords, requestJson, signInOrigin } from './sign-in-requests.js';

const GITHUB = 'https://github.com';
const GITHUB_API = 'https://api.github.com';
const API = 'https://api.individual.githubcopilot.com';
const CLIENT_VARIABLE = 'HELVE_COPILOT_CLIENT_ID';
const INTERVAL_S = 5; // between questions whether the code was entered; also what "slow_down" adds (RFC 8628)
const RENEW_BEFORE_MS = 2 * 60_000;
const EDITOR = { 'editor-version': 'Helve/1', 'user-agent': 'Helve' };

export const copilot: TokenIssuer = {
  provider: 'copilot',
  title: 'GitHub Copilot',
  async signIn(_, options) {
    const { env, signal } = options;
    const clientId = env[CLIENT_VARIABLE]?.trim();
    if (!clientId) {
      throw new AuthProblem(
        `Helve has no registration of its own with GitHub. To use Copilot, set ${CLIENT_VARIABLE} to the client ID of an OAuth app that GitHub lets use Copilot, then run helve login copilot again.`,
      );
    }
    const issuer = signInOrigin(GITHUB, env);
    const refresh = await deviceFlow(clientId, issuer, options);
    const api = issuer === GITHUB ? API : issuer;
    const begun: SignIn = {
      version: 1,
      provider: 'copilot',
      api,
      issuer,
      clientId,
      tokens: { access: refresh, refresh },
    };
    try {
      return { ...begun, ...(await renew(begun, signal)) };
    } catch (error) {
      if (!(error instanceof SignInEnded)) throw error;
      throw new AuthProblem(
        `GitHub signed you in, but gave no access to Copilot: ${error.message}. Nothing was saved.`,
      );
    }
  },
  renew,
  revoke: async () => false, // only the app's owner can, with its secret
  async listModels({ api, tokens }, signal): Promise<ListedModel[]> {
    const answer = await requestJson(providerFetch([new URL(api).origin], signal), {
      what: 'The list of models of Copilot',
      url: `${api}/models`,
      bearer: tokens?.access ?? '',
      headers: EDITOR,
    });
    const { data } = answer.value;
    if (!answer.isOk || !Array.isArray(data)) {
      throw new AuthProblem(`GitHub did not list the models of Copilot (${refusalWords(answer)}).`);
    }
    return data.flatMap((model: unknown) => {
      if (!isObject(model) || typeof model['id'] !== 'string' || model['model_picker_enabled'] === false) return [];
      const { id: name, name: title } = model;
      return [{ name, ...(typeof title === 'string' && { title: plainLine(title, 80) }) }];
    });
  },
};

/** Shows a code, and waits until the person has entered it at GitHub. Resolves with a token of GitHub (RFC 8628). */
async function deviceFlow(clientId: string, issuer: string, options: LoginOptions): Promise<string> {
  const { signal, onAddress } = options;
  const fetch = providerFetch([issuer], signal);
  const begun = await requestJson(fetch, {
    what: 'The device sign-in of GitHub',
    url: `${issuer}/login/device/code`,
    form: { client_id: clientId, scope: 'read:user' },
  });
  const { device_code: device, user_code: code, verification_uri: address, interval, expires_in: life } = begun.value;
  if (!begun.isOk || typeof device !== 'string' || typeof code !== 'string' || typeof address !== 'string') {
    throw new AuthProblem(
      `GitHub did not begin the sign-in (${refusalWords(begun)}). Check ${CLIENT_VARIABLE}, and that its app has the device flow enabled.`,
    );
  }
  if (URL.parse(address)?.origin !== issuer) {
    throw new AuthProblem(`GitHub's answer sends you to ${plainLine(address, 200)}, so the sign-in was stopped.`);
  }
  onAddress(address, plainLine(code, 40));
  let wait = typeof interval === 'number' && interval >= 0 ? interval : INTERVAL_S;
  const until = Date.now() + (typeof life === 'number' ? life : 900) * 1000;
  while (Date.now() < until) {
    await delay(wait * 1000, undefined, { signal }).catch(() => signal.throwIfAborted());
    const answer = await requestJson(fetch, {
      what: 'The token endpoint of GitHub',
      url: `${issuer}/login/oauth/access_token`,
      form: { client_id: clientId, device_code: device, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
    });
    const { access_token: token, error, interval: asked } = answer.value;
    if (typeof token === 'string' && token !== '') return token;
    if (error === 'slow_down') wait = typeof asked === 'number' ? asked : wait + INTERVAL_S;
    else if (error !== 'authorization_pending') {
      throw new AuthProblem(
        `GitHub did not sign you in (${refusalWords(answer)}). Nothing was saved. To try again: helve login copilot.`,
      );
    }
  }
  throw new AuthProblem(
    'The code was not entered in time, so Helve stopped waiting. To try again: helve login copilot.',
  );
}

/** A token of Copilot, which is good for half an hour or so, for one of GitHub. */
async function renew({ issuer, tokens }: SignIn, signal: AbortSignal): Promise<{ tokens: SignInTokens; api?: string }> {
  const refresh = tokens?.refresh ?? '';
  const origin = issuer === GITHUB ? GITHUB_API : issuer;
  const answer = await requestJson(providerFetch([origin], signal), {
    what: 'The token endpoint of Copilot',
    url: `${origin}/copilot_internal/v2/token`,
    bearer: refresh,
    headers: EDITOR,
  });
  const { token, expires_at: expires, endpoints } = answer.value;
  if (!answer.isOk) throw refused(answer);
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new AuthProblem('The token endpoint of Copilot gave no token that Helve can use. Try again in a while.');
  }
  const expiresAt = typeof expires === 'number' ? expires * 1000 : undefined;
  const api = apiIn(endpoints);
  return {
    tokens: {
      access: token,
      refresh,
      ...(expiresAt !== undefined && { expiresAt, renewAt: expiresAt - RENEW_BEFORE_MS }),
    },
    ...(api !== undefined && { api }),
  };
}

/** Which of Copilot's hosts serves this account; any other host is not used. */
function apiIn(endpoints: unknown): string | undefined {
  const address = isObject(endpoints) ? endpoints['api'] : undefined;
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (!url) return undefined;
  const isOurs = url.protocol === 'https:' && url.hostname.endsWith('.githubcopilot.com');
  return isOurs || isLoopbackName(url.hostname) ? url.origin : undefined;
}

function refused(answer: JsonAnswer): AuthProblem {
  if ([401, 403, 404].includes(answer.status)) {
    return new SignInEnded(`GitHub says that this account or app has no Copilot: ${refusalWords(answer)}`);
  }
  return new AuthProblem(
    `The sign-in to Copilot could not be renewed (${refusalWords(answer)}). Try again in a while.`,
  );
}
