// Derives MCP's tool hints from a tool's effects. Effects depend on the input, so a sample input is used; if it is not
// valid, no hints are given.
import type { Effect } from '../../contract/effect.js';
import type { JsonSchema } from '../../contract/model.js';
import { isObject } from '../../platform/is-object.js';
import type { ServedTool } from './serve-port.js';

const MAX_DEPTH = 5;

export interface ToolHints {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  openWorldHint?: boolean;
}

export async function hintsFor({ inputSchema, effects }: ServedTool): Promise<ToolHints> {
  const touched = await effects(sampleOf(inputSchema)).catch(() => undefined); // without effects, no hints are given
  return touched ? hintsFrom(touched) : {};
}

/** A call without effects may still end what the session has started, so it gets no read-only hint. */
export function hintsFrom(effects: readonly Effect[]): ToolHints {
  const reaches = effects.some(({ kind }) => kind === 'command' || kind === 'network' || kind === 'unknown');
  if (reaches) return { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
  const files = effects.filter(({ kind }) => kind === 'file');
  const writes = effects.filter((effect) => 'access' in effect && effect.access === 'write');
  if (files.some((file) => writes.includes(file))) {
    return { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
  }
  if (writes.length > 0) return { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  return files.length > 0 ? { readOnlyHint: true, openWorldHint: false } : { openWorldHint: false };
}

/** The smallest value that fits the schema, as far as simple rules tell. */
function sampleOf(schema: JsonSchema, depth = 0): unknown {
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [choice] = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  if (isObject(choice)) return sampleOf(choice, depth + 1);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return 'x'.repeat(lengthOf(schema['minLength']));
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return false;
    case 'array':
      return depth < MAX_DEPTH && isObject(schema['items']) ? [sampleOf(schema['items'], depth + 1)] : [];
    case 'object':
      return depth < MAX_DEPTH ? requiredOf(schema, depth) : {};
    default:
      return null;
  }
}

function requiredOf(schema: JsonSchema, depth: number): Record<string, unknown> {
  const names = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const property = properties[name];
      return isObject(property) ? [[name, sampleOf(property, depth + 1)]] : [];
    }),
  );
}

const lengthOf = (least: unknown): number => Math.min(100, Math.max(1, typeof least === 'number' ? least : 1));
