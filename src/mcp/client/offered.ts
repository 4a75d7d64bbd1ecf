/**
 * What a server offers, unparsed. Separate from the code that fetches it, so that the SDK's types don't depend on the
 * protocol's.
 */
export interface Offered {
  tools: readonly unknown[];
  resources: readonly unknown[];
  templates: readonly unknown[];
  prompts: readonly unknown[];
}
