// A tool whose code is loaded with its first call. What the model reads about it is known beforehand, as plain data.
import type { JsonSchema } from '../contract/model.js';
import type { BuiltInTool, Tool, ToolDisplay, ToolExposure, ToolListing } from '../contract/tool.js';
import type { DescribeContext, ToolSetMode } from '../contract/tool-context.js';
import type { ToolTraits } from '../contract/tool-traits.js';
import { lazy } from '../platform/lazy.js';

/** What is known of a tool without its code, as plain data. */
export interface ToolFacts {
  name: string;
  about?: string;
  exposure: ToolExposure;
  maxResultChars: number;
  inputSchema: JsonSchema;
  bringsOwnSchema: boolean;
  preloads: boolean;
  optIn?: boolean;
  needsPerson?: boolean;
  needsSetting?: string;
  needsTool?: string;
  lists?: ToolListing;
  traits?: ToolTraits;
  description: ByContext<string>;
  isEnabled: ByContext<boolean>;
}

/** What holds in most contexts, and what in others. */
interface ByContext<Value> {
  usual: Value;
  others?: Record<string, Value>;
}

/** A tool made of its facts; the tool that `load` returns takes over once it is loaded. */
export function lazyTool(facts: ToolFacts, load: () => Promise<Tool>): BuiltInTool {
  let tool: Tool | undefined;
  const loadOnce = lazy(async () => {
    tool = await load();
  });
  return {
    name: facts.name,
    ...(facts.about !== undefined && { about: facts.about }),
    exposure: facts.exposure,
    maxResultChars: facts.maxResultChars,
    inputSchema: facts.inputSchema,
    bringsOwnSchema: facts.bringsOwnSchema,
    ...(facts.optIn && { optIn: true }),
    ...(facts.needsPerson && { needsPerson: true }),
    ...(facts.needsSetting !== undefined && { needsSetting: facts.needsSetting }),
    ...(facts.needsTool !== undefined && { needsTool: facts.needsTool }),
    ...(facts.lists && { lists: facts.lists }),
    ...(facts.traits && { traits: facts.traits }),
    describe: (context) => inContext(facts.description, context),
    isEnabled: (context) => inContext(facts.isEnabled, context),
    load: () => loadOnce(),
    ...(facts.preloads && {
      async preload(session) {
        await loadOnce();
        await tool?.preload?.(session);
      },
    }),
    accept(input) {
      if (!tool) throw new Error(`The tool ${facts.name} was called before it was loaded. Wait for its load() first.`);
      return tool.accept(input);
    },
    displayCall: (partial) => tool?.displayCall(partial) ?? nothing,
  };
}

const nothing: ToolDisplay = { title: '' };

/** The facts of a tool. Throws if its description depends on more than a table can hold. */
export function factsOf(tool: BuiltInTool): ToolFacts {
  const description = tabulate(tool, (context) => tool.describe(context));
  const isEnabled = tabulate(tool, (context) => tool.isEnabled(context));
  const {
    name,
    about,
    exposure,
    maxResultChars,
    inputSchema,
    bringsOwnSchema,
    optIn,
    needsPerson,
    needsSetting,
    needsTool,
    lists,
    traits,
  } = tool;
  const preloads = tool.preload !== undefined;
  return {
    name,
    ...(about !== undefined && { about }),
    exposure,
    maxResultChars,
    inputSchema,
    bringsOwnSchema,
    preloads,
    ...(optIn && { optIn }),
    ...(needsPerson && { needsPerson }),
    ...(needsSetting !== undefined && { needsSetting }),
    ...(needsTool !== undefined && { needsTool }),
    ...(lists && { lists }),
    ...(traits && { traits }),
    description,
    isEnabled,
  };
}

function atOnce<Value>(value: Value | Promise<Value>, { name }: Tool): Value {
  if (value instanceof Promise) throw new TypeError(`The built-in tool ${name} must not be asynchronous here.`);
  return value;
}

const modes: readonly ToolSetMode[] = ['repl', 'headless', 'child', 'simple'];
const NAMES = '{deferred tools}'; // placeholder for their names in a text

/** Every context that makes a difference, except for the folder and the names of deferred tools. */
const contexts: ReadonlyArray<Omit<DescribeContext, 'root'>> = modes.flatMap((mode) =>
  (['text', 'patch'] as const).flatMap((editStyle) => [
    { mode, editStyle, deferredTools: [] },
    { mode, editStyle, deferredTools: [NAMES] },
  ]),
);

const keyOf = ({ mode, editStyle, deferredTools }: Omit<DescribeContext, 'root'>): string =>
  `${mode} ${editStyle} ${deferredTools.length > 0 ? 'deferred' : 'all'}`;

function tabulate<Value>(tool: Tool, of: (context: DescribeContext) => Value | Promise<Value>): ByContext<Value> {
  let looksFurther = false;
  const within = (context: Omit<DescribeContext, 'root'>): Value =>
    atOnce(
      of({
        ...context,
        get root() {
          looksFurther = true;
          return '';
        },
      }),
      tool,
    );
  const rows = contexts.map((context): [string, Value] => {
    const value = within(context);
    const twoNames = ['{one tool}', '{another}'];
    if (
      context.deferredTools.length > 0 &&
      within({ ...context, deferredTools: twoNames }) !== filled(value, twoNames)
    ) {
      looksFurther = true; // it uses the names for more than a list
    }
    return [keyOf(context), value];
  });
  const [first] = rows;
  if (looksFurther || !first) {
    throw new TypeError(
      `The description of the built-in tool ${tool.name} may depend on the mode, on the edit style and on the list of deferred tools only.`,
    );
  }
  const [, usual] = first;
  const others = rows.filter(([, value]) => value !== usual);
  return { usual, ...(others.length > 0 && { others: Object.fromEntries(others) }) };
}

const inContext = <Value>({ usual, others }: ByContext<Value>, context: DescribeContext): Value =>
  filled(others?.[keyOf(context)] ?? usual, context.deferredTools);

function filled<Value>(value: Value, names: readonly string[]): Value {
  if (typeof value !== 'string') return value;
  return value.replaceAll(NAMES, () => names.join(', ')) as Value & string; // a text stays a text
}
