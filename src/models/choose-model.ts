import { readFile as readFileFromDisk } from 'node:fs/promises';
import { type Model, ModelFailure } from '../contract/model.js';

const DEFAULT_MODEL = 'claude-sonnet-4-5';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The model that `spec` names ("anthropic/NAME", a bare "claude-…", "scripted/PATH"), else HELVE_MODEL, else the
 * default of the provider that the environment has a key or an address for. Adapters load only when they are chosen.
 */
export async function chooseModel(
  spec: string | undefined,
  env: Environment,
  readFile: (path: string) => Promise<string> = (path) => readFileFromDisk(path, 'utf8'),
): Promise<Model> {
  const wanted = spec?.trim() || env['HELVE_MODEL']?.trim() || configuredDefault(env);
  if (wanted.startsWith('claude-')) return await anthropic(wanted, env);
  const slash = wanted.indexOf('/');
  const provider = slash < 0 ? wanted : wanted.slice(0, slash);
  const rest = slash < 0 ? '' : wanted.slice(slash + 1);
  if (provider === 'anthropic' && rest) return await anthropic(rest, env);
  if (provider === 'scripted' && rest) return await scripted(rest, readFile);
  throw new ModelFailure(
    'unknown_model',
    `"${wanted}" names no model. Write anthropic/NAME (for example anthropic/${DEFAULT_MODEL}) or scripted/FILE, after --model or in HELVE_MODEL.`,
  );
}

function configuredDefault(env: Environment): string {
  if (env['ANTHROPIC_API_KEY'] || env['ANTHROPIC_AUTH_TOKEN'] || env['ANTHROPIC_BASE_URL']) return DEFAULT_MODEL;
  throw new ModelFailure(
    'auth',
    'No model is set up: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own; "helve demo" needs no key.',
  );
}

async function anthropic(name: string, env: Environment): Promise<Model> {
  const { anthropicModel } = await import('./anthropic.js');
  return anthropicModel({
    name,
    apiKey: env['ANTHROPIC_API_KEY'],
    authToken: env['ANTHROPIC_AUTH_TOKEN'],
    baseUrl: env['ANTHROPIC_BASE_URL'],
    maxOutputTokens: outputLimit(env),
  });
}

function outputLimit(env: Environment): number | undefined {
  const text = env['HELVE_MAX_OUTPUT_TOKENS']?.trim();
  if (!text) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new ModelFailure(
    'invalid_request',
    `HELVE_MAX_OUTPUT_TOKENS is "${text}", which is not a whole number above 0. Set it to one, or leave it out.`,
  );
}

async function scripted(path: string, readFile: (path: string) => Promise<string>): Promise<Model> {
  const text = await readFile(path).catch((error: unknown) => {
    throw new ModelFailure('invalid_request', `The script ${path} can't be read (${message(error)}). Check the path.`, {
      cause: error,
    });
  });
  const { parseScript, scriptedModel } = await import('./scripted.js');
  return scriptedModel(parseScript(parseJson(text, path)));
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ModelFailure('invalid_request', `The script ${path} is not valid JSON (${message(error)}). Correct it.`, {
      cause: error,
    });
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
