// Requests of a host that make calls: each takes the path of every call, with its rules, hooks and questions.
import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ToolPool } from '../../agent/tool-pool.js';
import type { FullAgent } from '../../compose/create-agent.js';
import type { ToolResultBlock } from '../../contract/message.js';
import type { Tool } from '../../contract/tool.js';
import type { Rule } from '../../permissions/rule.js';
import { randomId } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { isMcpName } from '../../platform/text/mcp-names.js';
import type { FileContent } from '../../tools/file-content.js';
import { hostCallTools } from '../../tools/index.js';
import type { HostPort } from './host-handlers.js';
import { type RequestHandler, RequestRefused } from './host-requests.js';
import { toolPolicies } from './tool-policies.js';

const DEFAULT_READ_BYTES = 1_000_000;
const MAX_SUGGESTIONS = 50;

export function hostCalls({ parts }: HostPort): Readonly<Record<string, RequestHandler>> {
  return {
    mcp_call: async ({ tool, arguments: input }) => {
      const name = String(tool);
      if (!isMcpName(name)) throw new RequestRefused(`"tool" must be a tool of an MCP server, but was "${name}".`);
      const { result } = await call((await parts).agent, name, isObject(input) ? input : {});
      const content = typeof result.content === 'string' ? [{ type: 'text', text: result.content }] : result.content;
      return { content, is_error: result.is_error === true, result: { content, isError: result.is_error === true } };
    },
    mcp_read_resource: async ({ serverName, uri }) => {
      const input = { server: serverName, uri };
      const { result, data } = await call((await parts).agent, hostCallTools.resource, input);
      if (result.is_error) throw new RequestRefused(textOf(result));
      const contents = isObject(data) ? data['contents'] : undefined;
      if (contents === undefined) throw new RequestRefused(`The resource ${String(uri)} is too large to be passed on.`);
      return { contents };
    },
    mcp_set_servers: async ({ servers }) => {
      const { engine } = (await parts).agent;
      if (!isObject(servers) || !Object.values(servers).every(isObject)) {
        throw new RequestRefused('"servers" must be an object with an entry for each server.');
      }
      refusePolicies(servers, engine.rules());
      const entries = Object.fromEntries(
        Object.entries(servers).map(([name, entry]) => [name, { ...(entry as object), alwaysLoad: true }]), // checked above
      );
      const { added, removed } = engine.servers.setAdded(entries);
      await engine.servers.settled({ names: Object.keys(entries) });
      const failed = engine.servers
        .states()
        .filter(({ name, status }) => added.includes(name) && status !== 'connected');
      const errors = Object.fromEntries(failed.map(({ name, detail, status }) => [name, detail ?? status]));
      return { added, removed, errors };
    },
    mcp_reconnect: async ({ serverName }) => {
      const { engine } = (await parts).agent;
      const name = String(serverName);
      await engine.servers.reconnect(name).catch(refused);
      const state = engine.servers.states().find((server) => server.name === name);
      if (state?.status !== 'connected') {
        throw new RequestRefused(state?.detail ?? `The MCP server ${name} did not connect.`);
      }
      return {};
    },
    mcp_toggle: async ({ serverName, enabled }) => {
      const { engine } = (await parts).agent;
      await engine.servers.toggle(String(serverName), enabled === true).catch(refused);
      return {};
    },
    read_file: async ({ path, max_bytes, encoding }) => {
      const { agent } = await parts;
      const most = typeof max_bytes === 'number' && max_bytes >= 1 ? Math.floor(max_bytes) : DEFAULT_READ_BYTES;
      const { absolute, bytes, isCut } = await contentOf(agent, String(path), most);
      const wantsBytes = encoding === 'base64';
      return {
        contents: wantsBytes ? bytes.toString('base64') : bytes.toString('utf8'),
        absPath: absolute,
        ...(isCut && { truncated: true }),
        ...(wantsBytes ? { encoding: 'base64' } : { lossy: !isUtf8(bytes) }),
      };
    },
    seed_read_state: async ({ path, mtime }) => {
      const { agent } = await parts;
      const absPath = resolve(agent.session.cwd, String(path));
      const { mtimeMs } = await stat(absPath).catch(refused);
      if (Math.floor(mtimeMs) !== Math.floor(Number(mtime))) {
        throw new RequestRefused(`${absPath} has changed since then, so it does not count as read.`);
      }
      const { result } = await call(agent, hostCallTools.file, { file_path: absPath });
      if (result.is_error) throw new RequestRefused(textOf(result));
      return {};
    },
    file_suggestions: async ({ query }) => {
      const { agent } = await parts;
      const words = String(query).replaceAll(/[^\w./ -]/g, '');
      const { result, data } = await call(agent, hostCallTools.search, { pattern: `**/*${words}*` });
      if (result.is_error) throw new RequestRefused(textOf(result));
      const files =
        isObject(data) && Array.isArray(data['files']) ? data['files'].map(String) : textOf(result).split('\n');
      const suggestions = files.filter((file) => file !== '').slice(0, MAX_SUGGESTIONS);
      return { suggestions: suggestions.map((path) => ({ path })) };
    },
  };
}

