// Checks a key by listing the provider's models, which costs nothing.
import type { Provider } from '../../models/catalogue/catalogue.js';
import { loadCatalogue } from '../../models/catalogue/load-catalogue.js';
import { messageOf } from '../../platform/message-of.js';

type Environment = Readonly<Record<string, string | undefined>>;

const WAIT_MS = 5_000; // the user waits for the answer

/** Whether the provider accepts the key, as a sentence. */
export async function checkKey(id: string, key: string, env: Environment): Promise<string> {
  const provider = (await loadCatalogue(env)).providers.get(id);
  // The address of a cloud depends on more than the key.
  if (!provider || provider.cloud) return 'It was not checked.';
  const named = provider.baseUrlVariable === undefined ? undefined : env[provider.baseUrlVariable]?.trim();
  try {
    const { status } = await fetch(addressOf(provider, named || provider.baseUrl), {
      headers: headersOf(provider, key),
      redirect: 'error',
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (refusals(provider).includes(status))
      return `But ${provider.title} does not accept it (${status}): check the key.`;
    if (status >= 200 && status < 300) return `${provider.title} accepts it.`;
    return `It could not be checked: ${provider.title} answered with ${status}.`;
  } catch (error) {
    return `It could not be checked: ${provider.title} was not reached (${messageOf(error)}).`;
  }
}

/** The statuses that mean a wrong key. Google answers it like an invalid request. */
const refusals = ({ wire }: Provider): number[] => (wire === 'gemini' ? [400, 401, 403] : [401, 403]);

/** The list of models, in each format at its own place below the base URL. */
const addressOf = ({ wire }: Provider, base: string): string => {
  const version = wire === 'anthropic' ? '/v1' : wire === 'gemini' ? '/v1beta' : '';
  const address = base.replace(/\/{1,10}$/, '');
  return `${address}${address.endsWith(version) ? '' : version}/models`;
};

const headersOf = ({ wire, headers = {} }: Provider, key: string): Record<string, string> => ({
  ...headers,
  ...(wire === 'anthropic'
    ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
    : wire === 'gemini'
      ? { 'x-goog-api-key': key }
      : { authorization: `Bearer ${key}` }),
});
