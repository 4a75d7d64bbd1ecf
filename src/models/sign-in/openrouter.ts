// OpenRouter's sign-in: it ends with a key of the account, which does not expire. https://openrouter.ai/docs/oauth
import { randomHex } from '../../platform/crypto.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { receiveCallback } from '../../platform/oauth/receive-callback.js';
import { plainLine } from '../../platform/text/plain-text.js';
import type { LoginOptions } from './login-options.js';
import { proofKey } from './pkce.js';
import { providerFetch, refusalWords, requestJson, signInOrigin } from './sign-in-requests.js';

const ORIGIN = 'https://openrouter.ai';

/** Resolves with the key, which was not stored yet. */
export async function openRouterKey({ env, signal, onAddress, onPaste }: LoginOptions): Promise<string> {
  const origin = signInOrigin(ORIGIN, env);
  const { verifier, challenge } = proofKey();
  const callback = await receiveCallback({
    port: {},
    path: `/callback/${randomHex(16)}`, // OpenRouter sends no state back, so the path tells this sign-in from others
    state: undefined,
    takesCode: true,
    signal,
    read: codeOf,
  });
  try {
    const address = new URL(`${origin}/auth`);
    address.search = new URLSearchParams({
      callback_url: callback.redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString();
    onPaste((text) => callback.paste(text));
    onAddress(address.href);
    const code = await callback.result();
    const answer = await requestJson(providerFetch([origin], signal), {
      what: 'The address for keys of OpenRouter',
      url: `${origin}/api/v1/auth/keys`,
      json: { code, code_verifier: verifier, code_challenge_method: 'S256' },
      secrets: [code, verifier],
    });
    const { key } = answer.value;
    if (answer.isOk && typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key;
    throw new AuthProblem(
      answer.isOk
        ? 'OpenRouter gave no key. Nothing was saved. Run helve login openrouter again.'
        : `OpenRouter did not accept the answer of the browser (${refusalWords(answer)}). Nothing was saved. A code is good once and for a short time: run helve login openrouter again.`,
    );
  } finally {
    callback.close();
  }
}

function codeOf(parameters: URLSearchParams): string {
  const error = parameters.get('error');
  if (error !== null) {
    throw new AuthProblem(
      `OpenRouter did not sign you in (${plainLine(error, 200)}). Nothing was saved. To try again: helve login openrouter.`,
    );
  }
  const code = parameters.get('code');
  if (code) return code;
  throw new AuthProblem(
    'The answer of OpenRouter contains no code. Nothing was saved. Run helve login openrouter again.',
  );
}
