import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { requestedTelemetry, variablesForTracing, withDebugFile } from './telemetry-flags.js';

test.each([
  [{}, {}, undefined],
  [{}, { HELVE_DEBUG: '' }, undefined],
  [{}, { HELVE_DEBUG: '0' }, undefined],
  [{}, { HELVE_DEBUG: 'false' }, undefined],
  [{ debug: true }, {}, { debugLog: 'session', traces: false }],
  [{ debug: true }, { HELVE_DEBUG: '0' }, { debugLog: 'session', traces: false }],
  [{}, { HELVE_DEBUG: '1' }, { debugLog: 'session', traces: false }],
  [{}, { HELVE_DEBUG: 'true' }, { debugLog: 'session', traces: false }],
  [{}, { HELVE_DEBUG: 'x.log' }, { debugLog: { file: resolve('x.log') }, traces: false }],
  [{ 'debug-file': '/y.log' }, { HELVE_DEBUG: 'x.log' }, { debugLog: { file: '/y.log' }, traces: false }],
  [{}, { OTEL_SERVICE_NAME: 'x' }, { traces: true }],
  [{}, { OTEL_SERVICE_NAME: '' }, undefined],
  [{}, { OTEL_SERVICE_NAME: 'x', OTEL_SDK_DISABLED: 'true' }, undefined],
  [{}, { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'none' }, undefined],
])('%j with %j observes %j', (flags, env, wanted) => {
  expect(requestedTelemetry(flags, env)).toEqual(wanted);
});

test('--debug=FILE names a file, and words after -- stay unchanged', () => {
  expect(withDebugFile(['-p', '--debug=x', '--debug', '--', '--debug=y'])).toEqual([
    '-p',
    '--debug-file=x',
    '--debug',
    '--',
    '--debug=y',
  ]);
});

test('only variables of OpenTelemetry control tracing', () => {
  expect(variablesForTracing({ OTEL_A: '1', OTEL_B: '', HOTEL_A: '1', TRACEPARENT: 'x' })).toEqual(['OTEL_A']);
});
