import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import type { ContentBlock } from '../contract/message.js';
import { defineTool } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';

const MAX_RESULT_CHARS = 100_000; // as for results of MCP tools

const input = z.strictObject({
  server: z.string().min(1).describe('The name of the MCP server'),
  uri: z.string().min(1).describe('The address of the resource, as ListMcpResources gives it'),
});

export const readMcpResourceTool = defineTool({
  name: 'ReadMcpResource',
  title: 'Resource',
  about: 'Reads a resource of an MCP server.',
  traits: { olderNames: ['ReadMcpResourceTool'], asksServers: true },
  description: `Read a resource of an MCP server by its address.
Use it for addresses that ListMcpResources or a tool of that server has given. Text comes as it is, images are shown, anything else is saved to a file that is named.`,
  input,
  exposure: 'deferred',
  maxResultChars: MAX_RESULT_CHARS,
  // The URI goes to a third-party program, which may do anything with it.
  effects: ({ server }) => [
    { kind: 'unknown', why: `the MCP server ${server} is asked for a resource`, readOnlyHint: true },
  ],

  async execute({ server, uri }, { session, signal }) {
    if (!session.resources) throw new ToolFailure('No MCP servers are configured here, so there is nothing to read.');
    return await session.resources.read(server, uri, signal);
  },

  toModel: ({ blocks }) => blocks,
  displayCall: ({ server = '', uri = '' }) => ({ title: `${server}: ${uri}`, looks: 'read' }),
  displayResult: ({ blocks }, { server, uri }) => ({
    title: `${server}: ${uri}`,
    facts: [counted(charactersIn(blocks), 'character')],
    looks: 'read',
  }),
});

const charactersIn = (blocks: readonly ContentBlock[]): number =>
  blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
