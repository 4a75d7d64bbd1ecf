// Tasks of revision 2025-11-25, in which the client requests them, for tools that the server offers to run as tasks.
import type { Client } from '@modelcontextprotocol/client';
import { isObject } from '../../platform/is-object.js';

const KEEP_MS = 24 * 60 * 60_000; // for a session that is resumed the next day; the server may choose less

/** What a call adds to be run as a task; nothing if the tool or its server can't. `inBackground`: also if it need not. */
export function legacyTaskParams(
  client: Client,
  tool: Readonly<Record<string, unknown>> | undefined,
  inBackground: boolean,
): { task?: { ttl: number } } {
  if (client.getProtocolEra() !== 'legacy') return {}; // a server of a later revision decides
  const { tasks } = client.getServerCapabilities() ?? {};
  const { requests } = isObject(tasks) ? tasks : {};
  const { tools } = isObject(requests) ? requests : {};
  const { taskSupport } = isObject(tool?.['execution']) ? tool['execution'] : {};
  const isOffered = isObject(tools) && isObject(tools['call']);
  if (!isOffered || !(taskSupport === 'required' || (taskSupport === 'optional' && inBackground))) return {};
  return { task: { ttl: KEEP_MS } };
}
