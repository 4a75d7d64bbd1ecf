// A tool that is not there yet. What the model is told of it is known beforehand; its code is loaded with its first call.
import type { JsonSchema } from './model.js';
import type { BuiltInTool, Tool, ToolDisplay, ToolExposure, ToolListing } from './tool.js';
import type { DescribeContext, ToolSetMode } from './tool-context.js';
import type { ToolTraits } from './tool-traits.js';

/** What is known of a tool without its code, as plain data. */
export interface ToolFacts {
  name: string;
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

/** A tool by its facts. What `load` gives takes over once it is there. */
export function lazyTool(facts: ToolFacts, load: () => Promise<Tool>): BuiltInTool {
  let tool: Tool | undefined;
  let loading: Promise<void> | undefined;
  const loadOnce = (): Promise<void> => {
    loading ??= load().then(
      (loaded) => {
        tool = loaded;
      },
      (error: unknown) => {
        loading = undefined; // the next call tries again
        throw error;
      },
    );
    return loading;
  };
  return {
    name: facts.name,
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
    load: loadOnce,
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

/** The facts of a tool, or undefined where what it says depends on more than a table can hold. */
export function factsOf(tool: BuiltInTool): ToolFacts | undefined {
  const description = tabulate((context) => atOnce(tool.describe(context), tool));
  const isEnabled = tabulate((context) => atOnce(tool.isEnabled(context), tool));
  if (description === undefined || isEnabled === undefined) return undefined;
  const {
    name,
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
const NAMES = '{deferred tools}'; // stands for their names in a text

/** Every context that makes a difference, but for the folder and for the names of the tools that wait. */
const contexts: ReadonlyArray<Omit<DescribeContext, 'root'>> = modes.flatMap((mode) =>
  (['text', 'patch'] as const).flatMap((editStyle) => [
    { mode, editStyle, deferredTools: [] },
    { mode, editStyle, deferredTools: [NAMES] },
  ]),
);

const keyOf = ({ mode, editStyle, deferredTools }: Omit<DescribeContext, 'root'>): string =>
  `${mode} ${editStyle} ${deferredTools.length > 0 ? 'deferred' : 'all'}`;

function tabulate<Value>(of: (context: DescribeContext) => Value): ByContext<Value> | undefined {
  let looksFurther = false;
  const within = (context: Omit<DescribeContext, 'root'>): Value =>
    of({
      ...context,
      get root() {
        looksFurther = true;
        return '';
      },
    });
  const rows = contexts.map((context): [string, Value] => {
    const value = within(context);
    const twoNames = ['{one tool}', '{another}'];
    if (
      context.deferredTools.length > 0 &&
      within({ ...context, deferredTools: twoNames }) !== filled(value, twoNames)
    ) {
      looksFurther = true; // it does more with the names than list them
    }
    return [keyOf(context), value];
  });
  const [first] = rows;
  if (looksFurther || !first) return undefined;
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
