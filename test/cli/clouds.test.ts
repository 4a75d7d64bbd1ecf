import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fakeAwsKeys } from '../../src/testing/bedrock-format.js';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from './run-helve.js';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

test('a run on Amazon Bedrock hides the keys of AWS from the commands of the model', async () => {
  const command = 'echo "[$AWS_ACCESS_KEY_ID$AWS_SECRET_ACCESS_KEY$AWS_BEARER_TOKEN_BEDROCK$AZURE_OPENAI_AD_TOKEN]"';
  const { url, requests, refused } = await serve([
    { calls: [{ name: 'Bash', input: { command } }] },
    { text: 'Done.' },
  ]);
  const env = {
    ...fakeAwsKeys,
    AWS_REGION: 'us-east-1',
    ANTHROPIC_BEDROCK_BASE_URL: url,
    AZURE_OPENAI_AD_TOKEN: 'entra-secret',
  };
  const run = await runHelve(['-p', 'go', '--model', 'bedrock/opus', '--permission-mode', 'bypassPermissions'], {
    env,
  });
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(refused).toEqual([]);
  expect(requests[1]?.text).toContain('[]');
  expect(requests[1]?.text).not.toContain(fakeAwsKeys.AWS_SECRET_ACCESS_KEY);
});

test('keys and signatures are in no message of a refused run, nor in its log', async () => {
  const { url } = await serve(() => ({
    status: 403,
    error: {
      type: 'InvalidSignatureException',
      message: 'The Canonical String should have been AKIDEXAMPLE session-secret',
    },
  }));
  const home = await emptyFolder();
  const log = join(home, 'debug.log');
  const env = { ...fakeAwsKeys, AWS_SESSION_TOKEN: 'session-secret', AWS_REGION: 'us-east-1', HELVE_HOME: home };
  const args = ['-p', 'go', '--model', 'bedrock/opus', '--debug-file', log];
  const { code, stdout, stderr } = await runHelve(args, { env: { ...env, ANTHROPIC_BEDROCK_BASE_URL: url } });
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('AWS refused the signature');
  expect(stdout + stderr).not.toMatch(/session-secret|wJalrXUtnFEMI|Signature=/);
});

test.each<[Record<string, string>, string]>([
  [
    { HELVE_MODEL: 'bedrock/opus', AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'pa55', AWS_REGION: 'eu-west-1' },
    '✓ Model: bedrock/global.anthropic.claude-opus-5-5, key from AWS_ACCESS_KEY_ID, eu-west-1, 1,000,000 tokens',
  ],
  [
    { HELVE_MODEL: 'bedrock/opus', AWS_PROFILE: 'work' },
    '✓ Model: bedrock/global.anthropic.claude-opus-5-5, credentials of the AWS profile "work", eu-north-1, 1,000,000 tokens',
  ],
  [{ HELVE_MODEL: 'bedrock/opus' }, '– Model: No AWS region for Amazon Bedrock. Set AWS_REGION'],
  [
    { CLOUDSDK_AUTH_ACCESS_TOKEN: 'pa55', ANTHROPIC_VERTEX_PROJECT_ID: 'my-project', CLOUD_ML_REGION: 'eu' },
    '✓ Model: vertex/claude-sonnet-5-5, token from CLOUDSDK_AUTH_ACCESS_TOKEN, my-project in eu, 1,000,000 tokens',
  ],
  [
    { HELVE_MODEL: 'azure/my-gpt', AZURE_OPENAI_API_KEY: 'pa55', AZURE_OPENAI_ENDPOINT: 'https://r.openai.azure.com' },
    '✓ Model: azure/my-gpt, at r.openai.azure.com, key from AZURE_OPENAI_API_KEY, limits unknown, not asked',
  ],
  [
    { HELVE_MODEL: 'azure/my-gpt', AZURE_OPENAI_API_KEY: 'pa55' },
    '✗ Model: No Azure OpenAI resource. Set AZURE_OPENAI_ENDPOINT',
  ],
])('helve doctor with %j says %s', async (own, line) => {
  const home = await emptyFolder();
  await mkdir(join(home, '.aws'));
  await writeFile(join(home, '.aws/config'), '[profile work]\nregion = eu-north-1\n');
  const { stdout } = await runHelve(['doctor'], { env: { HOME: home, ...own } });
  expect(stdout).toContain(line);
  expect(stdout).not.toContain('pa55');
});

test('helve models says how to reach a cloud without a key', async () => {
  const { stdout } = await runHelve(['models']);
  expect(stdout).toMatch(/bedrock +Amazon Bedrock +no key: set AWS_BEARER_TOKEN_BEDROCK, or set AWS_PROFILE/);
  expect(stdout).toMatch(/vertex +Google Vertex AI +no key: set CLOUDSDK_AUTH_ACCESS_TOKEN, or run gcloud auth/);
});

test('keys of AWS alone do not choose Bedrock', async () => {
  const { stderr, code } = await runHelve(['-p', 'go'], { env: { ...fakeAwsKeys, AWS_REGION: 'us-east-1' } });
  expect(code).not.toBe(0);
  expect(stderr).toContain('No model is set up');
});
