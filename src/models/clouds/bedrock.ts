import { type Model, ModelFailure } from '../../contract/model.js';
import { endpointOf } from '../http/endpoint.js';
import type { ReadEvents } from '../http/exchange.js';
import { shorten } from '../http/failures.js';
import type { HttpAnswer } from '../http/post.js';
import { leaveBody, readSse, type SseEvent } from '../http/read-sse.js';
import { messagesModel } from '../wire/anthropic/messages-model.js';
import { awsAuthorization } from './aws/aws-authorization.js';
import { awsRegion, readAwsProfile } from './aws/aws-config.js';
import { awsCredentials } from './aws/aws-credentials.js';
import { type AwsMessage, awsMessages } from './aws/event-stream.js';
import { encodeSegment } from './aws/sign-request.js';
import { explainBedrock } from './bedrock-failures.js';
import type { CloudSetup } from './cloud-setup.js';

const API_VERSION = 'bedrock-2023-05-31';

/** Claude on Amazon Bedrock, by InvokeModelWithResponseStream, with a Bedrock API key or the credentials of AWS's tools. */
export async function bedrockModel(setup: CloudSetup): Promise<Model> {
  const { provider, name, env, key } = setup;
  throwUnlessClaude(name);
  const region = regionIn(setup.baseUrl) ?? awsRegion(env, await readAwsProfile(env));
  const address = setup.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const { 'anthropic-beta': betas, ...headers } = setup.headers ?? {};
  const endpoint = () => {
    if (region === undefined) throw noRegion();
    if (!/^[a-z0-9-]+$/.test(region)) throw notARegion(region);
    return {
      ...endpointOf({
        model: name,
        address: address.replace(/(?<!\/)\/+$/, ''),
        path: `/model/${encodeSegment(name)}/invoke-with-response-stream`,
        title: `Amazon Bedrock in ${region}`,
        keys: [{ variable: key?.variable ?? 'AWS_BEARER_TOKEN_BEDROCK', value: key?.value }],
        baseUrlVariable: setup.baseUrlVariable,
      }),
      explain: explainBedrock({ name, region, isSigned: key === undefined, baseUrlVariable: setup.baseUrlVariable }),
      unreachableAdvice: `Check the network and the region, which is "${region}": set AWS_REGION to one that has Bedrock.`,
    };
  };
  return messagesModel({
    ...setup,
    provider,
    endpoint,
    fields: {
      anthropic_version: API_VERSION,
      ...(betas && { anthropic_beta: betas.split(',').map((beta) => beta.trim()) }),
    },
    headers: () => ({
      'content-type': 'application/json',
      accept: 'application/vnd.amazon.eventstream',
      ...headers,
      ...(key && { authorization: `Bearer ${key.value.trim()}` }),
    }),
    readEvents: readBedrockEvents,
    ...(key === undefined && {
      authorization: awsAuthorization({ region: region ?? '', service: 'bedrock', credentials: awsCredentials(env) }),
    }),
  });
}

/** Application inference profiles have a name of their own, so any ARN may be a Claude. */
function throwUnlessClaude(name: string): void {
  if (/claude|^arn:/i.test(name)) return;
  throw new ModelFailure(
    'unknown_model',
    `"${name}" is not a Claude model, and Helve speaks only their format with Amazon Bedrock.`,
    {
      advice: 'Name one such as global.anthropic.claude-sonnet-5-5, or the ARN of an inference profile of one.',
      about: 'model',
    },
  );
}

/** In the address of an AWS endpoint, regional, FIPS or private. */
const regionIn = (address: string | undefined): string | undefined =>
  address === undefined ? undefined : /\bbedrock-runtime(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(address)?.[1];

const noRegion = (): ModelFailure =>
  new ModelFailure('auth', 'No AWS region for Amazon Bedrock.', {
    advice: 'Set AWS_REGION, for example to us-east-1, or "region" in the profile of ~/.aws/config.',
    about: 'address',
  });

/** It is a part of the host's name, so nothing else may be in it. */
const notARegion = (region: string): ModelFailure =>
  new ModelFailure('unreachable', `"${shorten(region)}" is not an AWS region.`, {
    advice: 'Set AWS_REGION to one such as us-east-1.',
    about: 'address',
  });

/** Gateways may answer with server-sent events instead. */
const readBedrockEvents: ReadEvents = (answer, isLast) =>
  /text\/event-stream/i.test(answer.header('content-type') ?? '')
    ? readSse(answer.body, { isLast, cancel: answer.cancel })
    : bedrockEvents(answer, isLast);

/** The events of the Messages format in an AWS event stream. Exceptions become events of type "error". */
async function* bedrockEvents(
  { body, cancel }: HttpAnswer,
  isLast: (event: SseEvent) => boolean,
): AsyncGenerator<SseEvent, void, void> {
  const chunks = body[Symbol.asyncIterator]();
  let complete = false;
  try {
    const unowned = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }; // so that leaving does not close it
    for await (const message of awsMessages(unowned)) {
      const event = eventIn(message);
      if (event === undefined) continue;
      complete ||= isLast(event);
      yield event;
    }
  } finally {
    leaveBody(chunks, complete, cancel);
  }
}

function eventIn({ headers, payload }: AwsMessage): SseEvent | undefined {
  const kind = headers.get(':message-type');
  if (kind === 'event') return headers.get(':event-type') === 'chunk' ? { data: chunkText(payload) } : undefined;
  const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'error';
  const { message } = parsed(payload);
  const words = headers.get(':error-message') ?? (typeof message === 'string' ? message : payload.toString());
  return { event: 'error', data: JSON.stringify({ type: 'error', error: { type, message: words } }) };
}

function chunkText(payload: Buffer): string {
  const { bytes } = parsed(payload);
  if (typeof bytes !== 'string') throw new Error('a chunk of it has no bytes');
  return Buffer.from(bytes, 'base64').toString();
}

function parsed(payload: Buffer): { bytes?: unknown; message?: unknown } {
  try {
    const value: unknown = JSON.parse(payload.toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
