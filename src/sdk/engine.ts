import { createEngine as createFullEngine } from '../compose/create-engine.js';
import type { Engine } from '../contract/engine.js';
import type { EngineOptions } from '../contract/options.js';
import { withoutAgents } from '../tools/roles.js';
import { checkEngineOptions } from './check-options.js';
import { engineOptions } from './program-options.js';

/** The tools without a model, for your own loop. Nothing is loaded or written before the first call. */
export function createEngine(options: EngineOptions = {}): Engine {
  checkEngineOptions(options);
  const toolSwitches = { ...withoutAgents, ...options.toolSwitches };
  return createFullEngine(engineOptions({ ...options, toolSwitches }));
}
