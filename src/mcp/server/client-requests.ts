// Requests to a client: what the client must have declared to get one, and which of its answers are of the right form.
import { inputResponse } from '@modelcontextprotocol/server';
import type { McpInputRequest } from '../../contract/mcp-serving.js';
import { isObject } from '../../platform/is-object.js';

export type InputRequests = Readonly<Record<string, McpInputRequest>>;
export type InputResponses = Readonly<Record<string, unknown>>;

type Capabilities = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const EMPTY = {};

/** A client that declares only "elicitation" supports forms. */
export function showsForms(declared: unknown): boolean {
  return covers(declared, { elicitation: { form: EMPTY } });
}

export function supports(declared: unknown, method: McpInputRequest['method']): boolean {
  return covers(declared, capabilitiesFor({ method }));
}

/** The capabilities that the requests need and the client has not declared; undefined if there are none. */
export function missingCapabilities(requests: InputRequests, declared: unknown): Capabilities | undefined {
  const missing = Object.values(requests)
    .map(capabilitiesFor)
    .filter((needed) => !covers(declared, needed));
  return missing.length === 0 ? undefined : Object.assign({}, ...missing);
}

function capabilitiesFor({ method, params = EMPTY }: McpInputRequest): Capabilities {
  if (method === 'elicitation/create') return { elicitation: { [params['mode'] === 'url' ? 'url' : 'form']: EMPTY } };
  if (method === 'roots/list') return { roots: EMPTY };
  return { sampling: params['tools'] || params['toolChoice'] ? { tools: EMPTY } : EMPTY };
}

function covers(declared: unknown, needed: Capabilities): boolean {
  return Object.entries(needed).every(([name, parts]) => {
    const has = isObject(declared) ? declared[name] : undefined;
    if (!isObject(has)) return false;
    const isBareForm = 'form' in parts && has['url'] === undefined;
    return isBareForm || Object.keys(parts).every((part) => has[part] !== undefined);
  });
}

/** The answers to these requests alone; undefined if one of them is missing, or is not of the form of its method. */
export function answersTo(requests: InputRequests, responses: InputResponses | undefined): InputResponses | undefined {
  const keys = Object.keys(requests);
  if (!responses || !keys.every((key) => isAnswer(requests[key], responses, key))) return undefined;
  return Object.fromEntries(keys.map((key) => [key, responses[key]]));
}

const KINDS = {
  'elicitation/create': 'elicit',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const;

function isAnswer(request: McpInputRequest | undefined, responses: InputResponses, key: string): boolean {
  return (
    request !== undefined &&
    Object.hasOwn(responses, key) &&
    inputResponse(responses, key).kind === KINDS[request.method]
  );
}
