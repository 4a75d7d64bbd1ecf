import type * as z from 'zod';
import { checkedEffects } from './check-effects.js';
import type { Effect } from './effect.js';
import { describeIssue, shown } from './input-issues.js';
import type { McpResult } from './mcp-serving.js';
import type { ContentBlock } from './message.js';
import type { JsonSchema } from './model.js';
import type { Todo } from './todo.js';
import type { DescribeContext, SessionPort, ToolContext } from './tool-context.js';
import type { ToolTraits } from './tool-traits.js';

export const DEFAULT_MAX_RESULT_CHARS = 30_000;

/**
 * What a tool's author writes. Everything that a surface, the gate or the permission engine needs to know is declared
 * here.
 */
export type ToolSpec<Input, Data> = ToolBehaviour<Input, Data> &
  (
    | { input: z.ZodType<Input>; inputJsonSchema?: undefined }
    /** For tools that come with their own schema, such as MCP tools. */
    | { inputJsonSchema: JsonSchema; input?: undefined }
  );

interface ToolBehaviour<Input, Data> {
  /** Letters, digits, `_` and `-`, at most 64 characters: what every provider accepts. */
  name: string;
  /** A name for people, which displays show. Default: the name. */
  title?: string;
  /** What it does, in one short sentence for people, which lists of tools show. Default: that of the description. */
  about?: string;
  /** For the model: what it does, when to use it, when to use another, and its limits, in that order. */
  description: string | ((context: DescribeContext) => string | Promise<string>);
  /** Whether the model gets the schema at once (default), only its name until it searches, or nothing. */
  exposure?: ToolExposure;
  /** A longer result is saved to a file and previewed. Default 30,000. */
  maxResultChars?: number;
  /** The limit for one result, if it differs. */
  maxCharsOf?(data: Data): number | undefined;
  /** Available only if settings, or the program that starts the session, enable it. */
  optIn?: boolean;
  /** Available only if there is someone to ask: it is useless without. */
  needsPerson?: boolean;
  /** Available only if this setting is configured. */
  needsSetting?: string;
  /** Available only together with this other tool: it is useless without. */
  needsTool?: string;
  /** These are listed after the description; if there are none, the tool is not available either. */
  lists?: ToolListing;
  /** Whether it is available. Called once, before the first request, and awaited. Default: yes. */
  isEnabled?(context: DescribeContext): boolean | Promise<boolean>;
  /**
   * Prepares what the work needs, and touches nothing else. Called once per prompt, when the model begins to write a
   * call of the tool.
   */
  preload?(session: SessionPort): Promise<unknown>;
  /**
   * The effects of the call. Called more than once, so it must change nothing. Without it, Helve
   * assumes that the call can touch anything: it runs alone, and Helve always asks about it. An empty list means that it
   * touches nothing.
   */
  effects?(input: Input, context: ToolContext): Effect[] | Promise<Effect[]>;
  /** Checks the call before anything is done. Throws `ToolFailure` to refuse. */
  validate?(input: Input, context: ToolContext): Promise<undefined | ToolCheck>;
  /** Does the work. A generator reports progress on the way and *returns* its data, so there is exactly one result. */
  execute(input: Input, context: ToolContext): Promise<Data> | AsyncGenerator<ToolProgress, Data, void>;
  /** The text that the model gets. */
  toModel(data: Data, input: Input): string | ContentBlock[];
  /**
   * What hooks get as `tool_response`, beside the fields of the data. The built-in tools provide the fields that
   * hooks written for Claude Code read. Default: the data alone.
   */
  toHooks?(data: Data, input: Input): Readonly<Record<string, unknown>>;
  /**
   * What an MCP client gets, where an engine is served over MCP: audio, resources, structured content. Default: the text
   * and images for the model. It is sent as it is, however long; a hook that replaces the result replaces it too.
   */
  toMcp?(data: Data, input: Input): McpResult;
  /** The JSON Schema of the `structuredContent` of `toMcp`, which MCP clients get with the tool. */
  outputJsonSchema?: JsonSchema;
  /** Rendered while the input is still streaming, so any field may be missing or truncated. */
  displayCall?(input: Partial<Input>): ToolDisplay;
  /** What the person sees of the result. Default: the text for the model, marked as the tool's. */
  displayResult?(data: Data, input: Input): ToolDisplay;
  /** The refused call: the diff, the command. Also shown with a permission question. */
  displayRefusal?(input: Input): ToolDisplay;
}

