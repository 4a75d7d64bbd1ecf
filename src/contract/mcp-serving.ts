// What a program can serve over MCP beside text and images: other kinds of results, prompts and resources, and requests to
// the client. Types of MCP's own, as far as a program needs them.

/** A part of a result or of a prompt, as MCP sends it. */
export type McpBlock =
  | { type: 'text'; text: string }
  /** `data` is base64. */
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: McpResourceContent }
  | { type: 'resource_link'; uri: string; name: string; description?: string; mimeType?: string };

/** The content of a resource; `blob` is base64. */
export type McpResourceContent =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };

/** The result of a tool for an MCP client. */
export interface McpResult {
  /** Default: what a model gets. */
  content?: readonly McpBlock[];
  /** Data for programs. It must match the tool's `outputJsonSchema`, if it has one. */
  structuredContent?: unknown;
}

/** A request to an MCP client, with its parameters as in MCP. */
export interface McpInputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params?: Readonly<Record<string, unknown>>;
}

/** The MCP client that a session serves. */
export interface McpClientPort {
  /** Whether the client that sent the current request has declared that it answers such requests. */
  supports(method: McpInputRequest['method']): boolean;
  /**
   * Sends requests under keys of your choice and resolves with the results, by the same keys. The values are from the
   * client and unchecked. Rejects if the client does not support a request, or the signal aborts.
   */
  request(
    requests: Readonly<Record<string, McpInputRequest>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** One request of an MCP client. */
export interface McpRequestContext {
  /** Aborted when the client cancels the request. */
  readonly signal: AbortSignal;
  readonly client: McpClientPort;
}

type OrPromise<Value> = Value | Promise<Value>;

/** A prompt of a server. */
export interface McpPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: readonly McpPromptArgument[];
  /** Called once all required arguments are given. */
  get(args: Readonly<Record<string, string>>, context: McpRequestContext): OrPromise<McpPromptResult>;
}

/** An argument of a prompt. */
export interface McpPromptArgument {
  name: string;
  description?: string;
  required?: boolean;
  /** Suggests values that begin with the text. `args`: the arguments that are given already. */
  complete?(text: string, args: Readonly<Record<string, string>>): OrPromise<readonly string[]>;
}

/** The messages of a prompt. */
export interface McpPromptResult {
  description?: string;
  messages: ReadonlyArray<{ role: 'user' | 'assistant'; content: McpBlock }>;
}

/** A resource of a server: one with a `uri`, or all that fit a template such as `log://{day}`. */
export type McpResource = {
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** `variables`: those of the template. Undefined if there is no such resource. */
  read(
    uri: string,
    context: McpRequestContext,
    variables: Readonly<Record<string, string>>,
  ): OrPromise<readonly McpResourceContent[] | undefined>;
} & (
  | { uri: string }
  /** `complete` suggests values for variables, by name. */
  | { uriTemplate: string; complete?: Readonly<Record<string, NonNullable<McpPromptArgument['complete']>>> }
);

/** The prompts and resources of a server. Clients are notified when they change. */
export interface McpOffer {
  /** Assign a new list to change it. */
  prompts: readonly McpPrompt[];
  /** Assign a new list to change it. */
  resources: readonly McpResource[];
  /** Tells clients that subscribed to the resource that its content has changed. */
  resourceChanged(uri: string): void;
}
