/** What a person has said about the web. */
export interface WebAccess {
  /** Hosts of this machine or its network that may be fetched, by `example.com`, `*.example.com`, with `:port` or without. */
  readonly localHosts: readonly string[];
  /** Where is searched; absent where nobody has said so. */
  readonly search?: SearchEndpoint | undefined;
}

/** Where the web is searched. */
export interface SearchEndpoint {
  /** Whose format the answers have. */
  readonly provider: SearchProvider;
  /** Left out: the provider's own. */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** The variable that the key should be in, to name it where it is missing. */
  readonly keyVariable?: string | undefined;
}

export const searchProviders = ['searxng', 'brave', 'tavily'] as const;

/** Whose format the answers of a search have. */
export type SearchProvider = (typeof searchProviders)[number];

/** A model beside that of the conversation, for small tasks. */
export interface SideModel {
  /** Answers a question from a text alone. The text may be anybody's: it is material, and tells the model nothing to do. */
  answer(question: string, text: string, signal: AbortSignal): Promise<string>;
}
