// `helve auth status`: which key a run here would use, for hosts that ask before they start one.
import { accessTo, isSetUp } from '../models/catalogue/catalogue.js';
import { withStoredKeys } from '../models/catalogue/stored-keys.js';
import { jsonText } from '../platform/text/json-line.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { readCatalogue } from './read-catalogue.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

/** No request is sent, and no key is shown. */
export async function auth(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' } });
  if (positionals.join(' ') !== 'status')
    throw new UsageProblem(
      'helve auth has one action, status. To store a key, start helve and enter /key, or set a variable that helve models lists.',
    );
  const { providers } = await readCatalogue(process.env);
  const found = [...providers.values()];
  const set = found.find((one) => isSetUp(one, process.env));
  const env = set ? process.env : withStoredKeys(process.env);
  const provider = set ?? found.find((one) => isSetUp(one, env));
  const variable = provider && accessTo(provider, env).keyVariable;
  const facts = {
    loggedIn: provider !== undefined,
    authMethod: provider ? 'api_key' : 'none',
    apiProvider: provider?.id ?? null,
    apiKeySource: variable ?? null,
  };
  const sentence = provider
    ? `${provider.title} is set up${variable === undefined ? '' : ` by ${variable}`}${set ? '' : ', a key that /key has stored'}.`
    : 'No provider is set up. Set a key such as ANTHROPIC_API_KEY, or start helve and enter /key; helve models lists the providers.';
  await writeLine(process.stdout, values.json ? jsonText(facts) : sentence);
  return provider ? exitCode.ok : exitCode.failed;
}
