import { ModelFailure } from '../../../contract/model.js';
import { isObject } from '../../../platform/is-object.js';
import { messageOf } from '../../../platform/message-of.js';
import { programOutput } from '../../../platform/shell/program-output.js';
import { type Expiring, keptUntilExpiry } from '../../http/kept-until-expiry.js';
import { type AwsProfile, readAwsProfile } from './aws-config.js';
import { commandWords } from './command-words.js';
import type { AwsCredentials } from './sign-request.js';

const TIMEOUT_MS = 60_000; // a program may wait for a sign-in
const FILE_KEPT_MS = 5 * 60_000; // temporary keys in a file are replaced there, and the file does not say when they expire

type Environment = Readonly<Record<string, string | undefined>>;

export interface AwsCredentialSource {
  /** Parallel calls share one look-up. Throws a `ModelFailure` that says what to set or to run. */
  get(): Promise<AwsCredentials>;
  /** Forgets what was found, so that it is looked up again. Returns whether that may give other credentials. */
  forget(): boolean;
}

/**
 * The credentials that AWS's own tools would use: from the environment, else of the profile that AWS_PROFILE names. A
 * profile that signs in or assumes a role is left to the AWS CLI.
 */
export function awsCredentials(env: Environment, now: () => number = Date.now): AwsCredentialSource {
  const kept = keptUntilExpiry(() => find(env, now), now);
  return {
    get: kept.get,
    forget() {
      kept.forget();
      return envCredentials(env) === undefined;
    },
  };
}

async function find(env: Environment, now: () => number): Promise<Expiring<AwsCredentials>> {
  const fixed = envCredentials(env);
  if (fixed) return { value: fixed, expiresAt: Number.POSITIVE_INFINITY };
  const profile = await readAwsProfile(env);
  const { name, exists, settings } = profile;
  const accessKeyId = settings.get('aws_access_key_id');
  const secretAccessKey = settings.get('aws_secret_access_key');
  if (accessKeyId && secretAccessKey && !settings.has('role_arn')) {
    const sessionToken = settings.get('aws_session_token');
    const value = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
    return { value, expiresAt: sessionToken ? now() + FILE_KEPT_MS : Number.POSITIVE_INFINITY };
  }
  const command = settings.get('credential_process');
  if (command) return await fromProgram(commandWords(command), `credential_process of the AWS profile "${name}"`, env);
  if (needsSignIn(profile)) return await fromAwsCli(name, env);
  throw exists || env['AWS_PROFILE']?.trim() ? withoutKeys(name, exists) : noCredentials();
}

function envCredentials(env: Environment): AwsCredentials | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ].map((name) => env[name]?.trim());
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

/** Settings of profiles that get temporary credentials by signing in or from another profile. */
const SIGN_IN_SETTINGS = ['sso_session', 'sso_start_url', 'login_session', 'role_arn', 'web_identity_token_file'];

const needsSignIn = ({ settings }: AwsProfile): boolean => SIGN_IN_SETTINGS.some((name) => settings.has(name));

/** The CLI prints credentials of any profile, in the format of `credential_process`. */
async function fromAwsCli(profile: string, env: Environment): Promise<Expiring<AwsCredentials>> {
  const words = ['aws', 'configure', 'export-credentials', '--profile', profile, '--format', 'process'];
  try {
    return await fromProgram(words, 'the AWS CLI', env);
  } catch (error) {
    const problem = error instanceof ModelFailure ? error.problem : messageOf(error);
    throw new ModelFailure('auth', `The AWS profile "${profile}" has no credentials now: ${problem}`, {
      advice: `Sign in with "aws sso login --profile ${profile}" or "aws login --profile ${profile}" (AWS CLI version 2), or set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.`,
      about: 'key',
      cause: error,
    });
  }
}

async function fromProgram(
  [program = '', ...args]: readonly string[],
  name: string,
  env: Environment,
): Promise<Expiring<AwsCredentials>> {
  const failed = (why: string, cause?: unknown): ModelFailure =>
    new ModelFailure('auth', `${name.charAt(0).toUpperCase()}${name.slice(1)} gave no credentials: ${why}.`, {
      advice: 'Run it in a shell to see what it prints.',
      about: 'key',
      cause,
    });
  let output: string;
  try {
    output = await programOutput(program, args, { env, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw failed(messageOf(error), error);
  }
  const answer = parsed(output);
  if (!isObject(answer)) throw failed('it printed something other than a JSON object');
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer;
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string')
    throw failed('a key is missing in what it printed');
  const expiresAt = typeof Expiration === 'string' ? Date.parse(Expiration) : Number.NaN;
  return {
    value: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(typeof SessionToken === 'string' && { sessionToken: SessionToken }),
    },
    expiresAt: Number.isNaN(expiresAt) ? Number.POSITIVE_INFINITY : expiresAt,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // its text may hold a key, so the parser's message is not shown
  }
}

function withoutKeys(name: string, exists: boolean): ModelFailure {
  const problem = exists
    ? `The AWS profile "${name}" has no keys and no credential_process.`
    : `The AWS profile "${name}" is in neither ~/.aws/config nor ~/.aws/credentials.`;
  return new ModelFailure('auth', problem, {
    advice: `Run "aws configure --profile ${name}", or set AWS_PROFILE to another profile.`,
    about: 'key',
  });
}

function noCredentials(): ModelFailure {
  return new ModelFailure('auth', 'No AWS credentials for Amazon Bedrock.', {
    advice:
      'Set AWS_BEARER_TOKEN_BEDROCK to a Bedrock API key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile of ~/.aws/config.',
    about: 'key',
  });
}
