import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { parseJson } from '../../platform/parse-json.js';
import { startProcess } from '../../platform/shell/start-process.js';
import { clause } from '../../platform/text/clause.js';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_CHARS = 64 * 1024;

/** Runs a command that prints headers as a JSON object. The caller has checked that its source is trusted. */
export async function runHeadersHelper(
  command: string,
  { cwd, env, signal }: { cwd: string; env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<Record<string, string>> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const child = startProcess('/bin/sh', ['-c', command], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: limit,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_OUTPUT_CHARS) output += text;
  });
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject);
  child.once('close', (code) => ended.resolve(code));
  const code = await ended.promise.catch((error: unknown) => {
    const why = limit.aborted ? `it took longer than ${TIMEOUT_MS / 1000} s` : messageOf(error);
    throw new Error(`Its headersHelper could not be run: ${clause(why)}.`, { cause: error });
  });
  if (code !== 0) throw new Error(`Its headersHelper ended with exit code ${code}.`);
  // The output is a secret, so messages never include it.
  const printed = parse(output);
  if (!printed) throw new Error('Its headersHelper did not print a JSON object of texts.');
  return printed;
}

function parse(text: string): Record<string, string> | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
}
