// Checks the parameters of requests, and says what is wrong with them.

import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type ClientRole, isClientRole } from '../contract/client-role.js';
import type { Caller, SessionPlace } from '../host/hosted-conversation.js';
import { realPathSync } from '../platform/files/paths.js';
import { isObject } from '../platform/is-object.js';
import { RpcError, type RpcParams, rpcCodes } from './json-rpc.js';
import type { ClientAbilities } from './messages.js';

export const invalidParams = (message: string): RpcError => new RpcError(rpcCodes.invalidParams, message);

export function readText(params: RpcParams, name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value !== '') return value;
  throw invalidParams(`"${name}" must be a text that is not empty, but was ${shown(value)}.`);
}

export function readSessionId(params: RpcParams): string {
  const id = readText(params, 'sessionId');
  if (/^[\w-]{1,200}$/.test(id)) return id;
  throw invalidParams(`"sessionId" must have letters, digits, "-" and "_" only, but was ${shown(id)}.`);
}

export function readAbilities(params: RpcParams): ClientAbilities {
  const given = fieldsOf(params['clientCapabilities']);
  const session = fieldsOf(given['session']);
  return {
    readTextFile: fieldsOf(given['fs'])['readTextFile'] === true,
    forms: isObject(fieldsOf(given['elicitation'])['form']),
    notices: isObject(session['notices']),
    compaction: isObject(session['compaction']),
  };
}

/** The environment and the options of the client, if it sends them: `_meta.helve` of `initialize`. */
export function readCaller(params: RpcParams): Caller | undefined {
  const { env, argv, folder } = fieldsOf(fieldsOf(params['_meta'])['helve']);
  if (env === undefined && argv === undefined) return undefined;
  if (!isObject(env) || !isList(argv, (word): word is string => typeof word === 'string')) {
    throw invalidParams('"_meta.helve" must have "env", an object, and "argv", a list of texts.');
  }
  const variables = Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { env: Object.fromEntries(variables), argv, ...(typeof folder === 'string' && { folder }) };
}

/** Who a client is and what it may do, as `helve serve` says for those that it lets in. */
export interface ClientIdentity {
  /** Undefined for the user of this machine. */
  actor?: string;
  role: ClientRole;
  /** The project of a fleet that it is limited to. */
  project?: string;
  /** How many of its prompts may run at once in a fleet, and how many it may send in a day. */
  running?: number;
  perDay?: number;
}

/** Only this user reaches the socket of the host, so what the other side says of itself is believed. */
export function readIdentity(params: RpcParams): ClientIdentity {
  const { actor, role, project, running, perDay } = fieldsOf(fieldsOf(params['_meta'])['helve']);
  return {
    role: isClientRole(role) ? role : 'admin',
    ...(typeof actor === 'string' && { actor }),
    ...(typeof project === 'string' && { project }),
    ...(typeof running === 'number' && { running }),
    ...(typeof perDay === 'number' && { perDay }),
  };
}

function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

/** The place of a session: `cwd`, `additionalDirectories` and `mcpServers`. */
export function readPlace(params: RpcParams): SessionPlace {
  const directories = readList(params, 'additionalDirectories').map((folder, index) =>
    realFolder(folder, `additionalDirectories[${index}]`),
  );
  return {
    root: realFolder(params['cwd'], 'cwd'),
    additionalDirectories: directories,
    mcpServers: Object.fromEntries(readList(params, 'mcpServers').map(readServer)),
  };
}

function readList(params: RpcParams, name: string): readonly unknown[] {
  const value = params[name] ?? [];
  if (Array.isArray(value)) return value;
  throw invalidParams(`"${name}" must be a list, but was ${shown(value)}.`);
}

function realFolder(given: unknown, name: string): string {
  const path = absolutePath(given, name);
  if (!isFolder(path)) throw invalidParams(`"${name}" must be a folder, but there is none at ${shown(path)}.`);
  return realPathSync(path);
}

export function absolutePath(path: unknown, name: string): string {
  if (typeof path === 'string' && isAbsolute(path) && !path.includes('\0')) return path;
  throw invalidParams(`"${name}" must be an absolute path, but was ${shown(path)}.`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, unreadable, or longer than a path may be
  }
}

/** A server in the format of `.mcp.json`, with its name. */
function readServer(server: unknown, index: number): [string, Readonly<Record<string, unknown>>] {
  const at = `mcpServers[${index}]`;
  if (!isObject(server)) throw invalidParams(`"${at}" must be an object, but was ${shown(server)}.`);
  const { type = 'stdio' } = server;
  const name = readText(server, 'name');
  if (type === 'http' || type === 'sse') {
    return [name, { type, url: readText(server, 'url'), headers: readPairs(server['headers'], `${at}.headers`) }];
  }
  if (type !== 'stdio') {
    throw invalidParams(`"${at}.type" must be stdio, http or sse, but was ${shown(type)}.`);
  }
  const args = server['args'] ?? [];
  if (!Array.isArray(args) || !args.every((word) => typeof word === 'string')) {
    throw invalidParams(`"${at}.args" must be a list of texts, but was ${shown(args)}.`);
  }
  return [name, { command: readText(server, 'command'), args, env: readPairs(server['env'], `${at}.env`) }];
}

/** `[{ name, value }]` as an object. */
function readPairs(pairs: unknown, at: string): Record<string, string> {
  const given = pairs ?? [];
  if (!Array.isArray(given)) throw invalidParams(`"${at}" must be a list, but was ${shown(given)}.`);
  return Object.fromEntries(
    given.map((pair: unknown, index): [string, string] => {
      const { name, value } = fieldsOf(pair);
      if (typeof name === 'string' && typeof value === 'string') return [name, value];
      throw invalidParams(`"${at}[${index}]" must have a name and a value, both texts, but was ${shown(pair)}.`);
    }),
  );
}

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** A value of the client in an error. The client may nest it so deeply that it can't be written as JSON. */
export function shown(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'left out';
  } catch {
    return 'a value that is nested too deeply to show';
  }
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
