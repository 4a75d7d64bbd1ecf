// Classifies the errors of transports.
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** The HTTP status of a remote server's response, in whichever form the transport reports it. */
export function httpStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'UnauthorizedError') return 401;
  if ('status' in error && typeof error.status === 'number') return error.status;
  if (error.name === 'SseError' && 'code' in error && typeof error.code === 'number') return error.code;
  return undefined;
}

/** Whether the server has not processed the request: it no longer knows the session, or requires other headers. */
export function isUnheard(error: unknown): boolean {
  const status = httpStatus(error);
  if (status === 400) return /session/i.test(messageOf(error)); // some servers say this to a session from before a restart
  return status === 404 || status === 401 || status === 403;
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
