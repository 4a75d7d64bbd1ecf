// Signing in to a provider and out again, with sentences for people.
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import type { CredentialFile } from '../../platform/oauth/credential-file.js';
import { errorClause } from '../../platform/text/clause.js';
import { counted } from '../../platform/text/counted.js';
import { forgetKey, storeKey } from '../catalogue/store-key.js';
import { readStoredKeys } from '../catalogue/stored-keys.js';
import { type LoginProvider, loginTitles } from './login-names.js';
import type { LoginOptions, TokenIssuer } from './login-options.js';
import { type SignIn, signInFile, type TokenProvider } from './sign-in-file.js';
import { tokenIssuer } from './token-issuers.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of a key that comes before the sign-in. */
const KEY_VARIABLES: Readonly<Record<LoginProvider, string | undefined>> = {
  openai: 'OPENAI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  copilot: undefined,
};

/** Resolves with sentences about the sign-in. Rejects with `AuthProblem`, or the signal's reason; nothing is saved then. */
export async function logIn(provider: LoginProvider, options: LoginOptions): Promise<string[]> {
  try {
    return await signInTo(provider, options);
  } catch (error) {
    if (!(error instanceof AuthProblem) || !error.isTransient) throw error;
    const advice = `Nothing was saved. Check the network, then run helve login ${provider} again.`;
    throw new AuthProblem(`${error.message} ${advice}`, { isTransient: true, cause: error });
  }
}

async function signInTo(provider: LoginProvider, options: LoginOptions): Promise<string[]> {
  const variable = KEY_VARIABLES[provider];
  const first =
    variable !== undefined && options.env[variable]?.trim()
      ? [`${variable} is set and comes first, so the sign-in is used only without it.`]
      : [];
  if (provider === 'openrouter') return [await logInToOpenRouter(options), ...first];
  const issuer = await tokenIssuer(provider);
  const file = signInFile(options.env, provider);
  const earlier = options.isNew ? undefined : readOr(file);
  const signedIn = await issuer.signIn(earlier, options);
  if (!signedIn.tokens) {
    // Kept for the next try, which asks for consent. A sign-in that works is not given up for it.
    await file.locked(async () => {
      if (!readOr(file)?.tokens) await file.write(signedIn);
    });
    throw new AuthProblem(
      `You signed in to ${issuer.title}, but did not allow Helve to use your plan. Run helve login ${provider} again and allow it, or set ${variable ?? 'a key'}.`,
    );
  }
  const listed = await listModels(issuer, signedIn, options);
  const before = readOr(file);
  await keep(issuer, file, listed ? { ...signedIn, models: listed } : signedIn, options);
  // Tokens of another registration are not needed any more; those of this one may be the new ones.
  if (before?.tokens && before.clientId !== signedIn.clientId) {
    await issuer.revoke(before, options.signal).catch(() => false);
  }
  const who = signedIn.account === undefined ? '' : ` as ${signedIn.account}`;
  const models = listed ? `, with ${counted(listed.list.length, 'model')}` : '';
  const name = listed?.list[0]?.name;
  const use =
    name === undefined ? [] : [`To use it: helve --model ${provider}/${name} -p "…". helve models lists the models.`];
  return [`Signed in to ${issuer.title}${who}${models}.`, ...first, ...use];
}

/** Resolves with a sentence. */
export async function logOut(provider: LoginProvider, env: Environment, signal: AbortSignal): Promise<string> {
  const title = loginTitles[provider];
  if (provider === 'openrouter') {
    const was = await forgetKey('OPENROUTER_API_KEY', env);
    if (!was) return `You were not signed in to ${title}.`;
    return `Signed out of ${title}. The key was removed here; it stays valid until you delete it at https://openrouter.ai/settings/keys.`;
  }
  const file = signInFile(env, provider);
  let isUnusable = false;
  const before = await file.locked(async () => {
    const stored = readOr(file, () => {
      isUnusable = true;
    });
    // First, so that nothing uses the tokens any more. The registration with OpenAI is kept: it holds no secret.
    await file.write(stored && provider === 'openai' ? registrationOf(stored) : undefined);
    return stored;
  });
  const access =
    provider === 'openai'
      ? 'you can disconnect Helve in the settings of ChatGPT.'
      : 'you can take back the access of the app at https://github.com/settings/applications.';
  if (isUnusable) {
    return `The stored sign-in to ${title} could not be relied on, and was removed without being read. If it had tokens, they were not revoked: ${access}`;
  }
  if (!before?.tokens) return `You were not signed in to ${title}.`;
  const issuer = await tokenIssuer(provider);
  const isRevoked = await issuer.revoke(before, signal).catch(() => false);
  if (isRevoked) return `Signed out of ${title}. Its tokens were removed here and revoked.`;
  const where =
    provider === 'openai' ? `${title} did not confirm that they were revoked: ${access}` : access.replace(/^y/, 'Y');
  return `Signed out of ${title}. Its tokens were removed here. ${where}`;
}

const registrationOf = ({ tokens: _, ended: __, models: ___, ...registration }: SignIn): SignIn => registration;

/** Lists the models of a signed-in account again, and stores them. */
export async function updateModels(provider: TokenProvider, env: Environment, signal: AbortSignal): Promise<void> {
  const [{ freshSignIn }, issuer] = await Promise.all([import('./signed-in.js'), tokenIssuer(provider)]);
  const list = await issuer.listModels(await freshSignIn(provider, env), signal);
  const file = signInFile(env, provider);
  await file.locked(async () => {
    const stored = file.read();
    if (stored?.tokens) await file.write({ ...stored, models: { list, at: Date.now() } });
  });
}

async function logInToOpenRouter(options: LoginOptions): Promise<string> {
  readStoredKeys(options.env); // an unusable file is reported before the browser opens
  const { openRouterKey } = await import('./openrouter.js');
  const refused = await storeKey('OPENROUTER_API_KEY', await openRouterKey(options), options.env);
  if (refused !== undefined) throw new AuthProblem(refused);
  return 'Signed in to OpenRouter: it gave a key, which is stored for you alone. To use it: helve --model openrouter -p "…".';
}

/** The models of the account; undefined if they can't be listed, which is told. */
async function listModels(
  issuer: TokenIssuer,
  signIn: SignIn,
  { signal, onNotice }: Pick<LoginOptions, 'signal' | 'onNotice'>,
): Promise<SignIn['models']> {
  try {
    return { list: await issuer.listModels(signIn, signal), at: Date.now() };
  } catch (error) {
    signal.throwIfAborted();
    onNotice(
      `The models of your account could not be listed: ${errorClause(error)}. helve models --update tries again.`,
    );
    return undefined;
  }
}

async function keep(
  issuer: TokenIssuer,
  file: CredentialFile<SignIn>,
  signIn: SignIn,
  { signal }: LoginOptions,
): Promise<void> {
  try {
    await file.locked(async () => await file.write(signIn));
  } catch (error) {
    const isRevoked = await issuer.revoke(signIn, signal).catch(() => false);
    throw new AuthProblem(
      `The sign-in to ${issuer.title} could not be saved (${errorClause(error)}), so its tokens were ${isRevoked ? 'revoked' : 'dropped'}. Make ${file.path} writable, then sign in again.`,
      { cause: error },
    );
  }
}

/** An earlier registration; a file that can't be used is replaced by the sign-in. */
function readOr(file: CredentialFile<SignIn>, onUnusable?: () => void): SignIn | undefined {
  try {
    return file.read();
  } catch {
    onUnusable?.();
    return undefined;
  }
}
