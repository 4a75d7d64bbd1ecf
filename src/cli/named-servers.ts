// Parses `--mcp-config`: files, or servers as JSON.

import { readRegularFile } from '../platform/files/read-regular-file.js';
import { isObject } from '../platform/is-object.js';
import { serverSchema } from '../settings/setting-values.js';
import { whyUnreadable } from './unreadable-file.js';
import { UsageProblem } from './usage-problem.js';

type Entry = Readonly<Record<string, unknown>>;

export function readNamedServers(given: readonly string[]): Record<string, Entry> {
  return Object.assign({}, ...given.map(readOne));
}

function readOne(given: string): Record<string, Entry> {
  const isText = given.trimStart().startsWith('{');
  const where = isText ? '--mcp-config' : `--mcp-config ${given}`;
  const { mcpServers } = parse(isText ? given : read(given), where);
  if (!isObject(mcpServers)) {
    throw new UsageProblem(`${where} has no "mcpServers" object. Write {"mcpServers": {"name": {"command": "…"}}}.`);
  }
  return Object.fromEntries(
    Object.entries(mcpServers).map(([name, entry]) => {
      const checked = serverSchema.safeParse(entry);
      if (checked.success) return [name, checked.data];
      const [issue] = checked.error.issues;
      const field = [name, ...(issue?.path ?? [])].join('.');
      throw new UsageProblem(`${where}: "${field}" ${issue?.message ?? 'is not understood'}.`); // values may be secret
    }),
  );
}

function read(path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw new UsageProblem(`--mcp-config takes a file or JSON, but "${path}" can't be read: ${whyUnreadable(error)}.`);
  }
}

function parse(text: string, where: string): { mcpServers?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw new UsageProblem(`${where} is not valid JSON.`); // it may contain a secret, so no part of it is shown
  }
}
