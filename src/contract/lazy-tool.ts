// A tool that is not there yet. What the model is told of it is known beforehand; its code is loaded with its first call.
import type { JsonSchema } from './model.js';
import type { Tool, ToolDisplay, ToolExposure } from './tool.js';
import type { DescribeContext, ToolSetMode } from './tool-context.js';

/** What is known of a tool without its code, as plain data. */
export interface ToolFacts {
  name: string;
  exposure: ToolExposure;
  maxResultChars: number;
  inputSchema: JsonSchema;
  bringsOwnSchema: boolean;
  preloads: boolean;
  /** By tool set and edit style, where they make a difference. */
  description: string | Record<string, string>;
  isEnabled: boolean | Record<string, boolean>;
}

/** A tool by its facts. What `load` gives takes over once it is there. */
export function lazyTool(facts: ToolFacts, load: () => Promise<Tool>): Tool {
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
export function factsOf(tool: Tool): ToolFacts | undefined {
  const description = tabulate((context) => tool.describe(context));
  const isEnabled = tabulate((context) => tool.isEnabled(context));
  if (description === undefined || isEnabled === undefined) return undefined;
  const { name, exposure, maxResultChars, inputSchema, bringsOwnSchema } = tool;
  const preloads = tool.preload !== undefined;
  return { name, exposure, maxResultChars, inputSchema, bringsOwnSchema, preloads, description, isEnabled };
}

type Tabled = Pick<DescribeContext, 'mode' | 'editStyle'>;

const modes: readonly ToolSetMode[] = ['simple', 'repl', 'headless', 'child'];
const contexts: readonly Tabled[] = modes.flatMap((mode) => [
  { mode, editStyle: 'text' },
  { mode, editStyle: 'patch' },
]);

const keyOf = ({ mode, editStyle }: Tabled): string => `${mode} ${editStyle}`;

function tabulate<Value>(of: (context: DescribeContext) => Value): Value | Record<string, Value> | undefined {
  let looksFurther = false;
  const further = <Seen>(seen: Seen): Seen => {
    looksFurther = true;
    return seen;
  };
  const rows = contexts.map((tabled): [string, Value] => {
    const context: DescribeContext = {
      ...tabled,
      get root() {
        return further('/');
      },
      get deferredTools() {
        return further([]);
      },
    };
    return [keyOf(tabled), of(context)];
  });
  if (looksFurther) return undefined;
  const [[, first] = []] = rows;
  return rows.every(([, value]) => value === first) ? first : Object.fromEntries(rows);
}

function inContext<Value extends string | boolean>(table: Value | Record<string, Value>, context: Tabled): Value {
  if (typeof table !== 'object') return table;
  const value = table[keyOf(context)];
  if (value === undefined) throw new TypeError(`No tool is known for the tool set "${keyOf(context)}".`);
  return value;
}
