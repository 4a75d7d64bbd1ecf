// The entry helve/testing.
import type { Effect } from '../contract/effect.js';
import type { Engine } from '../contract/engine.js';
import type { EngineOptions } from '../contract/options.js';
import type { Tool } from '../contract/tool.js';
import { temporaryProject as makeProject } from '../testing/temporary-project.js';
import type { ToolRun } from '../testing/tool-run.js';
import { checkProjectOptions, checkTool } from './check-options.js';
import { engineOptions } from './program-options.js';

export { anthropicSse } from '../testing/anthropic-format.js';
export { chatViolations } from '../testing/chat-violations.js';
export {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  type FakeRequest,
  type FakeRequestBody,
  startFakeModelServer,
} from '../testing/fake-model-server.js';
export { geminiViolations } from '../testing/gemini-violations.js';
export { protocolViolations, type WireBlock, type WireMessage } from '../testing/protocol-violations.js';
export { responsesViolations } from '../testing/responses-violations.js';
export type { ToolRun } from '../testing/tool-run.js';
export type { FakeCall, FakeMessage } from '../testing/wire-format.js';

/** A folder of real files with its own session: runs one tool after the other in it, through the whole path of a call. */
export interface TemporaryProject extends AsyncDisposable {
  readonly root: string;
  readonly engine: Engine;
  /** Everything is permitted unless the project was created with another mode. The tool need not be one of the engine's. */
  run(tool: Tool, input: unknown, options?: { signal?: AbortSignal }): Promise<ToolRun>;
  /** The effects that the tool declares. */
  effects(tool: Tool, input: unknown): Promise<readonly Effect[]>;
  /** The absolute path of a file. */
  path(name: string): string;
  /** The content of a file. */
  text(name: string): Promise<string>;
  bytes(name: string): Promise<Buffer>;
  write(name: string, content: string | Uint8Array): Promise<void>;
  /** Ends everything that calls left running, and deletes the folder. */
  remove(): Promise<void>;
}

/** Creates a temporary folder with these files, and an engine in it. */
export async function temporaryProject(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<EngineOptions, 'root' | 'dataFolder'> = {},
): Promise<TemporaryProject> {
  checkProjectOptions(options);
  const project = await makeProject(files, engineOptions(options));
  return {
    ...project,
    async run(tool, input, options) {
      checkTool(tool);
      return await project.run(tool, input, options);
    },
    [Symbol.asyncDispose]: () => project.remove(),
  };
}
