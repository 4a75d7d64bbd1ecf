// `helve auth status`: which key a run here would use, for hosts that ask before they start one.
import { accessTo, isSetUp, type Provider } from '../models/catalogue/catalogue.js';
import { withStoredAccess } from '../models/catalogue/stored-access.js';
import { storedSignIns } from '../models/sign-in/sign-in-file.js';
import { signInTitles } from '../models/sign-in/signed-in.js';
import { clause } from '../platform/text/clause.js';
import { jsonText } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
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
      'helve auth has one action, status. To sign in, use helve login; to store a key, start helve and enter /key, or set a variable that helve models lists.',
    );
  const catalogue = await readCatalogue(process.env);
  const set = [...catalogue.providers.values()].find((one) => isSetUp(one, process.env));
  const stored = set ? { keys: process.env, catalogue } : withStoredAccess(process.env, catalogue);
  const unusable = storedSignIns(process.env).flatMap(({ provider: id, problem }) =>
    problem === undefined ? [] : [{ id, problem }],
  );
  const isUnusable = ({ id }: Provider, keyVariable: string | undefined): boolean =>
    keyVariable === undefined && unusable.some((one) => one.id === id);
  const provider =
    set ??
    [...stored.catalogue.providers.values()].find(
      (one) => isSetUp(one, stored.keys) && !isUnusable(one, accessTo(one, stored.keys).keyVariable),
    );
  const { keyVariable: variable, bySignIn } = provider ? accessTo(provider, stored.keys) : {};
  const facts = {
    loggedIn: provider !== undefined,
    authMethod: provider ? (bySignIn ? 'sign_in' : 'api_key') : 'none',
    apiProvider: provider?.id ?? null,
    apiKeySource: variable ?? null,
  };
  const ended = unusable
    .map(
      ({ id, problem }) =>
        `The sign-in to ${signInTitles[id]} can't be used: ${visible(clause(problem))}. Run helve login ${id}. `,
    )
    .join('');
  const by = bySignIn ? ' by your sign-in' : variable === undefined ? '' : ` by ${variable}`;
  const sentence = provider
    ? `${provider.title} is set up${by}${set || bySignIn ? '' : ', a key that /key has stored'}.`
    : `No provider is set up. ${ended}Set a key such as ANTHROPIC_API_KEY, start helve and enter /key, or use helve login; helve models lists the providers.`;
  await writeLine(process.stdout, values.json ? jsonText(facts) : sentence);
  return provider ? exitCode.ok : exitCode.failed;
}
