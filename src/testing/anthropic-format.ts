import { anthropicSseEvents } from './anthropic-sse.js';
import { protocolViolations } from './protocol-violations.js';
import type { WireFormat } from './wire-format.js';

/** The Anthropic Messages API. */
export const anthropicFormat: WireFormat = {
  matches: (path) => /^\/v1\/messages(\?|$)/.test(path),
  violations: protocolViolations,
  events: anthropicSseEvents,
  errorBody: (error) => ({ type: 'error', error }),
};
