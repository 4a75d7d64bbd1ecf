// Signature version 4 of AWS, for requests with a body in memory.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
import { createHash, createHmac } from 'node:crypto';

/** Credentials that requests are signed with. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface RequestToSign {
  method: string;
  /** Its path and query must be encoded as they are sent. */
  url: string;
  /** All of them are signed, and `host` and the headers of the signature. */
  headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the body, in hexadecimal. */
  bodyHash: string;
}

export interface SigningScope {
  region: string;
  service: string;
  credentials: AwsCredentials;
  date: Date;
}

/** The headers that authorise the request: `authorization`, `x-amz-date`, and the session's token if there is one. */
export function signatureHeaders(request: RequestToSign, scope: SigningScope): Record<string, string> {
  const { region, service, credentials } = scope;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = scope.date.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const added = { 'x-amz-date': time, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) };
  const signed = canonicalHeaders({ ...request.headers, ...added, host: new URL(request.url).host });
  const names = signed.map(([name]) => name).join(';');
  const text = canonicalRequest(request, signed, names);
  const place = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${place}\n${sha256Hex(text)}`).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${place}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...added, authorization };
}

export function sha256Hex(...pieces: ReadonlyArray<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** A part of a path with every character encoded that AWS encodes, among them `:` and `/`. */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalRequest({ method, url, bodyHash }: RequestToSign, headers: Header[], names: string): string {
  const { pathname, searchParams } = new URL(url);
  // Services other than S3 sign a path that is encoded once more than the one that is sent.
  const path = pathname.split('/').map(encodeSegment).join('/');
  const query = [...searchParams]
    .map(([name, value]) => `${encodeSegment(name)}=${encodeSegment(value)}`)
    .toSorted()
    .join('&');
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  return [method, path, query, lines, names, bodyHash].join('\n');
}

type Header = readonly [name: string, value: string];

function canonicalHeaders(headers: Readonly<Record<string, string>>): Header[] {
  return Object.entries(headers)
    .map(([name, value]): Header => [name.toLowerCase(), value.trim().replace(/\s+/g, ' ')])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
