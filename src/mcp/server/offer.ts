// The prompts and resources that a program serves beside its tools.
import type { McpOffer, McpPrompt, McpResource } from '../../contract/mcp-serving.js';

/** A change that clients are notified of; each is a notification of MCP. */
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

const checkedPrompts = (prompts: readonly McpPrompt[]): readonly McpPrompt[] =>
  checked('prompt', prompts, ({ name, get }) => ({ key: name, name, get }));

const checkedResources = (resources: readonly McpResource[]): readonly McpResource[] =>
  checked('resource', resources, (resource) => ({
    key: 'uri' in resource ? resource.uri : resource.uriTemplate,
    name: resource.name,
    read: resource.read,
  }));

/** Programs may be written without types: each needs texts and a function, and a key of its own. */
function checked<Entry>(
  kind: string,
  list: readonly Entry[],
  partsOf: (entry: Entry) => { key: string } & Record<string, unknown>,
): readonly Entry[] {
  const keys = new Set<string>();
  for (const entry of list) {
    const { key, name, ...functions } = partsOf(entry);
    if (!key || !name || typeof key !== 'string')
      throw new TypeError(`A ${kind} (${key}) needs a name${kind === 'resource' ? ' and a uri or uriTemplate' : ''}.`);
    for (const [part, value] of Object.entries(functions)) {
      if (typeof value !== 'function') throw new TypeError(`The ${kind} ${key} needs "${part}", a function.`);
    }
    if (keys.has(key))
      throw new TypeError(`Two ${kind}s are named "${key}", so a request could mean either. Rename one.`);
    keys.add(key);
  }
  return [...list];
}
