import { resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export const telemetryFlags = { debug: { type: 'boolean' }, 'debug-file': { type: 'string' } } as const;

export interface TelemetryFlags {
  debug?: boolean | undefined;
  'debug-file'?: string | undefined;
}

export interface RequestedTelemetry {
  /** A file, or `session` for the session's own; undefined if there is no log. */
  debugLog?: 'session' | { file: string };
  traces: boolean;
}

/** The telemetry that flags and environment request: its code is loaded only then. */
export function requestedTelemetry(flags: TelemetryFlags, env: Environment): RequestedTelemetry | undefined {
  const debugLog = wantedLog(flags, env['HELVE_DEBUG']?.trim() ?? '');
  const traces = wantsTraces(env);
  if (!debugLog && !traces) return undefined;
  return { traces, ...(debugLog && { debugLog }) };
}

function wantedLog(flags: TelemetryFlags, variable: string): RequestedTelemetry['debugLog'] {
  if (flags['debug-file']) return { file: resolve(flags['debug-file']) };
  if (variable === '' || /^(?:0|false|no|off)$/i.test(variable)) return flags.debug ? 'session' : undefined;
  if (/^(?:1|true|yes|on)$/i.test(variable)) return 'session';
  return { file: resolve(variable) };
}

function wantsTraces(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return variablesForTracing(env).length > 0;
}

/** They apply to this process: a child process would report to the same place as if it were part of it. */
export const variablesForTracing = (env: Environment): string[] =>
  Object.keys(env).filter((name) => name.startsWith('OTEL_') && env[name] !== '');

/** Turns `--debug=FILE` into `--debug-file=FILE`: node:util's options have a value either always or never. */
export function withDebugFile(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => (end >= 0 && index > end ? word : word.replace(/^--debug=(?=.)/s, '--debug-file=')));
}
