// The prompts and resources that a program serves beside its tools.
import type { McpOffer, McpPrompt, McpResource } from '../../contract/mcp-serving.js';

/** A change that clients are told about; each is a notification of MCP. */
export type OfferChange =
  | { kind: 'prompts_list_changed' }
  | { kind: 'resources_list_changed' }
  | { kind: 'resource_updated'; uri: string };

export class Offer implements McpOffer {
  readonly #listeners = new Set<(change: OfferChange) => void>();
  #prompts: readonly McpPrompt[];
  #resources: readonly McpResource[];

  constructor({ prompts = [], resources = [] }: Partial<Pick<McpOffer, 'prompts' | 'resources'>>) {
    this.#prompts = checkedPrompts(prompts);
    this.#resources = checkedResources(resources);
  }

  get prompts(): readonly McpPrompt[] {
    return this.#prompts;
  }

  set prompts(prompts) {
    this.#prompts = checkedPrompts(prompts);
    this.#tell({ kind: 'prompts_list_changed' });
  }

  get resources(): readonly McpResource[] {
    return this.#resources;
  }

  set resources(resources) {
    this.#resources = checkedResources(resources);
    this.#tell({ kind: 'resources_list_changed' });
  }

  resourceChanged(uri: string): void {
    this.#tell({ kind: 'resource_updated', uri });
  }

  /** The returned function ends it. */
  subscribe(listener: (change: OfferChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(change: OfferChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function checkedPrompts(prompts: readonly McpPrompt[]): readonly McpPrompt[] {
  refuseTwins(prompts.map(checkedPrompt), 'prompts');
  return [...prompts];
}

function checkedPrompt({ name, get }: McpPrompt): string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('A prompt needs a "name": a text that is not empty.');
  if (typeof get !== 'function') throw new TypeError(`The prompt ${name} needs "get", a function.`);
  return name;
}

function checkedResources(resources: readonly McpResource[]): readonly McpResource[] {
  refuseTwins(resources.map(checkedResource), 'resources');
  return [...resources];
}

function checkedResource(resource: McpResource): string {
  const { name, read } = resource;
  const [uri, other] = [
    'uri' in resource ? resource.uri : undefined,
    'uriTemplate' in resource ? resource.uriTemplate : undefined,
  ];
  const address = uri ?? other;
  if (typeof address !== 'string' || (uri !== undefined && other !== undefined)) {
    throw new TypeError(`The resource ${String(name)} needs either "uri" or "uriTemplate".`);
  }
  if (typeof name !== 'string' || name === '') throw new TypeError(`The resource ${address} needs a "name".`);
  if (typeof read !== 'function') throw new TypeError(`The resource ${address} needs "read", a function.`);
  return address;
}

function refuseTwins(keys: readonly string[], what: string): void {
  const twin = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twin !== undefined) {
    throw new TypeError(`Two ${what} are named "${twin}", so a request could mean either. Rename one.`);
  }
}
