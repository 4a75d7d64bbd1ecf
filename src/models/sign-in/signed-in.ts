// The tokens of a sign-in for requests to a model: renewed once for all requests and processes that need one.
import { ModelFailure } from '../../contract/model.js';
import { abortable } from '../../platform/abortable.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { SharedCredential } from '../../platform/oauth/shared-credential.js';
import { clause, errorClause } from '../../platform/text/clause.js';
import type { Authorization, ServerAccess } from '../http/authorization.js';
import { explainSignIn } from './explain-sign-in.js';
import { type SignIn, signInFile, storedSignIns, type TokenProvider, tokenProviders } from './sign-in-file.js';
import { tokenIssuer } from './token-issuers.js';

type Environment = Readonly<Record<string, string | undefined>>;

const CUT_OFF = 'Helve was ended, or lost its connection, while it renewed it, so that the new token was lost.';
const RENEW_MS = 40_000; // for one renewal; less than other processes wait for the lock

export const signInTitles: Readonly<Record<TokenProvider, string>> = { openai: 'ChatGPT', copilot: 'GitHub Copilot' };

/** What requests by the user's sign-in need. Throws `ModelFailure` if it has ended. */
export function signInAccess(id: string, env: Environment): ServerAccess & { api: string } {
  const provider = tokenProviders.find((one) => one === id);
  const stored = storedSignIns(env).find((one) => one.provider === provider);
  if (!provider || !stored?.signIn?.tokens) throw notSignedIn(provider ?? 'openai', stored?.problem);
  return {
    api: stored.signIn.api,
    authorization: signedIn(provider, env),
    explain: explainSignIn(provider),
    isPlan: provider === 'openai',
    isWholeAddress: true,
  };
}

/** Authorises requests with the token of the user's sign-in. */
function signedIn(provider: TokenProvider, env: Environment): Authorization {
  const shared = sharedSignIn(provider, env);
  /** A token that the server refused, so that the next request gets another one. */
  let refused: string | undefined;
  return {
    async headersFor(_, signal) {
      const token = await abortable(async () => await freshToken(provider, shared, refused), signal);
      return { authorization: `Bearer ${token}` };
    },
    mayRetry({ status, sent }) {
      if (status !== 401) return false;
      refused = sent['authorization']?.replace('Bearer ', '');
      return true;
    },
  };
}

/** The user's sign-in with fresh tokens, for requests that are not to a model. */
export async function freshSignIn(provider: TokenProvider, env: Environment): Promise<SignIn> {
  const shared = sharedSignIn(provider, env);
  await freshToken(provider, shared, undefined);
  const signIn = await shared.current();
  if (!signIn?.tokens) throw notSignedIn(provider, signIn?.ended ?? shared.problem);
  return signIn;
}

function sharedSignIn(provider: TokenProvider, env: Environment): SharedCredential<SignIn> {
  const title = signInTitles[provider];
  return new SharedCredential({
    file: signInFile(env, provider),
    onUnsaved: (error) =>
      process.emitWarning(
        `The renewed sign-in to ${title} could not be saved (${errorClause(error)}). It lasts until this run ends; after that, sign in again: helve login ${provider}.`,
        'HelveWarning',
      ),
  });
}

async function freshToken(
  provider: TokenProvider,
  shared: SharedCredential<SignIn>,
  refused: string | undefined,
): Promise<string> {
  const signIn = await shared.current();
  const tokens = signIn?.tokens;
  if (!tokens) throw notSignedIn(provider, signIn?.ended ?? shared.problem);
  const { access, renewAt, expiresAt } = tokens;
  const isRefused = access === refused;
  if (!isRefused && (renewAt === undefined || Date.now() < renewAt)) return access;
  try {
    await shared.renew(() => renewLocked(provider, shared, access));
  } catch (error) {
    const isStillGood = !isRefused && expiresAt !== undefined && Date.now() < expiresAt;
    if (isStillGood) return access;
    throw failureOf(error);
  }
  const renewed = await shared.current();
  if (!renewed?.tokens) throw notSignedIn(provider, renewed?.ended ?? shared.problem);
  return renewed.tokens.access;
}

async function renewLocked(provider: TokenProvider, shared: SharedCredential<SignIn>, stale: string): Promise<void> {
  const { SignInEnded } = await import('./sign-in-ended.js');
  const before = await shared.current();
  if (!before?.tokens || before.tokens.access !== stale) return; // another process was faster
  const { tokens, renewing: wasCutOff, ...registration } = before;
  const known = { ...registration, tokens };
  try {
    if (tokens.refresh === undefined) throw new SignInEnded('it can not be renewed');
    const issuer = await tokenIssuer(provider);
    // Before the server replaces the token: if this process is killed before the new one is stored, the next one knows.
    if (!wasCutOff) await shared.save({ ...known, renewing: true });
    await shared.save({ ...known, ...(await issuer.renew(known, AbortSignal.timeout(RENEW_MS))) });
  } catch (error) {
    if (!(error instanceof SignInEnded)) throw error;
    const { clientId: _, subject: __, account: ___, ...rest } = registration;
    const cause = wasCutOff ? `${CUT_OFF} ` : '';
    await shared.save({ ...(error.isClientGone ? rest : registration), ended: `${cause}${clause(error.message)}.` });
  }
}

function notSignedIn(provider: TokenProvider, why: string | undefined): ModelFailure {
  const title = signInTitles[provider];
  return new ModelFailure(
    'auth',
    why === undefined ? `You are not signed in to ${title}.` : `Your sign-in to ${title} has ended. ${why}`,
    { advice: `Run helve login ${provider}.`, about: 'key' },
  );
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof AuthProblem)) return error;
  return new ModelFailure(error.isTransient ? 'unreachable' : 'auth', error.message, {
    about: error.isTransient ? 'network' : 'key',
    ...(error.isTransient && { advice: 'Check the network, then try again.' }),
    transient: error.isTransient,
    cause: error,
  });
}
