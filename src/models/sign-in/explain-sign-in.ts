import type { Judgement, ServerError } from '../http/failures.js';
import type { TokenProvider } from './sign-in-file.js';

const USAGE = 'https://chatgpt.com/settings/usage';

/** Errors of servers that were reached with a sign-in, where the words for keys would mislead. */
export const explainSignIn =
  (provider: TokenProvider) =>
  (error: ServerError, facts: string): Judgement | undefined =>
    (provider === 'openai' ? explainPlan(error, facts) : undefined) ?? explainAny(provider, error, facts);

/** The codes of a ChatGPT plan: https://developers.openai.com/siwc/token-sharing-open-source/errors-and-recovery */
function explainPlan({ code = '', status }: ServerError, facts: string): Judgement | undefined {
  if (/^subscription_sharing_.*usage_limit_exceeded$/.test(code)) {
    return {
      kind: 'rate_limited',
      problem: `The usage limit of your ChatGPT plan is reached ${facts}.`,
      advice: `See ${USAGE} for when it is renewed; until then, set OPENAI_API_KEY or choose another model.`,
      about: 'credit',
      transient: false,
    };
  }
  if (code === 'subscription_sharing_user_not_eligible') {
    return {
      kind: 'auth',
      problem: `Your ChatGPT account has no plan that other programs may use, or the plan has ended ${facts}.`,
      advice: `Renew the plan, sign in as another account with helve login openai --new, or set OPENAI_API_KEY.`,
      about: 'key',
    };
  }
  if (/^subscription_sharing_(?:usage|user)_unavailable$/.test(code)) {
    const problem = `OpenAI can't check your ChatGPT plan at the moment ${facts}.`;
    return { kind: 'overloaded', problem, advice: 'Try again in a while.' };
  }
  if (code === 'subscription_sharing_unsupported_capability' || code === 'subscription_sharing_route_not_supported') {
    const problem = `A ChatGPT plan does not include what was requested ${facts}.`;
    return { kind: 'invalid_request', problem, advice: 'Choose another model, or set OPENAI_API_KEY.' };
  }
  if (status === 403 && /^chatpass_/.test(code)) {
    const problem = `Helve may not use your ChatGPT plan ${facts}.`;
    return { kind: 'auth', problem, advice: 'Run helve login openai, and allow it to use the plan.', about: 'key' };
  }
  return undefined;
}

function explainAny(provider: TokenProvider, error: ServerError, facts: string): Judgement | undefined {
  const [title, command] = provider === 'openai' ? ['OpenAI', 'helve login openai'] : ['GitHub', 'helve login copilot'];
  const { status, isPage } = error;
  if (isPage && status !== undefined && status < 500) {
    const problem = `A web page came in place of an answer of ${title}, so a proxy or a login page of the network is in between ${facts}.`;
    return { kind: 'unreachable', problem, advice: 'Check the network or the proxy.', about: 'network' };
  }
  if (status === 401 || error.code === 'subscription_sharing_invalid_user') {
    const problem = `${title} does not accept your sign-in any more ${facts}.`;
    return { kind: 'auth', problem, advice: `Run ${command}.`, about: 'key' };
  }
  if (status === 403) {
    const problem = `${title} does not permit this request with your sign-in ${facts}.`;
    return { kind: 'auth', problem, advice: `Choose another model, or sign in again with ${command}.`, about: 'key' };
  }
  return undefined;
}