/** The result of a tool's check. */
export interface ToolCheck {
  /** Asks the person a question, with this text as the reason. */
  ask?: string;
  /**
   * The effect of the call on the current state, for the person who is asked about it. Default: the result of
   * `displayRefusal`.
   */
  display?(): ToolDisplay;
}

/** How much the model knows about a tool from the start. */
export type ToolExposure = 'direct' | 'deferred' | 'hidden';

/** What a tool lists in its description. */
export type ToolListing = 'skills' | 'commands';

/** Progress for the person; the model never sees it. */
export interface ToolProgress {
  text: string;
}

/** What to show, as data, so that any surface can draw it without knowing tools by name. It is never for the model. */
export interface ToolDisplay {
  /** The subject of the call: the file, the command, the pattern. The same before and after the call. */
  title: string;
  /** The action in a word or two, where the tool's name is not one that people use. Default: the tool's name. */
  action?: string;
  /** Short facts about the result, shown beside the title: `120 lines`, `6 matches in 3 files`, `exit code 1`. */
  facts?: readonly string[];
  /** A call that only looks: several of them in one step may be drawn as one line. */
  looks?: 'read' | 'search' | 'find' | 'list';
  /** The file that a call looks at, if the title names a part of it. Calls on the same file count as one file. */
  file?: string;
  /** The call was not run, although no one refused it: a rule or an earlier refusal stopped it. */
  notRun?: boolean;
  /** The id of the background command that continues after the call. */
  background?: string;
  body?: DisplayBody;
  /** The server or program that wrote the body, if that is not Helve: a surface marks the text as theirs. */
  writtenBy?: string;
}

/** The content below the title. */
export type DisplayBody =
  | { type: 'text'; text: string }
  | { type: 'markdown'; text: string }
  /** The output of a program; `styled` is the same with ANSI colours, if it has any. */
  | { type: 'output'; text: string; styled?: string }
  /** A change of files; `isPartial` if it is too large for a patch, so that something of it is not shown. */
  | { type: 'diff'; path: string; patch: string; isPartial?: boolean }
  | { type: 'list'; items: readonly string[] }
  | { type: 'todos'; items: readonly Todo[] };

/** A tool as the engine sees it: built-in, SDK and MCP tools alike. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  /** One sentence for people. */
  readonly about?: string;
  readonly exposure: ToolExposure;
  readonly maxResultChars: number;
  readonly optIn?: boolean;
  readonly needsPerson?: boolean;
  readonly needsSetting?: string;
  readonly needsTool?: string;
  readonly lists?: ToolListing;
  readonly inputSchema: JsonSchema;
  /** True if `inputSchema` came with the tool, so that `accept` has not checked the input against it. */
  readonly bringsOwnSchema: boolean;
  /** The schema of its structured content, for MCP clients. */
  readonly outputSchema?: JsonSchema;
  /** A promise only for tools of the embedding program. */
  describe(context: DescribeContext): string | Promise<string>;
  /** A promise only for tools of the embedding program. */
  isEnabled(context: DescribeContext): boolean | Promise<boolean>;
  /** Absent if there is nothing to prepare. */
  preload?(session: SessionPort): Promise<unknown>;
  /** Loads the tool's code. Await it before calling the tool or showing a call of it. */
  load(): Promise<void>;
  /** Checks the input against the schema and binds it to the tool. */
  accept(input: unknown): AcceptedInput;
  displayCall(partialInput: unknown): ToolDisplay;
}

/** A tool that comes with Helve, and may declare traits that other tools can't. */
export interface BuiltInTool extends Tool {
  readonly traits?: ToolTraits;
}

/** A valid input, or its problems. */
export type AcceptedInput = { ok: true; call: BoundCall } | { ok: false; issues: readonly InputIssue[] };

/** One problem with an input. */
export interface InputIssue {
  /** The field, for example `edits[0].old_string`; empty for the input as a whole. */
  path: string;
  message: string;
  /** Names in it that the tool does not know. */
  unknown?: readonly string[];
}

