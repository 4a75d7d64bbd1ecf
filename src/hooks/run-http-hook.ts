import type { IncomingMessage } from 'node:http';
import { messageOf } from '../platform/message-of.js';
import { timeLimit } from '../platform/time-limit.js';
import { decodeAnswer } from './decode-answer.js';

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface HttpRun {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** The JSON that is posted. */
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * `text` is the body as far as it arrived, even after a failure: a refusal in it counts. `isUnreadable`: there is a
 * body, but its content is unknown.
 */
export type HttpEnd =
  | { text: string; failure?: string; isUnreadable?: false }
  | { isUnreadable: true; failure: string };

/**
 * Posts to a hook's address. Redirects are not followed, since the input contains private data. A status refuses
 * nothing; the body of the response does. Rejects only with the signal's reason.
 */
export async function runHttpHook({ timeoutMs, signal, ...request }: HttpRun): Promise<HttpEnd> {
  signal.throwIfAborted();
  const limit = timeLimit(timeoutMs);
  const body = new Body();
  try {
    return await exchange(request, body, AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    signal.throwIfAborted();
    const { text, isUnreadable } = body.read();
    if (isUnreadable) return { isUnreadable, failure: `its answer was cut off (${messageOf(error)})` };
    if (limit.signal.aborted) {
      const what = text === '' ? 'it did not answer' : 'its answer was not complete';
      return { text, failure: `${what} within ${timeoutMs / 1000} s` };
    }
    const how = text === '' ? 'it could not be reached' : 'its answer was cut off';
    return { text, failure: `${how} (${messageOf(error)})` };
  } finally {
    limit.clear();
  }
}

async function exchange(
  { url, headers, body }: Pick<HttpRun, 'url' | 'headers' | 'body'>,
  received: Body,
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
    const way = status >= 300 && status < 400 ? '; redirects are not followed, so configure the final address' : '';
    return { text: '', failure: `it answered with status ${status}${way}` };
  }
  received.encoding = answer.headers['content-encoding'] ?? '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (!received.add(chunk)) return { isUnreadable: true, failure: 'its answer is longer than 1 MB' }; // this closes the connection
  }
  const { text, isUnreadable } = received.read();
  if (isUnreadable)
    return { isUnreadable, failure: `its answer can't be decompressed (${received.encoding || 'gzip'})` };
  return { text };
}

/** The part of a response that has arrived. */
class Body {
  encoding = '';
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** Whether it was within the limit. */
  add(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_ANSWER_BYTES) this.#chunks.push(chunk);
    return this.#bytes <= MAX_ANSWER_BYTES;
  }

  read(): { text: string; isUnreadable?: false } | { text?: undefined; isUnreadable: true } {
    try {
      return { text: decodeAnswer(decompressed(Buffer.concat(this.#chunks), this.encoding)) };
    } catch {
      return { isUnreadable: true };
    }
  }
}

/** Helve asks for no compression, but some servers and proxies compress anyway. */
function decompressed(bytes: Buffer, encoding: string): Buffer {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const method = encoding.trim().toLowerCase();
  if (bytes.length === 0 || (!isGzip && /^(|identity|(x-)?gzip)$/.test(method))) return bytes;
  const { brotliDecompressSync, gunzipSync, inflateSync } = process.getBuiltinModule('node:zlib');
  const limit = { maxOutputLength: MAX_ANSWER_BYTES };
  if (isGzip) return gunzipSync(bytes, limit);
  if (method === 'br') return brotliDecompressSync(bytes, limit);
  if (method === 'deflate') return inflateSync(bytes, limit);
  throw new Error(`unknown encoding ${method}`);
}

/** Headers with `$NAME` and `${NAME}` filled in, for the variables that the hook may use; others become empty. */
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
