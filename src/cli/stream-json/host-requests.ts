// The requests that a host may send during a session, by subtype.
import { isObject } from '../../platform/is-object.js';
import { nearestWords } from '../../platform/text/similar-text.js';
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
  checkFields(request);
  return (await handler(request)) ?? {};
}

type Kind = 'text' | 'number' | 'boolean' | 'object' | 'any';

interface Fields {
  required?: Readonly<Record<string, Kind>>;
  optional?: Readonly<Record<string, Kind>>;
}

/** The fields of requests, beside those that their handlers check in words of their own. */
const fieldsOf: Readonly<Record<string, Fields>> = {
  mcp_call: { required: { tool: 'text' }, optional: { arguments: 'object' } },
  mcp_read_resource: { required: { serverName: 'text', uri: 'text' } },
  mcp_set_servers: { required: { servers: 'object' } },
  mcp_reconnect: { required: { serverName: 'text' } },
  mcp_toggle: { required: { serverName: 'text', enabled: 'boolean' } },
  mcp_message: { required: { server_name: 'text', message: 'object' } },
  read_file: { required: { path: 'text' }, optional: { max_bytes: 'number', encoding: 'text' } },
  seed_read_state: { required: { path: 'text', mtime: 'number' } },
  file_suggestions: { required: { query: 'text' } },
  stop_task: { required: { task_id: 'text' } },
  get_task_output: { required: { task_id: 'text' } },
  background_tasks: { optional: { tool_use_id: 'text' } },
  rewind_files: { required: { user_message_id: 'text' }, optional: { dry_run: 'boolean' } },
  cancel_async_message: { required: { message_uuid: 'text' } },
  apply_flag_settings: { required: { settings: 'object' } },
  update_settings: { required: { source: 'text', settings: 'object' } },
  rename_session: { required: { title: 'text' } },
  register_repo_root: { required: { directory: 'text' } },
  set_permission_mode: { required: { mode: 'any' } },
  set_model: { optional: { model: 'any' } },
  set_max_thinking_tokens: { optional: { max_thinking_tokens: 'any' } },
  interrupt: { optional: { cancel_queued: 'boolean' } },
};

/**
 * Newer hosts send fields that Helve does not know, and these are ignored. Refused are a missing field, one of another
 * kind, and an unknown name that must have been meant for a field: it would have had no effect.
 */
function checkFields(request: Request): void {
  const { required = {}, optional = {} } = Object.hasOwn(fieldsOf, request.subtype)
    ? (fieldsOf[request.subtype] ?? {})
    : {};
  const fields = { ...required, ...optional };
  const names = Object.keys(fields);
  const isThere = (name: string): boolean => request[name] !== undefined && request[name] !== null;
  const absent = names.filter((name) => !isThere(name));
  const unknown = Object.keys(request).filter((name) => name !== 'subtype' && !names.includes(name) && isThere(name));
  for (const name of unknown) {
    const meant = absent.find((field) => isAlike(name, field));
    if (meant !== undefined)
      throw new RequestRefused(`${request.subtype} has no field "${name}". Send it as "${meant}".`);
  }
  for (const name of absent) {
    if (name in required) throw new RequestRefused(`${request.subtype} needs the field "${name}", which is missing.`);
  }
  for (const [name, kind] of Object.entries(fields)) {
    if (!isThere(name) || isOfKind(request[name], kind)) continue;
    const shown = JSON.stringify(request[name])?.slice(0, 80);
    throw new RequestRefused(`"${name}" of ${request.subtype} must be ${kindWords[kind]}, but was ${shown}.`);
  }
}

const kindWords: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  any: 'a value',
};

const isOfKind = (value: unknown, kind: Kind): boolean =>
  kind === 'any' ||
  (kind === 'text' ? typeof value === 'string' : kind === 'object' ? isObject(value) : typeof value === kind);

const LEAST_START = 3;

/** Whether the name is another spelling or an abbreviation of the field. */
function isAlike(name: string, field: string): boolean {
  const [one, other] = [plain(name), plain(field)];
  const isStart = one.length >= LEAST_START && other.startsWith(one.slice(0, LEAST_START));
  return one === other || isStart || nearestWords(name, [field]).length > 0;
}

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();