/**
 * The rules of a conversation are fixed when it begins, so policies for tools must be among them already: hosts send
 * those of `initialize` again.
 */
function refusePolicies(servers: Readonly<Record<string, unknown>>, rules: readonly Rule[]): void {
  for (const [server, entry] of Object.entries(servers)) {
    const wanted = toolPolicies(server, isObject(entry) ? entry['tools'] : undefined);
    const has = (list: 'ask' | 'deny', text: string): boolean =>
      rules.some((rule) => rule.text === text && (rule.list === list || rule.list === 'deny'));
    const missing = [
      ...wanted.ask.filter((text) => !has('ask', text)),
      ...wanted.deny.filter((text) => !has('deny', text)),
    ];
    if (missing.length === 0) continue;
    throw new RequestRefused(
      `The permission policies of ${missing.join(', ')} can't be added during a conversation, so no server was changed. Register the server at the start, or start with --disallowed-tools or ask rules in --settings for these tools.`,
    );
  }
}

/** The content of a file as it is. The call is decided about as one that reads it for the model. */
async function contentOf(agent: FullAgent, path: string, most: number): Promise<FileContent> {
  const { fileContentTool, MAX_CONTENT_BYTES } = await import('../../tools/file-content.js');
  const { session } = agent;
  const giveBack = session.own(lentForHost).lend(session.tools, fileContentTool);
  try {
    const input = { file_path: resolve(session.cwd, path), max_bytes: Math.min(most, MAX_CONTENT_BYTES) };
    const { result, data } = await call(agent, hostCallTools.content, input);
    if (result.is_error) throw new RequestRefused(textOf(result));
    return data as FileContent; // the tool's own data: the call succeeded
  } finally {
    giveBack();
  }
}

/** The tool is there while a call of the host needs it, and several may at once. */
const lentForHost = () => {
  let users = 0;
  let takeBack = (): void => {};
  return {
    lend(tools: ToolPool, tool: Tool): () => void {
      if (users === 0) takeBack = tools.lend(tool);
      users += 1;
      return () => {
        users -= 1;
        if (users === 0) takeBack();
      };
    },
  };
};

async function call(agent: FullAgent, name: string, input: Readonly<Record<string, unknown>>) {
  let data: unknown;
  const id = agent.session.claimCallId(`host_${randomId()}`);
  const [result] = await agent.engine.callTools([{ id, name, input: { ...input } }], {
    onEvent: (event) => {
      if (event.type === 'tool_result') data = event.data;
    },
  });
  if (!result) throw new RequestRefused('The call had no result.');
  return { result, data };
}

function refused(error: unknown): never {
  throw new RequestRefused(messageOf(error));
}

const textOf = ({ content }: ToolResultBlock): string =>
  typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