/** A checked input bound to its tool: the input's type stays inside. */
export interface BoundCall {
  readonly input: unknown;
  effects(context: ToolContext): Promise<readonly Effect[]>;
  validate(context: ToolContext): Promise<undefined | ToolCheck>;
  run(context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome, void>;
  displayRefusal(): ToolDisplay;
}

/** The result of a call: text or blocks for the model, data and a display for people and programs. */
export interface ToolOutcome {
  content: string | ContentBlock[];
  /** Longer text goes to a file. Default: the limit of the tool. */
  maxChars?: number;
  data: unknown;
  /** What hooks see of it. Default: the data. */
  forHooks?(): unknown;
  /** What an MCP client gets. Default: the content. */
  mcp?: McpResult;
  display: ToolDisplay;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Creates a tool from its definition, with safe defaults: unknown effects, direct exposure, a bounded result. */
export function defineTool<Input, Data>(spec: ToolSpec<Input, Data> & { traits?: ToolTraits }): BuiltInTool {
  if (!TOOL_NAME.test(spec.name)) {
    throw new TypeError(
      `A tool can't be named "${spec.name}": providers accept 1 to 64 letters, digits, "_" and "-". Choose another name.`,
    );
  }
  for (const part of ['execute', 'toModel'] as const) {
    if (typeof spec[part] === 'function') continue;
    throw new TypeError(`The tool ${spec.name} has no ${part}, so it could not answer a call. Give it one.`);
  }
  const { name } = spec;
  if (!spec.input && !spec.inputJsonSchema) {
    throw new TypeError(`The tool ${name} says nothing about its input. Give it input or inputJsonSchema.`);
  }
  if (spec.input && spec.inputJsonSchema) {
    throw new TypeError(
      `The tool ${name} has both input and inputJsonSchema, so its input could mean either. Give one.`,
    );
  }
  if (typeof spec.description !== 'string' && typeof spec.description !== 'function') {
    throw new TypeError(`The tool ${name} has no description, so no model would know when to call it. Give it one.`);
  }
  if (spec.isEnabled !== undefined && typeof spec.isEnabled !== 'function') {
    throw new TypeError(`isEnabled of the tool ${name} must be a function that returns true or false.`);
  }
  let inputSchema: JsonSchema | undefined;

  return {
    name: spec.name,
    ...(spec.title !== undefined && { title: spec.title }),
    ...(spec.about !== undefined && { about: spec.about }),
    exposure: spec.exposure ?? 'direct',
    maxResultChars: spec.maxResultChars ?? DEFAULT_MAX_RESULT_CHARS,
    ...(spec.optIn && { optIn: true }),
    ...(spec.needsPerson && { needsPerson: true }),
    ...(spec.needsSetting !== undefined && { needsSetting: spec.needsSetting }),
    ...(spec.needsTool !== undefined && { needsTool: spec.needsTool }),
    ...(spec.lists && { lists: spec.lists }),
    ...(spec.traits && { traits: spec.traits }),
    bringsOwnSchema: spec.input === undefined,
    ...(spec.outputJsonSchema && { outputSchema: spec.outputJsonSchema }),
    get inputSchema() {
      inputSchema ??= spec.input ? toJsonSchema(spec.input, name) : spec.inputJsonSchema;
      return inputSchema;
    },
    describe: (context) => (typeof spec.description === 'string' ? spec.description : spec.description(context)),
    isEnabled: (context) => spec.isEnabled?.(context) ?? true,
    ...(spec.preload && { preload: async (session) => await spec.preload?.(session) }),
    load: async () => {}, // already loaded

    accept(raw) {
      if (!spec.input) return { ok: true, call: bind(spec, raw as Input) }; // the caller checks it against the tool's own schema
      const parsed = spec.input.safeParse(raw);
      if (parsed.success) return { ok: true, call: bind(spec, parsed.data) };
      return { ok: false, issues: parsed.error.issues.map((issue) => describeIssue(issue, raw)) };
    },

    // A partial input need not match its type, which is one more reason why a display may throw.
    displayCall: (partial) => shownOr(spec, nothing, () => spec.displayCall?.(asPartial<Input>(partial))),
  };
}

const nothing: ToolDisplay = { title: '' };

/** A display is decoration: if it throws, it is left out, whatever happens to the call. */
function shownOr(
  { title }: { title?: string },
  otherwise: ToolDisplay,
  draw: () => ToolDisplay | undefined,
): ToolDisplay {
  try {
    return { ...(title !== undefined && { action: title }), ...(draw() ?? otherwise) };
  } catch {
    return otherwise;
  }
}

const MAX_WRITTEN_CHARS = 10_000;

/** The result of a tool that has no display of its own: its text for the model, marked as the tool's. */
function asWritten(content: ToolOutcome['content'], { title }: ToolDisplay, writtenBy: string): ToolDisplay {
  const texts = Array.isArray(content) ? content.map((block) => (block.type === 'text' ? block.text : '')) : [content];
  const text = texts.filter((part) => typeof part === 'string' && part !== '').join('\n');
  if (text === '') return { title };
  return { title, body: { type: 'text', text: text.slice(0, MAX_WRITTEN_CHARS) }, writtenBy };
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asPartial = <Input>(value: unknown): Partial<Input> =>
  typeof value === 'object' && value !== null ? (value as Partial<Input>) : {};

function bind<Input, Data>(spec: ToolBehaviour<Input, Data>, input: Input): BoundCall {
  const plain = { title: shown(input) };
  const display = (): ToolDisplay => shownOr(spec, plain, () => spec.displayCall?.(asPartial<Input>(input)));
  const refusal = (): ToolDisplay => shownOr(spec, display(), () => spec.displayRefusal?.(input));
  return {
    input,
    async effects(context) {
      if (!spec.effects) return [{ kind: 'unknown', why: `${spec.name} does not declare what it touches` }];
      return checkedEffects(await spec.effects(input, context), spec.name);
    },
    async validate(context) {
      const { ask, display: found } = (await spec.validate?.(input, context)) ?? {};
      return { ...(ask !== undefined && { ask }), display: () => shownOr(spec, refusal(), () => found?.()) };
    },
    async *run(context) {
      const running = spec.execute(input, context);
      const data = isGenerator(running) ? yield* running : await running;
      const content = await spec.toModel(data, input); // may be a promise if the tool is written without types
      const mcp = await spec.toMcp?.(data, input);
      const maxChars = spec.maxCharsOf?.(data);
      return {
        content,
        ...(maxChars !== undefined && { maxChars }),
        data,
        ...(mcp && { mcp }),
        ...(spec.toHooks && { forHooks: () => ({ ...(isRecord(data) && data), ...spec.toHooks?.(data, input) }) }),
        display: shownOr(spec, asWritten(content, display(), spec.name), () => spec.displayResult?.(data, input)),
      };
    },
    displayRefusal: refusal,
  };
}

/** A tool written without types may return its data directly instead of a promise. */
const isGenerator = <Data>(
  running: Promise<Data> | AsyncGenerator<ToolProgress, Data, void>,
): running is AsyncGenerator<ToolProgress, Data, void> =>
  typeof running === 'object' && running !== null && Symbol.asyncIterator in running && 'next' in running;

/** Uses the schema's own method: loading zod here would slow down every start. */
function toJsonSchema(schema: z.ZodType, tool: string): JsonSchema {
  if (typeof schema.toJSONSchema !== 'function') {
    throw new TypeError(
      `The input of the tool ${tool} has no toJSONSchema method. Make it with zod 4.2 or newer, or give a JSON Schema as inputJsonSchema.`,
    );
  }
  const { $schema: _, ...rest } = jsonSchemaOf(schema, tool);
  if (rest.type !== undefined && rest.type !== 'object') {
    throw new TypeError(
      `The input of the tool ${tool} must be an object, but its "type" is ${JSON.stringify(rest.type)}. Put what you want into a field of one.`,
    );
  }
  return rest;
}

function jsonSchemaOf(schema: z.ZodType, tool: string): z.core.JSONSchema.BaseSchema {
  try {
    return schema.toJSONSchema({ io: 'input', override: withoutSafeLimits });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TypeError(
      `The input of the tool ${tool} has no JSON Schema that a model could be told: ${why}. Use what JSON has, such as a text that is transformed.`,
      { cause: error },
    );
  }
}

/** Every number fits JavaScript's range, so the bounds are left out: they would be sent in every request. */
function withoutSafeLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
