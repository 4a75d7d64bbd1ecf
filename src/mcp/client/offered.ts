/** What a server offers, as it came. Apart from what fetches it, so that the SDK's types do not lead to the protocol's. */
export interface Offered {
  tools: readonly unknown[];
  resources: readonly unknown[];
  templates: readonly unknown[];
  prompts: readonly unknown[];
}
