// What a host may ask for while the session goes on, by the subtype of its request.
import type { Line } from './control-channel.js';

type Request = Line & { subtype: string };

/** Gives the answer, or throws `RequestRefused`. */
export type RequestHandler = (request: Request) => Line | undefined | Promise<Line | undefined>;

/** The host asked for something that can't be had; the message is for it. */
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
