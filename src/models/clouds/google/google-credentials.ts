// Google's application default credentials: where they are, and the project that they belong to.

import { join } from 'node:path';
import { ModelFailure } from '../../../contract/model.js';
import { homeFolder, isMissing } from '../../../platform/files/paths.js';
import { readRegularFile } from '../../../platform/files/read-regular-file.js';
import { isObject } from '../../../platform/is-object.js';
import { messageOf } from '../../../platform/message-of.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How an access token is got. */
export type GoogleCredentials =
  | { kind: 'token'; token: string }
  | {
      kind: 'service_account';
      file: string;
      email: string;
      privateKey: string;
      keyId?: string;
      tokenUri: string;
      project?: string;
    }
  | {
      kind: 'authorized_user';
      file: string;
      clientId: string;
      clientSecret: string;
      refreshToken: string;
      project?: string;
    }
  /** Other kinds of credentials, and none in a file: the gcloud command gets the token. */
  | { kind: 'gcloud'; args: readonly string[]; project?: string };

/** The credentials that Google's own libraries would use. Throws a `ModelFailure` for a file that can't be used. */
export async function googleCredentials(env: Environment): Promise<GoogleCredentials> {
  const token = env['CLOUDSDK_AUTH_ACCESS_TOKEN']?.trim();
  if (token) return { kind: 'token', token };
  const named = env['GOOGLE_APPLICATION_CREDENTIALS']?.trim();
  const file = named || join(configFolder(env), 'application_default_credentials.json');
  let text: string;
  try {
    text = readRegularFile(file);
  } catch (error) {
    if (!named && isMissing(error)) return { kind: 'gcloud', args: ['auth', 'print-access-token'] };
    throw unusable(file, messageOf(error), named !== undefined);
  }
  const value = parsed(text);
  if (!isObject(value)) throw unusable(file, 'it is not a JSON object', Boolean(named));
  return fromFile(file, value, Boolean(named));
}

/** The project that is set, else the one of the credentials; undefined if there is none. Reads at most one file. */
export async function googleProject(env: Environment): Promise<string | undefined> {
  const names = ['ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_PROJECT', 'CLOUDSDK_CORE_PROJECT'];
  const set = names.map((name) => env[name]?.trim()).find(Boolean);
  if (set) return set;
  const credentials = await googleCredentials(env).catch(() => undefined); // reported when a token is needed
  return credentials && 'project' in credentials ? credentials.project : undefined;
}

const configFolder = (env: Environment): string =>
  env['CLOUDSDK_CONFIG']?.trim() || join(env['HOME'] || (homeFolder() ?? '/'), '.config/gcloud');

function fromFile(file: string, value: Record<string, unknown>, isNamed: boolean): GoogleCredentials {
  const text = (name: string): string => {
    const found = value[name];
    if (typeof found === 'string' && found !== '') return found;
    throw unusable(file, `it has no "${name}"`, isNamed);
  };
  const project = [value['project_id'], value['quota_project_id']].find((name) => typeof name === 'string');
  const shared = { file, ...(typeof project === 'string' && { project }) };
  if (value['type'] === 'service_account') {
    const keyId = value['private_key_id'];
    return {
      kind: 'service_account',
      ...shared,
      email: text('client_email'),
      privateKey: text('private_key'),
      ...(typeof keyId === 'string' && { keyId }),
      tokenUri: tokenAddress(text('token_uri'), file, isNamed),
    };
  }
  if (value['type'] === 'authorized_user') {
    return {
      kind: 'authorized_user',
      ...shared,
      clientId: text('client_id'),
      clientSecret: text('client_secret'),
      refreshToken: text('refresh_token'),
    };
  }
  return { ...shared, kind: 'gcloud', args: ['auth', 'application-default', 'print-access-token'] };
}

/** A signed assertion goes to no other place than one that the file names, and not in the clear. */
function tokenAddress(address: string, file: string, isNamed: boolean): string {
  const url = URL.parse(address);
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return address;
  throw unusable(file, 'its "token_uri" does not begin with https://', isNamed);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the text holds a key, so the parser's message is not shown
  }
}

const unusable = (file: string, why: string, isNamed: boolean): ModelFailure =>
  new ModelFailure('auth', `The Google credentials in ${file} can't be used: ${why}.`, {
    advice: isNamed
      ? 'Set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account, or leave it out.'
      : 'Run "gcloud auth application-default login".',
    about: 'key',
  });
