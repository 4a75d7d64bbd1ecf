import { isObject } from '../platform/is-object.js';
import { anthropicFormat } from './anthropic-format.js';
import { protocolViolations } from './protocol-violations.js';
import type { WireFormat } from './wire-format.js';

/** Claude on Vertex AI: the Messages format at another address, with Google's errors. */
export const vertexFormat: WireFormat = {
  matches: (path) =>
    /^(\/v1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/[^/]+:streamRawPredict$/.test(path),
  refusal: ({ headers }) =>
    headers.authorization?.startsWith('Bearer ')
      ? undefined
      : { status: 401, type: 'UNAUTHENTICATED', message: 'Request is missing required authentication credential.' },
  violations(body) {
    if (!isObject(body)) return protocolViolations(body);
    return [
      ...('model' in body ? ['model: Extra inputs are not permitted'] : []),
      ...(body['anthropic_version'] === 'vertex-2023-10-16' ? [] : ['anthropic_version: must be vertex-2023-10-16']),
      ...protocolViolations({ model: 'by-path', ...body }),
    ];
  },
  events: anthropicFormat.events,
  errorBody: ({ type, message }) => [{ error: { code: 400, message, status: type } }],
};
