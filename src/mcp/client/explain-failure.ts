// What went wrong with a request, in words for the model.
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import { messageOf } from './connection-errors.js';
import { ErrorCode } from './error-codes.js';

const MAX_SENTENCE = 600;

export const GO_ON = 'Go on without it, or ask the user.';
const MAY_HAVE_RUN = 'It may have done something; check before you repeat it.';

export interface FailedRequest {
  /** The server's name. */
  server: string;
  /** How long it may be silent, and how long a call may take. */
  idleMs: number;
  callMs: number;
  /** What is wrong with the connection, as a sentence; undefined if it is connected. */
  detail: string | undefined;
}

export function explainFailure(
  error: unknown,
  { server, idleMs, callMs, detail }: FailedRequest,
): { message: string; advice?: string } {
  const name = `The MCP server ${server}`;
  if (error instanceof ProtocolError) {
    const said = plainText(error.message, MAX_SENTENCE);
    const reason = reasons[error.code];
    return {
      message: reason ? `${name} refused the call, since ${reason}: ${said}` : `${name} refused the call: ${said}`,
    };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const seconds = (error.message.includes('total') ? callMs : idleMs) / 1000;
    const message = `${name} gave no answer and no sign of progress within ${seconds} s, so the call was cancelled.`;
    return { message, advice: MAY_HAVE_RUN };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    const message = `${name} sent a result that breaks the protocol: ${plainLine(error.message, 300)}.`;
    return { message, advice: MAY_HAVE_RUN };
  }
  if (detail !== undefined) return { message: detail, advice: GO_ON };
  const why = plainLine(messageOf(error), 300);
  return {
    message: `The connection to the MCP server ${server} broke off during the call (${why}).`,
    advice: MAY_HAVE_RUN,
  };
}

const reasons: Readonly<Record<number, string>> = {
  [ErrorCode.headerMismatch]: "the request's HTTP headers do not agree with its content",
  [ErrorCode.missingCapability]: 'it needs something of its client that Helve does not offer',
  [ErrorCode.unsupportedVersion]: 'it does not speak the version of the protocol that was agreed on',
};

/** Why a server can't be used. `end`: how its process ended. */
export function describeOutage(
  name: string,
  error: unknown,
  { end, lastWords }: { end: string | undefined; lastWords: string | undefined },
): string {
  const why = end ?? plainLine(messageOf(error), 300);
  const said = lastWords ? ` Its last words: "${plainLine(lastWords, 300)}".` : '';
  const verb = /^(?:did|could|ended|was|sent|speaks) /.test(why) ? why : `can't be reached (${why})`;
  return `The MCP server ${name} ${verb}.${said}`;
}
