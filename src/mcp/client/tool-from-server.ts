// A server's tool as a Helve tool. It counts as able to touch anything, whatever its annotations claim.

import { ToolFailure } from '../../contract/failure.js';
import { defineTool, type Tool, type ToolExposure } from '../../contract/tool.js';
import { sha256 } from '../../platform/crypto.js';
import { EventQueue } from '../../platform/event-queue.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import { type AnsweredCall, contentForModel, textForPerson } from './answered-call.js';
import { INSTRUCTIONS, type PinnedTool } from './pins.js';
import { type RepairedSchema, repairSchema, withServerNames } from './repair-schema.js';
import type { ReviewedTools } from './reviewed-tools.js';
import { type CallHost, callServer, type LeftInBackground } from './server-call.js';
import { sorted } from './sorted-json.js';
import { patchOf } from './tool-change.js';

const MAX_DESCRIPTION = 2_048;
const MAX_PIN_CHARS = 64 * 1024;
const MAX_DISPLAY = 4_000;
const MAX_TITLE = 200;
const PROGRESS_MS = 100;
const MAX_ANNOTATED_CHARS = 500_000; // even if the server declares larger results

/** A tool that a server offers, validated, before it becomes a Helve tool. */
export interface ServerTool {
  /** The server's name for it. */
  original: string;
  /** The model's name for it. */
  name: string;
  description: string;
  schema: Exclude<RepairedSchema, { hopeless: string }>;
  readOnlyHint: boolean;
  alwaysLoad: boolean;
  maxResultChars: number | undefined;
  /** The size of its definition, in characters. */
  size: number;
  pin: PinnedTool;
}

export interface SetAside {
  tool: string;
  /** A sentence. */
  why: string;
}

/** The usable tools of a server's list, and why the others can't be used. */
export interface ReadTools {
  tools: ServerTool[];
  setAside: SetAside[];
}

export function readTools(
  sent: readonly unknown[],
  nameAll: (tools: readonly string[]) => ReadonlyMap<string, string>,
): ReadTools {
  const setAside: SetAside[] = [];
  const byName = new Map<string, Readonly<Record<string, unknown>>>();
  sent.forEach((tool, index) => {
    const name = isObject(tool) ? tool['name'] : undefined;
    if (!isObject(tool) || typeof name !== 'string' || name === '') {
      setAside.push({ tool: `number ${index + 1}`, why: 'It has no name.' });
    } else if (name === INSTRUCTIONS) {
      setAside.push({ tool: name, why: 'This name stands for the instructions of a server.' });
    } else if (byName.has(name)) setAside.push({ tool: name, why: 'The server offers two tools of this name.' });
    else byName.set(name, tool);
  });
  const names = nameAll([...byName.keys()]);
  const tools: ServerTool[] = [];
  for (const [original, tool] of byName) {
    const read = readTool(original, names.get(original) ?? original, tool);
    if ('why' in read) setAside.push(read);
    else tools.push(read);
  }
  return { tools, setAside };
}

function readTool(original: string, name: string, tool: Readonly<Record<string, unknown>>): ServerTool | SetAside {
  try {
    const schema = repairSchema(tool['inputSchema']);
    if ('hopeless' in schema) return { tool: original, why: `Its input schema ${schema.hopeless}.` };
    const facts = factsOf(tool, schema);
    const size = name.length + facts.description.length + JSON.stringify(schema.schema).length;
    return { original, name, schema, size, ...facts };
  } catch (error) {
    return { tool: original, why: `Its definition can't be read: ${messageOf(error)}.` }; // for example because it nests too deep
  }
}

function factsOf(tool: Readonly<Record<string, unknown>>, { note }: ServerTool['schema']) {
  const { title, description, annotations, inputSchema, _meta: meta } = tool;
  const said = typeof description === 'string' && description.trim() !== '' ? description : title;
  const room = MAX_DESCRIPTION - (note === undefined ? 0 : note.length + 1);
  const text = plainText(
    typeof said === 'string' ? said : 'The server does not say what it does.',
    Math.max(200, room),
  );
  const hints = isObject(annotations) ? annotations : {};
  const extra = isObject(meta) ? meta : {};
  const size = extra['anthropic/maxResultSizeChars'];
  return {
    description: note === undefined ? text : `${text}\n${note}`,
    readOnlyHint: hints['readOnlyHint'] === true,
    alwaysLoad: extra['anthropic/alwaysLoad'] === true,
    maxResultChars: typeof size === 'number' && size > 0 ? Math.min(size, MAX_ANNOTATED_CHARS) : undefined,
    pin: pinOf({ title, description, inputSchema, annotations }),
  };
}

