import { encodeAwsMessage } from '../models/clouds/aws/event-stream.js';
import { sha256Hex, signatureHeaders } from '../models/clouds/aws/sign-request.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { anthropicFormat } from './anthropic-format.js';
import { protocolViolations } from './protocol-violations.js';
import type { FakeRefusal, PlainRequest, WireFormat } from './wire-format.js';

/** The credentials whose signatures the fake server accepts; AWS uses them in its documentation. */
export const fakeAwsKeys = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

/**
 * Amazon Bedrock's InvokeModelWithResponseStream for Claude: events of the Messages format in an AWS event stream, and
 * requests with a signature or a bearer token. An answer's `streamError` is sent as an exception of that type.
 */
export const bedrockFormat: WireFormat = {
  matches: (path) => /^\/model\/[^/]+\/invoke-with-response-stream$/.test(path),
  streamsByPath: true,
  contentType: 'application/vnd.amazon.eventstream',
  refusal: signatureRefusal,
  violations(body) {
    if (!isObject(body)) return protocolViolations(body);
    const extraneous = ['model', 'stream'].filter((name) => name in body);
    return [
      ...extraneous.map((name) => `#: extraneous key [${name}] is not permitted`),
      ...(body['anthropic_version'] === 'bedrock-2023-05-31' ? [] : ['anthropic_version: must be bedrock-2023-05-31']),
      ...protocolViolations({ model: 'by-path', ...body }),
    ];
  },
  events: anthropicFormat.events,
  frame(event) {
    const [, data = ''] = /^data: (.*)$/m.exec(event) ?? [];
    const { type, error } = asObject(parseJson(data));
    if (type !== 'error') {
      const chunk = JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdef' });
      const headers = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' };
      return encodeAwsMessage(headers, chunk);
    }
    const { type: exception, message } = asObject(error);
    const headers = {
      ':exception-type': String(exception),
      ':content-type': 'application/json',
      ':message-type': 'exception',
    };
    return encodeAwsMessage(headers, JSON.stringify({ message }));
  },
  errorBody: ({ message }) => ({ message }),
  errorHeaders: ({ type }) => ({ 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` }),
};

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

function signatureRefusal({ path, headers, text }: PlainRequest): FakeRefusal | undefined {
  const { authorization = '', host = '' } = headers;
  if (authorization.startsWith('Bearer ')) return undefined;
  const {
    key,
    day,
    region,
    service,
    names = '',
  } = /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<day>\d{8})\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request, SignedHeaders=(?<names>\S+), /.exec(
    authorization,
  )?.groups ?? {};
  if (!key || !day || !region || !service) {
    return { status: 403, type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' };
  }
  if (key !== fakeAwsKeys.AWS_ACCESS_KEY_ID) {
    const message = 'The security token included in the request is invalid.';
    return { status: 403, type: 'UnrecognizedClientException', message };
  }
  const signed = names.split(';').filter((name) => name !== 'host' && name !== 'x-amz-date');
  const token = headers['x-amz-security-token'];
  const time = String(headers['x-amz-date']).replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z');
  const { authorization: expected } = signatureHeaders(
    {
      method: 'POST',
      url: `http://${host}${path}`,
      headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
      bodyHash: sha256Hex(text),
    },
    {
      region,
      service,
      date: new Date(time),
      credentials: {
        accessKeyId: key,
        secretAccessKey: fakeAwsKeys.AWS_SECRET_ACCESS_KEY,
        ...(typeof token === 'string' && { sessionToken: token }),
      },
    },
  );
  if (authorization === expected && service === 'bedrock') return undefined;
  const message = 'The request signature we calculated does not match the signature you provided.';
  return { status: 403, type: 'InvalidSignatureException', message };
}
