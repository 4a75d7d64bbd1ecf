// `@server:scheme://path` in a prompt adds the content of that MCP resource to the prompt.

import type { UserBlock } from '../contract/message.js';
import type { ServerResources } from '../contract/tool-context.js';
import { messageOf } from '../platform/message-of.js';
import { cutMiddle } from '../platform/text/truncate.js';

const MAX_MENTIONS = 10;
const MAX_CHARS = 30_000; // of each; ReadMcpResource shows the rest

export interface MentionOptions {
  /** Absent if no servers are configured. */
  resources: ServerResources | undefined;
  servers: ReadonlyArray<{ name: string }>;
  signal: AbortSignal;
}

/**
 * The content of the resources that a prompt mentions. Only resources that their server lists: text that was piped into a
 * prompt is untrusted, and must not make Helve request others.
 */
export async function mentionedResources(
  prompt: readonly UserBlock[],
  { resources, servers, signal }: MentionOptions,
): Promise<UserBlock[]> {
  if (!resources || servers.length === 0) return [];
  const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const found: UserBlock[] = [];
  for (const { server, uri } of mentionsIn(text).slice(0, MAX_MENTIONS)) {
    if (!servers.some(({ name }) => name === server)) continue;
    const listed = await resources.list(server);
    const resource = listed.find((one) => !one.isTemplate && (one.uri === uri || one.uri === withoutEnding(uri)));
    if (!resource || signal.aborted) continue;
    try {
      const { blocks } = await resources.read(server, resource.uri, signal);
      found.push({ type: 'text', text: `What the MCP server ${server} has at ${resource.uri}:` });
      found.push(...blocks.map((block) => (block.type === 'text' ? cut(block.text) : block)));
    } catch (error) {
      const why = messageOf(error);
      found.push({ type: 'text', text: `(${resource.uri} of the MCP server ${server} could not be read: ${why})` });
    }
  }
  return found;
}

const cut = (text: string): UserBlock => ({ type: 'text', text: cutMiddle(text, MAX_CHARS) });

function mentionsIn(text: string): Array<{ server: string; uri: string }> {
  const mentions = [...text.matchAll(/(?<=^|\s)@([^\s:@]+):([a-z][a-z0-9+.-]*:\/\/\S+)/gi)];
  const unique = new Map(mentions.map(([whole, server = '', uri = '']) => [whole, { server, uri }]));
  return [...unique.values()];
}

/** Removes punctuation that ends the sentence rather than the address. */
const withoutEnding = (uri: string): string => uri.replace(/(?<![.,;:!?)\]}'"])[.,;:!?)\]}'"]+$/, '');
