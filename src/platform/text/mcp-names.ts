// Converts the names of MCP servers and their tools to the names that the model and the rules use:
// `mcp__server__tool`, of letters, digits, `_` and `-`, at most 64 characters.
import { sha256 } from '../crypto.js';

export const MAX_NAME = 64; // what every provider accepts
export const MAX_SERVER = 32; // leaves room for the tool's own name
const HASH_CHARS = 8;
const PREFIX = 'mcp__';

/** The server's part: contains no `__` and neither begins nor ends with `_`. Stars of a pattern are kept. */
export function plainServer(name: string): string {
  const part = name
    .replaceAll(/[^A-Za-z0-9_*-]/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_|_$/g, '');
  return part === '' ? shortened('server', name, MAX_SERVER) : part;
}

/** The tool's part. Stars of a pattern are kept. */
export const plainTool = (name: string): string => name.replaceAll(/[^A-Za-z0-9_*-]/g, '_');

/** For a name that is taken or too long: its beginning, and a hash of the whole. */
export function shortened(part: string, whole: string, max: number): string {
  const hash = sha256().update(whole).digest('hex').slice(0, HASH_CHARS);
  return `${part.slice(0, max - HASH_CHARS - 1).replace(/(?<!_)_+$/, '')}_${hash}`;
}

/** The name of a server's tool or prompt, from its two parts. */
export const mcpName = (serverPart: string, toolPart: string): string => `${mcpServerName(serverPart)}__${toolPart}`;

/** The name that means all tools of a server. */
export const mcpServerName = (serverPart: string): string => PREFIX + serverPart;

/** Whether a name is of the form that servers' tools and prompts have here. */
export const isMcpName = (name: string): boolean => name.startsWith(PREFIX);

/** Whether a pattern mentions the tools of servers anywhere. */
export const mentionsMcp = (pattern: string): boolean => pattern.includes(PREFIX);

/** The same for a name that a person wrote, in capital letters or not. */
export const isWrittenMcpName = (name: string): boolean => /^mcp__./i.test(name);

/** The part for the server in the name of a tool; undefined for other names. */
export const serverPartOf = (name: string): string | undefined => /^mcp__(.+?)__./.exec(name)?.[1];

/** Both parts of the name of a tool, or of a server alone, and other names as they are. */
export const withoutMcpPrefix = (name: string): string => (isMcpName(name) ? name.slice(PREFIX.length) : name);

/** Whether a pattern names its server in full, so that a star in it matches only tools. */
export const namesOneServer = (pattern: string): boolean => /^mcp__[^*]+?__/.test(pattern);

/** Whether the first is the name of a server alone, and the second that of one of its tools. */
export const isToolOfServer = (server: string, name: string): boolean =>
  /^mcp__(?:(?!__).)+$/.test(server) && name.startsWith(`${server}__`);

/** A server, or one of its tools, as a person wrote it, with every name that it may have been given. */
export interface WrittenMcpName {
  /** The server's name, in its shortest reading. */
  server: string;
  tool: string | undefined;
  /** Everything behind the prefix. */
  whole: string;
  /** Names or patterns, with `mcp__`. A server alone has no second `__`. */
  names: readonly string[];
}

/** Parses `mcp__server` or `mcp__server__tool` in any spelling. Undefined for other names. */
export function readMcpName(written: string): WrittenMcpName | undefined {
  if (!isWrittenMcpName(written)) return undefined;
  const rest = written.slice(PREFIX.length);
  const splits = splitsOf(rest);
  const [[server, tool] = [rest, undefined]] = splits;
  const names = splits.flatMap(([serverName, toolName]) =>
    serverParts(serverName).flatMap((part) =>
      toolName === undefined ? [mcpServerName(part)] : toolParts(part, toolName).map((name) => mcpName(part, name)),
    ),
  );
  return { server, tool, whole: rest, names: [...new Set(names)] };
}

/** Each `__` may end the server's name, or be part of it; of three or more `_` in a row any two may end it. */
function splitsOf(rest: string): Array<[server: string, tool: string | undefined]> {
  const splits: Array<[string, string]> = [];
  const first = rest.search(/[^_]__./);
  for (let at = first + 1; first >= 0 && at + 2 < rest.length; at += 1) {
    if (rest.startsWith('__', at)) splits.push([rest.slice(0, at), rest.slice(at + 2)]);
  }
  return [...splits, [rest, undefined]];
}

/** Whether the server's own name contains the separator that ends it. Such a server gets a name with a hash. */
export const holdsSeparator = (name: string): boolean => /[^_]__+[^_]/.test(name);

const serverParts = (name: string): string[] => [
  ...(holdsSeparator(name) ? [] : [plainServer(name)]),
  ...spelt(name).map((each) => shortened(plainServer(each), each, MAX_SERVER)),
];

const toolParts = (serverPart: string, name: string): string[] => [
  plainTool(name),
  ...spelt(name).map((each) => shortened(plainTool(each), each, MAX_NAME - mcpName(serverPart, '').length)),
];

/** The hash is of one spelling: the person's, or the usual one in lower case. */
const spelt = (name: string): string[] => [...new Set([name, name.toLowerCase()])];
