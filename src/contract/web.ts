/** The configured web access. */
export interface WebAccess {
  /**
   * Hosts of this machine or its network that may be fetched, by `example.com`, `*.example.com`, with or without
   * `:port`.
   */
  readonly localHosts: readonly string[];
  /** The search service; absent if none is configured. */
  readonly search?: SearchEndpoint | undefined;
}

/** The configured search service. */
export interface SearchEndpoint {
  /** The provider whose response format is used. */
  readonly provider: SearchProvider;
  /** Default: the provider's own. */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** The variable that should hold the key, for the message if it is missing. */
  readonly keyVariable?: string | undefined;
}

export const searchProviders = ['searxng', 'brave', 'tavily'] as const;

/** The provider of a response format. */
export type SearchProvider = (typeof searchProviders)[number];

/** A second model, for small tasks. */
export interface SideModel {
  /** Answers a question from a text alone. The text is untrusted: it is data, and must not instruct the model. */
  answer(question: string, text: string, signal: AbortSignal): Promise<string>;
}
