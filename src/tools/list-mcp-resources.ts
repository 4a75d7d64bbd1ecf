import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';

const input = z.strictObject({
  server: z.string().min(1).optional().describe('Only of this MCP server. Default: of all.'),
});

export const listMcpResourcesTool = defineTool({
  name: 'ListMcpResources',
  title: 'Resources',
  about: 'Lists the resources of MCP servers.',
  traits: { olderNames: ['ListMcpResourcesTool'], asksServers: true },
  description: `List the resources that MCP servers offer: files, records, pages, each by its address (uri).
Use it to find what ReadMcpResource can read; an entry marked as template has names in braces that you fill in.
Not for the tools of servers: those are called by their names.`,
  input,
  exposure: 'deferred',
  effects: () => [{ kind: 'session', access: 'read', what: 'tools' }],

  async execute({ server }, { session }) {
    if (!session.resources) throw new ToolFailure('No MCP servers are configured here, so there are no resources.');
    const resources = await session.resources.list(server);
    return { resources, absent: session.tools.absent() };
  },

  toModel({ resources, absent }, { server }) {
    const missing = absent.length > 0 ? `\n${absent.join('\n')}` : '';
    const whose = server === undefined ? 'The MCP servers offer' : `The MCP server ${server} offers`;
    if (resources.length === 0) return `${whose} no resources.${missing}`;
    return `${JSON.stringify(resources, null, 1)}${missing}`;
  },

  displayCall: ({ server = 'all servers' }) => ({ title: server, looks: 'list' }),
  displayResult: ({ resources }, { server = 'all servers' }) => ({
    title: server,
    facts: [counted(resources.length, 'resource')],
    looks: 'list',
    body: { type: 'list', items: resources.map(({ server, uri }) => `${server}: ${uri}`) },
  }),
});
