import type { CommandLine } from '../command-line.js';
import { curlOptions, isSending, requestOf } from '../http-requests.js';
import { fewNames } from '../short-text.js';
import type { RiskyProgram } from './form.js';

const valuesOf = ({ words }: CommandLine, names: RegExp): string[] =>
  curlOptions(words).flatMap(({ name, value }) => (names.test(name) ? [value ?? '…'] : []));

const CONFIG = /^(-K|--config)$/;
const SOCKET = /^--(abstract-)?unix-socket$/;

/** Options with which a request goes elsewhere than its address says. */
export const requests: readonly RiskyProgram[] = [
  {
    names: 'curl',
    forms: [
      {
        when: (line) => valuesOf(line, CONFIG).length > 0,
        risk: (line) => ({
          kind: 'network',
          level: 'high',
          text: `reaches the addresses that ${fewNames(valuesOf(line, CONFIG))} names`,
        }),
      },
      {
        when: (line) => valuesOf(line, SOCKET).length > 0,
        risk: (line) => {
          const { method, hasBody } = requestOf(line) ?? { method: 'GET', hasBody: false };
          return {
            kind: 'network',
            level: hasBody || isSending(method) ? 'high' : 'notable',
            text: `sends a ${method} request to the program behind ${fewNames(valuesOf(line, SOCKET))}`,
          };
        },
      },
    ],
  },
];
