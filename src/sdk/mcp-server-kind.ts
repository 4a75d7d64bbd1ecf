// Checks the entry of one MCP server when the agent is created.

import {
  anything,
  flag,
  type Kind,
  list,
  object,
  positive,
  record,
  text,
  variable,
  withCheck,
} from '../compose/option-kinds.js';
import { nearestWords } from '../platform/text/similar-text.js';

const kinds: Readonly<Record<string, Kind>> = {
  type: text,
  command: text,
  args: list(text),
  env: record(variable),
  url: text,
  headers: record(text),
  headersHelper: text,
  oauth: object,
  timeout: positive,
  alwaysLoad: flag,
};

const types = ['stdio', 'http', 'sse', 'streamable-http'];

export const mcpServer: Kind = withCheck(record(anything), (value, path) => {
  const entry = new Map(Object.entries(value ?? {}));
  for (const [name, each] of entry) {
    const problem = each === undefined ? undefined : kinds[name]?.problem(each, `${path}.${name}`);
    if (problem !== undefined) return problem;
    // Files that other programs wrote may have more fields, which are ignored.
    const [meant] = Object.hasOwn(kinds, name) ? [] : nearestWords(name, Object.keys(kinds));
    if (meant !== undefined && !entry.has(meant)) return `${path} has no option "${name}". Did you mean ${meant}?`;
  }
  const type = entry.get('type');
  if (type !== undefined && !types.some((known) => known === type)) {
    return `${path}.type must be one of stdio, http, sse, but was ${JSON.stringify(type)}.`;
  }
  const [command, url] = [entry.get('command'), entry.get('url')];
  if (type === undefined && command === undefined && url !== undefined) {
    return `${path} has a url but no type. Add type: "http", or "sse" for an old server.`;
  }
  if (type === undefined || type === 'stdio') {
    const isNamed = typeof command === 'string' && command.trim() !== '';
    return isNamed
      ? undefined
      : `${path} has no command. Write { command: "…", args: […] }, or { type: "http", url: "…" }.`;
  }
  return url === undefined ? `${path} has no url.` : undefined;
});
