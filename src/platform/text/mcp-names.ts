// How the names that servers and their tools have themselves become the names that the model and the rules use:
// `mcp__server__tool`, of letters, digits, `_` and `-`, at most 64.
import { sha256 } from '../crypto.js';

export const MAX_NAME = 64; // what every provider accepts
export const MAX_SERVER = 32; // leaves room for the tool's own name
const HASH_CHARS = 8;

/** The part for a server: it holds no `__` and neither begins nor ends with `_`. Stars of a pattern stay. */
export function plainServer(name: string): string {
  const part = name
    .replaceAll(/[^A-Za-z0-9_*-]/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_|_$/g, '');
  return part === '' ? shortened('server', name, MAX_SERVER) : part;
}

/** The part for a tool. Stars of a pattern stay. */
export const plainTool = (name: string): string => name.replaceAll(/[^A-Za-z0-9_*-]/g, '_');

/** For a name that another one has already, or that is too long: its beginning, and a hash of the whole. */
export function shortened(part: string, whole: string, max: number): string {
  const hash = sha256().update(whole).digest('hex').slice(0, HASH_CHARS);
  return `${part.slice(0, max - HASH_CHARS - 1).replace(/_+$/, '')}_${hash}`;
}

export const isMcpName = (name: string): boolean => /^mcp__./i.test(name);

/** A server, or one of its tools, as a person wrote it, with every name that it may have got here. */
export interface WrittenMcpName {
  /** Of the server, in its shortest reading. */
  server: string;
  tool: string | undefined;
  /** Names or patterns, with `mcp__`. A server alone has no second `__`. */
  names: readonly string[];
}

/** Takes apart `mcp__server` or `mcp__server__tool` in whatever spelling. Undefined for other names. */
export function readMcpName(written: string): WrittenMcpName | undefined {
  if (!isMcpName(written)) return undefined;
  const rest = written.slice('mcp__'.length);
  const splits = splitsOf(rest);
  const [[server, tool] = [rest, undefined]] = splits;
  const names = splits.flatMap(([serverName, toolName]) =>
    serverParts(serverName).flatMap((part) =>
      toolName === undefined ? [`mcp__${part}`] : toolParts(part, toolName).map((name) => `mcp__${part}__${name}`),
    ),
  );
  return { server, tool, names: [...new Set(names)] };
}

/** With three or more `_` in a row there is no telling where the server's name ends. */
function splitsOf(rest: string): Array<[server: string, tool: string | undefined]> {
  const first = rest.search(/[^_]__./);
  if (first < 0) return [[rest, undefined]];
  const splits: Array<[string, string]> = [];
  for (let at = first + 1; rest.startsWith('__', at) && at + 2 < rest.length; at += 1) {
    splits.push([rest.slice(0, at), rest.slice(at + 2)]);
  }
  return splits;
}

const serverParts = (name: string): string[] => [
  plainServer(name),
  ...spelt(name).map((each) => shortened(plainServer(each), each, MAX_SERVER)),
];

const toolParts = (serverPart: string, name: string): string[] => [
  plainTool(name),
  ...spelt(name).map((each) => shortened(plainTool(each), each, MAX_NAME - `mcp__${serverPart}__`.length)),
];

/** The hash is of one spelling: that of the person, or the usual one in small letters. */
const spelt = (name: string): string[] => [...new Set([name, name.toLowerCase()])];
