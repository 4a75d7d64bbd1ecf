// Prompts, resources and completions of a program, as requests of MCP.
import {
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type Server,
  UriTemplate,
} from '@modelcontextprotocol/server';
import type { McpPrompt, McpPromptArgument, McpRequestContext, McpResource } from '../../contract/mcp-serving.js';
import { messageOf } from '../../platform/message-of.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import type { Offer, OfferChange } from './offer.js';
import type { Respond } from './server.js';

const MAX_SUBSCRIPTIONS = 1_000; // of one client, which may subscribe to any URI
const MAX_COMPLETIONS = 100; // MCP allows no more in one answer

type TemplateResource = Extract<McpResource, { uriTemplate: string }>;

export interface OfferServing {
  offer: Offer;
  client: McpRequestContext['client'];
  respond: Respond;
}

/** Returns the resources that the client subscribes to, in the revisions with sessions. */
export function serveOffer(server: Server, serving: OfferServing): ReadonlySet<string> {
  const subscribed = new Set<string>();
  servePrompts(server, serving);
  serveResources(server, serving);
  serveSubscriptions(server, subscribed);
  serveCompletions(server, serving.offer);
  return subscribed;
}

/** Tells the client of the server about changes, until the returned function is called. */
export function tellChanges(server: Server, offer: Offer, subscribed: ReadonlySet<string>): () => void {
  return offer.subscribe((change) => {
    tell(server, change, subscribed).catch(() => {}); // the client has disconnected
  });
}

async function tell(server: Server, change: OfferChange, subscribed: ReadonlySet<string>): Promise<void> {
  if (change.kind === 'prompts_list_changed') return await server.sendPromptListChanged();
  if (change.kind === 'resources_list_changed') return await server.sendResourceListChanged();
  const hasSessions = server.getNegotiatedProtocolVersion() !== '2026-07-28';
  if (hasSessions && !subscribed.has(change.uri)) return;
  await server.sendResourceUpdated({ uri: change.uri });
}

function servePrompts(server: Server, { offer, client, respond }: OfferServing): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: offer.prompts.map(toPrompt) }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, context) => {
    const prompt = promptNamed(offer, name);
    const missing = (prompt.arguments ?? []).filter((each) => each.required && args[each.name] === undefined);
    if (missing.length > 0) {
      throw invalid(`The prompt ${name} needs ${missing.map((each) => `"${each.name}"`).join(' and ')}.`);
    }
    return await respond(`prompts/get ${name}`, context, async ({ signal }) => {
      const { description, messages } = await ofProgram(`The prompt ${name}`, () =>
        prompt.get(args, { signal, client }),
      );
      return {
        ...(description !== undefined && { description }),
        messages: messages.map(({ role, content }) => ({ role, content: { ...content } })),
      };
    });
  });
}

function promptNamed({ prompts }: Offer, name: string): McpPrompt {
  const prompt = prompts.find((each) => each.name === name);
  if (prompt) return prompt;
  const names = prompts.map((each) => each.name);
  const [meant] = nearestWords(name, names);
  throw invalid(`There is no prompt ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
}

const toPrompt = ({ name, title, description, arguments: args = [] }: McpPrompt): Prompt => ({
  name,
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  arguments: args.map((argument) => ({
    name: argument.name,
    ...(argument.description !== undefined && { description: argument.description }),
    required: argument.required ?? false,
  })),
});

function serveResources(server: Server, { offer, client, respond }: OfferServing): void {
  server.setRequestHandler('resources/list', () => ({
    resources: offer.resources.flatMap((resource): Resource[] =>
      'uri' in resource ? [{ uri: resource.uri, ...described(resource) }] : [],
    ),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: templates(offer).map(
      (resource): ResourceTemplateType => ({ uriTemplate: resource.uriTemplate, ...described(resource) }),
    ),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const read = readerOf(offer, uri);
    if (!read) throw new ResourceNotFoundError(uri);
    return await respond(`resources/read ${uri}`, context, async ({ signal }) => {
      const contents = await ofProgram(`The resource ${uri}`, () => read({ signal, client }));
      if (!contents || contents.length === 0) throw new ResourceNotFoundError(uri);
      return { contents: contents.map((content) => ({ ...content })) };
    });
  });
}

const described = ({ name, title, description, mimeType }: McpResource) => ({
  name,
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(mimeType !== undefined && { mimeType }),
});

const templates = ({ resources }: Offer): TemplateResource[] => resources.filter((each) => 'uriTemplate' in each);

type Reader = (context: McpRequestContext) => ReturnType<McpResource['read']>;

function readerOf(offer: Offer, uri: string): Reader | undefined {
  for (const resource of offer.resources) {
    if ('uri' in resource && resource.uri === uri) return (context) => resource.read(uri, context, {});
  }
  for (const resource of templates(offer)) {
    const variables = new UriTemplate(resource.uriTemplate).match(uri);
    if (!variables) continue;
    const texts = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
    return (context) => resource.read(uri, context, texts);
  }
  return undefined;
}

/** Of the revisions with sessions; since 2026-07-28, the transport keeps the subscriptions. */
function serveSubscriptions(server: Server, subscribed: Set<string>): void {
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscribed.size >= MAX_SUBSCRIPTIONS && !subscribed.has(uri)) {
      throw invalid(`There are ${MAX_SUBSCRIPTIONS} subscriptions already, which is the limit. End one first.`);
    }
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

function serveCompletions(server: Server, offer: Offer): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }) => {
    const complete =
      ref.type === 'ref/prompt'
        ? promptNamed(offer, ref.name).arguments?.find(({ name }) => name === argument.name)?.complete
        : templates(offer).find(({ uriTemplate }) => uriTemplate === ref.uri)?.complete?.[argument.name];
    const found = await completions(complete, argument.value, context?.arguments ?? {});
    const values = found.slice(0, MAX_COMPLETIONS);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
}

async function completions(
  complete: McpPromptArgument['complete'],
  text: string,
  args: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  return complete ? await ofProgram('The completion', () => complete(text, args)) : [];
}

/** The client gets the message of an error of the program: it has no other way to learn of it. */
async function ofProgram<Value>(subject: string, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${subject} failed: ${messageOf(error)}`);
  }
}

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
