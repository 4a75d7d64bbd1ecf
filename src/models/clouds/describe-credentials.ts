import { messageOf } from '../../platform/message-of.js';
import type { Provider } from '../catalogue/catalogue.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the credentials for a cloud come from if no key is set, and the region or project, for people. Asks no server. */
export async function describeCredentials({ cloud }: Provider, env: Environment): Promise<string | undefined> {
  try {
    if (cloud === 'bedrock') return await describeAws(env);
    if (cloud === 'vertex') return await describeGoogle(env);
  } catch (error) {
    return messageOf(error);
  }
  return undefined;
}

async function describeAws(env: Environment): Promise<string> {
  const { awsRegion, readAwsProfile } = await import('./aws/aws-config.js');
  const profile = await readAwsProfile(env);
  const inRegion = awsRegion(env, profile) ?? 'no region: set AWS_REGION';
  if (env['AWS_BEARER_TOKEN_BEDROCK']?.trim()) return `key from AWS_BEARER_TOKEN_BEDROCK, ${inRegion}`;
  if (env['AWS_ACCESS_KEY_ID']?.trim()) return `key from AWS_ACCESS_KEY_ID, ${inRegion}`;
  const found = profile.exists
    ? `credentials of the AWS profile "${profile.name}"`
    : `no AWS profile "${profile.name}"`;
  return `${found}, ${inRegion}`;
}

async function describeGoogle(env: Environment): Promise<string> {
  const { googleCredentials, googleProject } = await import('./google/google-credentials.js');
  const { vertexLocation } = await import('./vertex.js');
  const credentials = await googleCredentials(env);
  const project = (await googleProject(env)) ?? 'no project: set ANTHROPIC_VERTEX_PROJECT_ID';
  const source = {
    token: () => 'token from CLOUDSDK_AUTH_ACCESS_TOKEN',
    gcloud: () => 'token of gcloud',
    service_account: () => 'credentials of a service account',
    authorized_user: () => 'credentials of gcloud auth application-default login',
  }[credentials.kind]();
  return `${source}, ${project} in ${vertexLocation(env)}`;
}
