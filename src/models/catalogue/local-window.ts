import { fields } from '../http/exchange.js';
import { getJson } from './local-servers.js';

/** How the servers report the window that a loaded model has; each knows only its own address. */
const reports: ReadonlyArray<{ path: string; window(answer: unknown, model: string): unknown }> = [
  // vLLM
  { path: '/v1/models', window: (answer, model) => entryOf(answer, 'data', 'id', model)['max_model_len'] },
  // llama.cpp
  { path: '/props', window: (answer) => fields(fields(answer)['default_generation_settings'])['n_ctx'] },
  // LM Studio
  {
    path: '/api/v0/models',
    window: (answer, model) => entryOf(answer, 'data', 'id', model)['loaded_context_length'],
  },
  // Ollama
  { path: '/api/ps', window: (answer, model) => entryOf(answer, 'models', 'name', model)['context_length'] },
];

const TIMEOUT_MS = 2000;

/**
 * The tokens that fit into a request and its answer, as a server on this machine has loaded the model. Undefined if it
 * does not say.
 */
export async function localWindow(port: number, model: string): Promise<number | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const windows = await Promise.all(
    reports.map(async ({ path, window }) => {
      try {
        return window(await getJson(port, path, signal), model);
      } catch {
        return undefined; // another kind of server
      }
    }),
  );
  return windows.find((tokens): tokens is number => Number.isSafeInteger(tokens) && Number(tokens) > 0);
}

/** Ollama adds a tag to a name without one. */
function entryOf(answer: unknown, list: string, name: string, model: string): Record<string, unknown> {
  const entries = fields(answer)[list];
  const names = [model, `${model}:latest`];
  return fields(
    Array.isArray(entries) ? entries.find((entry) => names.includes(String(fields(entry)[name]))) : undefined,
  );
}
