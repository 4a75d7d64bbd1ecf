// In the era of 2026-07-28, a tool's schema may name parameters that are also sent as HTTP headers (`x-mcp-header`), so
// that what stands before the server can route a call without reading it.
import { isObject } from '../../platform/is-object.js';
import { plainLine } from '../../platform/text/plain-text.js';
import type { SetAside } from './tool-from-server.js';

const MARK = 'x-mcp-header';
const MAX_DEPTH = 64;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

interface Declaration {
  /** The property names that lead to it. */
  path: readonly string[];
  header: string;
}

type Scan = { declarations: readonly Declaration[] } | { problem: string };

/** The parameters of a tool that are sent as headers, or why its schema declares them in a wrong way. */
export function headerParameters(inputSchema: unknown): Scan {
  const declarations: Declaration[] = [];
  const problem = problemIn(inputSchema, [], declarations);
  if (problem !== undefined) return { problem };
  const seen = new Set<string>();
  for (const { header } of declarations) {
    const lower = header.toLowerCase();
    if (seen.has(lower)) return { problem: `it sends two parameters as the header ${plainLine(header, 60)}` };
    seen.add(lower);
  }
  return { declarations };
}

/** The headers of a call. A parameter that is missing, null, or not a single value has none. */
export function parameterHeaders(inputSchema: unknown, input: unknown): Record<string, string> {
  const scan = headerParameters(inputSchema);
  if ('problem' in scan) return {};
  return Object.fromEntries(
    scan.declarations.flatMap(({ path, header }) => {
      const text = asText(path.reduce(property, input));
      return text === undefined ? [] : [[`Mcp-Param-${header}`, encoded(text)]];
    }),
  );
}

/** `path` is undefined where no fixed chain of properties leads. */
function problemIn(
  schema: unknown,
  path: readonly string[] | undefined,
  found: Declaration[],
  depth = 0,
): string | undefined {
  if (depth > MAX_DEPTH) return 'its schema is nested too deep';
  if (Array.isArray(schema)) return firstOf(schema, (one) => problemIn(one, undefined, found, depth + 1));
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, MARK)) {
    const header = schema[MARK];
    const said = plainLine(String(header), 60);
    if (path === undefined || path.length === 0) return `it sends a part of a parameter as the header ${said}`;
    if (typeof header !== 'string' || !TOKEN.test(header)) return `"${said}" is not a name of a header`;
    if (!['string', 'integer', 'boolean'].includes(String(schema['type']))) {
      return `it sends a parameter as the header ${said} that is neither a string, an integer nor a boolean`;
    }
    found.push({ path, header });
  }
  return firstOf(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return undefined;
    if (keyword !== 'properties') return problemIn(value, undefined, found, depth + 1);
    if (!isObject(value)) return undefined;
    return firstOf(Object.entries(value), ([name, one]) => problemIn(one, path && [...path, name], found, depth + 1));
  });
}

/** Keywords whose values are not schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'required', MARK]);

function firstOf<Item>(items: readonly Item[], look: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = look(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const property = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

/** Text that a header can't hold as it is, or that looks as if it were encoded, is sent as base64. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Over HTTP, a tool whose schema declares headers in a wrong way can't be called. */
export function withUsableHeaders(
  sent: readonly unknown[],
  areSent: boolean,
): { usable: unknown[]; refused: SetAside[] } {
  const usable: unknown[] = [];
  const refused: SetAside[] = [];
  for (const tool of sent) {
    const scan = areSent && isObject(tool) ? headerParameters(tool['inputSchema']) : undefined;
    if (scan === undefined || !('problem' in scan) || !isObject(tool)) usable.push(tool);
    else refused.push({ tool: String(tool['name']), why: `Its input schema is wrong: ${scan.problem}.` });
  }
  return { usable, refused };
}
