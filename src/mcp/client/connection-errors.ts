// Classifies the errors of transports.
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { ErrorCode } from './error-codes.js';

const MAX_VERSIONS = 5; // that are named

/** The HTTP status of a remote server's response, in whichever form the transport reports it. */
export function httpStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'UnauthorizedError') return 401;
  if (error.name === 'InsufficientScopeError') return 403;
  if ('status' in error && typeof error.status === 'number') return error.status;
  if (error.name === 'SseError' && 'code' in error && typeof error.code === 'number') return error.code;
  return undefined;
}

/**
 * Whether the server has not processed the request: it no longer knows the session, requires other headers, or speaks
 * another version of the protocol than before.
 */
export function isUnheard(error: unknown): boolean {
  if (error instanceof Error && error.name === 'InsufficientScopeError') return false; // a new connection changes nothing
  const status = httpStatus(error);
  if (protocolCode(error) === ErrorCode.unsupportedVersion) return true;
  // Some servers say this to a session from before a restart.
  if (status === 400)
    return /session|not initialized/i.test(messageOf(error)) || protocolCode(error) === ErrorCode.headerMismatch;
  return status === 404 || status === 401 || status === 403;
}

export const isHeaderMismatch = (error: unknown): boolean => protocolCode(error) === ErrorCode.headerMismatch;

const protocolCode = (error: unknown): unknown => protocolError(error)?.['code'];

/** The versions of the protocol that a server speaks, if it says that it does not speak ours. */
export function otherVersions(error: unknown): string[] | undefined {
  const { code, data } = protocolError(error) ?? {};
  if (code !== ErrorCode.unsupportedVersion) return undefined;
  const { supported } = isObject(data) ? data : {};
  const versions = (Array.isArray(supported) ? supported : []).filter((version) => typeof version === 'string');
  return versions.slice(0, MAX_VERSIONS).map((version) => plainLine(version, 20));
}

/** The protocol's own error, also where the transport reports it as the body of an HTTP error. */
function protocolError(error: unknown): Readonly<Record<string, unknown>> | undefined {
  if (error instanceof ProtocolError) return { code: error.code, data: error.data };
  const { text } = error instanceof SdkError && isObject(error.data) ? error.data : {};
  const body = typeof text === 'string' ? parseJson(text) : undefined;
  const sent = isObject(body) ? body['error'] : undefined;
  return isObject(sent) ? sent : undefined;
}

/** Nothing listens there, or the connection broke off before an answer. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.cause instanceof TypeError);
}

export const isConnectionLoss = (error: unknown): boolean =>
  error instanceof TypeError || // of fetch
  (error instanceof SdkError &&
    (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected));

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${error.message === 'fetch failed' ? cause : ''}`;
}
