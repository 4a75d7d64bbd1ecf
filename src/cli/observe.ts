import { join } from 'node:path';
import { createDebugLog } from '../agent/observe/debug-log.js';
import { type Observer, observedModel } from '../agent/observe/observe.js';
import { secretsIn } from '../agent/store/redact-secrets.js';
import type { Model } from '../contract/model.js';
import { type Catalogue, secretVariables } from '../models/catalogue/catalogue.js';
import { visible } from '../platform/text/visible.js';
import type { RequestedTelemetry } from './telemetry-flags.js';

const KEPT_LOGS = 20; // files, for all sessions together

export interface ObserveOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Defines which variables hold secrets. */
  catalogue: Catalogue;
}

/** The debug log and the traces of one session. */
export interface Observation {
  /** The observers; empty before `begin`. */
  readonly observers: readonly Observer[];
  model(model: Model): Model;
  begin(session: { id: string; dataFolder: string }): Promise<void>;
  close(): Promise<void>;
}

export function observe({ debugLog, traces }: RequestedTelemetry, options: ObserveOptions): Observation {
  const { env, catalogue } = options;
  const observers: Observer[] = [];
  const keys = secretVariables(catalogue).map((name) => env[name] ?? '');
  const secrets = [...new Set([...keys, ...secretsIn(env)])].filter((value) => value !== '');
  const tell = (sentence: string): void => void process.stderr.write(`helve: ${visible(sentence)}\n`);
  const onWarning = (warning: Error): void => {
    for (const observer of observers) observer.warning?.(warning);
  };
  return {
    observers,
    model: (model) => observedModel(model, observers),
    async begin({ id, dataFolder }) {
      process.on('warning', onWarning);
      if (debugLog === 'session') {
        const path = join(dataFolder, 'logs', `${id}.log`);
        tell(`debug log: ${path}`);
        observers.push(createDebugLog({ path, ownFolder: { keptFiles: KEPT_LOGS }, secrets, onProblem: tell }));
      } else if (debugLog) observers.push(createDebugLog({ path: debugLog.file, secrets, onProblem: tell }));
      if (!traces) return;
      const { createTrace } = await import('../agent/observe/trace.js');
      const trace = await createTrace({ env, secrets, onProblem: tell });
      if (trace) observers.push(trace);
    },
    async close() {
      process.off('warning', onWarning);
      for (const observer of observers.splice(0)) await observer.close();
    },
  };
}
