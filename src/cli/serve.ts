// `helve serve`: the sessions of this machine over HTTP and WebSocket, and who may use them.
import { dataFolderOf } from '../platform/files/paths.js';
import { UsageProblem } from './usage-problem.js';

declare const HELVE_VERSION: string; // defined by the build

export async function serve(argv: readonly string[]): Promise<number> {
  const [first = '', ...rest] = argv;
  if (first === '' || first.startsWith('-')) {
    return await (await import('./serve/run-server.js')).runServer(argv, HELVE_VERSION);
  }
  if (first === 'tokens') return await (await import('./serve/tokens.js')).tokens(rest, dataFolderOf());
  if (first === 'code') return await (await import('./serve/code.js')).code(rest, dataFolderOf());
  throw new UsageProblem(
    `There is no "helve serve ${first}". Use helve serve, helve serve tokens or helve serve code.`,
  );
}
