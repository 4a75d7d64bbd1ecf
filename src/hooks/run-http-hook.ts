import type { IncomingMessage } from 'node:http';
import { messageOf } from '../platform/message-of.js';
import { textRefuses } from './plain-verdicts.js';

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface HttpRun {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** The JSON that is posted. */
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
}

export type HttpEnd = { json: unknown } | { failure: string };

/**
 * Posts to a hook's address. Redirects are not followed, since the input contains private data. A status refuses
 * nothing; the body of the response does. Rejects only with the signal's reason.
 */
export async function runHttpHook({ timeoutMs, signal, ...request }: HttpRun): Promise<HttpEnd> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await exchange(request, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { failure: `it did not answer within ${timeoutMs / 1000} s` };
    return { failure: `it could not be reached (${messageOf(error)})` };
  }
}

async function exchange(
  { url, headers, body }: Pick<HttpRun, 'url' | 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<HttpEnd> {
  // Not by `import`: that reads every export, and some of http's are getters that load all of fetch.
  const client = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const request = client.request(url, { method: 'POST', headers: { ...headers, ...own }, agent: false, signal });
    request.on('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) {
    answer.destroy();
    const way = status >= 300 && status < 400 ? '; redirects are not followed, so give the address it leads to' : '';
    return { failure: `it answered with status ${status}${way}` };
  }
  const text = await readBounded(answer);
  if (text === undefined) return { failure: 'its answer is longer than 1 MB' };
  if (text.trim() === '') return { json: undefined };
  return parse(text);
}

async function readBounded(answer: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return undefined; // leaving the loop gives the connection up
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): HttpEnd {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (textRefuses(text)) return { json: text };
    return { failure: `its answer is not JSON (${messageOf(error)})` };
  }
}

/** Headers with `$NAME` and `${NAME}` filled in, for the variables that the hook may have; any other becomes nothing. */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  allowed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const fill = (text: string): string =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return allowed.includes(name) ? (env[name] ?? '') : '';
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}
