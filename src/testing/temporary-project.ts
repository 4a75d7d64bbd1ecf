import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCall } from '../calls/run-call.js';
import { createEngine, type FullEngine } from '../compose/create-engine.js';
import type { FullEngineOptions } from '../compose/options.js';
import type { Effect } from '../contract/effect.js';
import type { AgentHappening, ToolResultEvent } from '../contract/event.js';
import type { Tool } from '../contract/tool.js';
import type { ToolRun } from './tool-run.js';

export type { ToolRun } from './tool-run.js';

/**
 * A folder of real files with its own session: runs one tool after the other in it, through the whole path of a call.
 */
export interface TestProject {
  readonly root: string;
  readonly engine: FullEngine;
  /** Everything is permitted unless the project was created with another mode. */
  run(tool: Tool, input: unknown, options?: { signal?: AbortSignal }): Promise<ToolRun>;
  /** The effects that the tool declares. */
  effects(tool: Tool, input: unknown): Promise<readonly Effect[]>;
  path(name: string): string;
  text(name: string): Promise<string>;
  bytes(name: string): Promise<Buffer>;
  write(name: string, content: string | Uint8Array): Promise<void>;
  /** Ends processes that calls left running and deletes the folder. */
  remove(): Promise<void>;
}

export async function temporaryProject(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<FullEngineOptions, 'root' | 'dataFolder'> = {},
): Promise<TestProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-project-')));
  const root = join(folder, 'project');
  await mkdir(root);
  const path = (name: string): string => join(root, name);
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);

  const dataFolder = join(folder, 'helve');
  const engine = createEngine({ permissionMode: 'bypassPermissions', ...options, root, dataFolder });
  let calls = 0;

  return {
    root,
    engine,
    path,
    write,
    text: (name) => readFile(path(name), 'utf8'),
    bytes: (name) => readFile(path(name)),

    async run(tool, input, { signal = new AbortController().signal } = {}) {
      calls += 1;
      const events: AgentHappening[] = [];
      const environment = { ...engine.environment((event) => events.push(event)), findTool: () => tool };
      // Some tests send an input of the wrong shape; the path of a call checks it.
      const call = { id: `call_${calls}`, name: tool.name, input: input as Record<string, unknown> };
      await runCall(call, environment, signal);
      return asToolRun(events);
    },

    async effects(tool, input) {
      await tool.load();
      const accepted = tool.accept(input);
      if (!accepted.ok) throw new Error(`${tool.name} does not accept this input: ${JSON.stringify(accepted.issues)}`);
      return await accepted.call.effects(engine.contextFor('effects', new AbortController().signal));
    },

    async remove() {
      await engine.end();
      // Retried if a process that was ended still creates a file in it.
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    },
  };
}

function asToolRun(events: AgentHappening[]): ToolRun {
  const result = events.find((event): event is ToolResultEvent => event.type === 'tool_result');
  if (!result) throw new Error('The call ended without a result.');
  return {
    content: result.result.content,
    isError: result.result.is_error === true,
    failure: result.failure,
    data: result.data,
    display: result.display,
    events,
  };
}