export function pinOf(definition: Readonly<Record<string, unknown>>): PinnedTool {
  const text = JSON.stringify(sorted(definition), null, 2);
  const hash = sha256().update(text).digest('hex');
  return text.length > MAX_PIN_CHARS ? { hash } : { hash, text };
}

export interface ToolHost extends CallHost {
  review: ReviewedTools;
  maxResultChars: number;
}

export function toolFromServer(tool: ServerTool, host: ToolHost, exposure: ToolExposure): Tool {
  const { server, review } = host;
  const maxChars = tool.maxResultChars ?? host.maxResultChars;
  return defineTool<unknown, AnsweredCall | LeftInBackground>({
    name: tool.name,
    description: tool.description,
    inputJsonSchema: tool.schema.schema,
    exposure,
    maxResultChars: maxChars,

    effects: () => [
      {
        kind: 'unknown',
        why: `${tool.name} is a tool of the MCP server ${plainLine(server, 40)}, which may do anything`,
        ...(tool.readOnlyHint && { readOnlyHint: true }),
      },
    ],

    async validate() {
      // An agent that was started before the change still has this tool.
      if (review.isHeldBack(tool.original)) throw await heldBack(tool, host);
      return undefined;
    },

    async *execute(input, context) {
      const progress = new EventQueue<{ text: string }>();
      let shownAt = -Infinity;
      const answering = callServer({
        host,
        tool: tool.original,
        title: [`${plainLine(server, 40)}: ${plainLine(tool.original, 60)}`, salientInput(input)].join(' ').trim(),
        input: withServerNames(input, tool.schema.renamed),
        maxChars,
        context,
        onProgress(text) {
          const now = performance.now();
          if (now - shownAt < PROGRESS_MS) return; // servers may report progress faster than a person can read
          shownAt = now;
          progress.push({ text });
        },
      }).finally(() => progress.end());
      answering.catch(() => {}); // awaited below
      yield* progress;
      return await answering;
    },

    toModel: (data) => ('note' in data ? data.note : contentForModel(data)),

    displayCall: (input) => ({
      title: salientInput(input),
      body: { type: 'text', text: plainText(JSON.stringify(input, null, 2), MAX_DISPLAY) },
    }),
    // Also the subject of a permission question, which shows all of the input.
    displayRefusal: (input) => ({
      title: salientInput(input),
      body: { type: 'text', text: plainText(JSON.stringify(input, null, 2), Number.POSITIVE_INFINITY) },
    }),
    displayResult: (data, input) =>
      'note' in data
        ? { title: salientInput(input), facts: ['in the background'], background: data.backgroundId }
        : {
            title: salientInput(input),
            writtenBy: plainLine(server, 40),
            body: { type: 'text', text: textForPerson(data) },
          },
  });
}

/** The first text of the input, which says best what the call is about; empty if it has none. */
function salientInput(input: unknown): string {
  const values: unknown[] = isObject(input) ? Object.values(input) : [];
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? plainLine(text, MAX_TITLE) : '';
}

/** Stands for a tool that is held back: the model is not told of it, and a call is refused with the reason. */
export function heldBackTool(tool: ServerTool, host: ToolHost): Tool {
  return defineTool<unknown, never>({
    name: tool.name,
    description: 'Held back until a person approves that its server changed it.',
    inputJsonSchema: { type: 'object' },
    exposure: 'hidden',
    effects: () => [], // it does nothing
    async validate() {
      throw await heldBack(tool, host);
    },
    async execute() {
      throw await heldBack(tool, host);
    },
    toModel: () => '',
  });
}

/** The model gets nothing of the new definition. */
async function heldBack({ original, name }: ServerTool, { server, review }: ToolHost): Promise<ToolFailure> {
  const shown = plainLine(server, 40);
  const change = review.changeOf(original);
  const why = change
    ? `the MCP server ${shown} has changed its definition, and no person has approved the change yet`
    : `it is unknown whether the MCP server ${shown} has changed its definition`;
  return new ToolFailure(`${name} is held back: ${why}. Nothing was run.`, {
    kind: 'check_refused',
    advice:
      'Go on without it, or tell the user that it waits for approval. Do not look for another way to do the same.',
    problem: change
      ? `Not run: the MCP server ${shown} has changed its tool ${plainLine(original, 80)}. To approve the change: helve mcp approve ${shown}, or /mcp approve ${shown} in the terminal.`
      : `Not run. ${review.problem ?? ''}`,
    display: { notRun: true, ...(change && { body: { type: 'text' as const, text: await patchOf(change) } }) },
  });
}
