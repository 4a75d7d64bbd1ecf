// Where `npm run counterparts` puts what tests compare Helve with.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const variables = {
  'vendor-sdks': 'HELVE_VENDOR_SDKS',
  'test-tools': 'HELVE_TEST_TOOLS',
  'mcp-servers': 'HELVE_MCP_SERVERS',
} as const;

export interface Counterpart {
  path: string;
  url: string;
  isThere: boolean;
  /** The reason for which a test is skipped. */
  missing: string;
}

/** The server of MCP's authors that has every feature. */
export const everythingServer = (): Counterpart =>
  counterpart('mcp-servers', '@modelcontextprotocol/server-everything/dist/index.js');

/** The collector of traces by the authors of OpenTelemetry. */
export const traceSdk = (): Counterpart =>
  counterpart('test-tools', '@opentelemetry/sdk-trace-base/build/src/index-shim.js');

/** A file or folder of a fetched package. */
export function counterpart(group: keyof typeof variables, file: string): Counterpart {
  const folder = resolve(process.env[variables[group]] ?? `node_modules/.cache/${group}`, 'node_modules');
  const path = join(folder, file);
  return {
    path,
    url: pathToFileURL(path).href,
    isThere: existsSync(path),
    missing: `${path} is not there: npm run counterparts ${group} fetches it.`,
  };
}
