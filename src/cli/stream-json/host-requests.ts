// The requests that a host may send during a session, by subtype.
import type { Line } from './control-channel.js';

type Request = Line & { subtype: string };

/** Returns the response, or throws `RequestRefused`. */
export type RequestHandler = (request: Request) => Line | undefined | Promise<Line | undefined>;

/** The host's request can't be fulfilled; the message is for the host. */
export class RequestRefused extends Error {}

export async function handleRequest(
  request: Request,
  handlers: Readonly<Record<string, RequestHandler>>,
): Promise<Line> {
  const handler = Object.hasOwn(handlers, request.subtype) ? handlers[request.subtype] : undefined;
  if (!handler) {
    throw new RequestRefused(
      `There is no control request "${request.subtype.slice(0, 80)}". There are: ${Object.keys(handlers).join(', ')}.`,
    );
  }
  return (await handler(request)) ?? {};
}
