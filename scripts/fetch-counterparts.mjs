// Fetches the programs and libraries of others that some tests compare Helve with. They are no dependencies: together they
// are larger than everything that Helve needs. Without them, their tests are skipped and say so.
//   npm run counterparts                     all of them
//   npm run counterparts vendor-sdks nodes   only these
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

const agentSdk = '@anthropic-ai/claude-agent-sdk';
const node = `node-${process.platform}-${process.arch}`;

/** By the name of the folder in node_modules/.cache. The variable names another folder, which tests read too. */
const groups = {
  // Clients of model vendors, which read the same streams and sign the same requests as Helve.
  'vendor-sdks': {
    variable: 'HELVE_VENDOR_SDKS',
    packages: [
      '@anthropic-ai/sdk@1.8.0',
      'openai@7.53.0',
      'ai@7.0.169',
      '@ai-sdk/anthropic@4.0.102',
      '@types/json-schema@7.0.15', // the types of the AI SDK need it
      '@google/genai@3.1.0',
      '@aws-sdk/client-bedrock-runtime@3.1162.0',
      'zod@4.6.7',
    ],
  },
  // A second parser of shell commands, the official collector of traces, a check of the types of a package, and the schemas of
  // Kubernetes.
  'test-tools': {
    variable: 'HELVE_TEST_TOOLS',
    packages: [
      'tree-sitter-bash@0.25.1',
      'web-tree-sitter@0.27.1',
      '@opentelemetry/sdk-trace-base@2.12.0',
      '@opentelemetry/api@1.9.1',
      '@arethetypeswrong/cli@0.18.5',
      'kubernetes-models@5.1.0',
    ],
  },
  // Servers as people use them. The tests keep them off the network.
  'mcp-servers': {
    variable: 'HELVE_MCP_SERVERS',
    packages: [
      '@modelcontextprotocol/server-everything@2026.8.31',
      '@modelcontextprotocol/server-filesystem@2026.8.31',
      '@modelcontextprotocol/server-memory@2026.8.31',
      '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
      '@playwright/mcp@0.0.83',
      'chrome-devtools-mcp@1.11.0',
      '@cyanheads/git-mcp-server@2.15.3',
      '@notionhq/notion-mcp-server@2.5.2',
      'mcp-server-code-runner@0.1.8',
      '@eslint/mcp@0.3.13',
    ],
  },
  // The official conformance suite and inspector of MCP.
  'mcp-official': {
    variable: 'HELVE_CONFORMANCE',
    packages: [
      '@modelcontextprotocol/conformance@0.1.16',
      '@modelcontextprotocol/inspector@2.12.0',
      'conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12',
    ],
    optional: true,
  },
  // Hosts that start Helve in the place of Claude Code. Their licences do not allow copies, so they are only fetched.
  'agent-sdk': {
    variable: 'HELVE_AGENT_SDK',
    packages: [
      `${agentSdk}@0.3.325`,
      'zod@4',
      ...['0.1.0', '0.1.77', '0.2.50', '0.2.122'].map((version) => `sdk-${version}@npm:${agentSdk}@${version}`),
    ],
  },
  // Editors and adapters that speak the Agent Client Protocol.
  'acp-clients': {
    variable: 'HELVE_ACP_CLIENTS',
    packages: ['acpx@0.19.1', '@agentclientprotocol/sdk@2.4.0', '@agentclientprotocol/claude-agent-acp@0.99.1'],
  },
  // The other versions of Node that the package is for.
  nodes: {
    variable: 'HELVE_NODES',
    packages: [`node-24@npm:${node}@24.21.0`, `node-26@npm:${node}@26.10.0`],
  },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. The groups are: ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}
const names = wanted.length > 0 ? wanted : Object.keys(groups);
const fetched = await Promise.all(names.map(fetchGroup));
process.exitCode = fetched.every(Boolean) ? 0 : 1;

async function fetchGroup(name) {
  const { variable, packages, optional = false } = groups[name];
  const folder = resolve(process.env[variable] ?? `node_modules/.cache/${name}`);
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--loglevel=error'];
  if (!optional) options.push('--omit=optional');
  const child = spawn('npm', ['install', '--prefix', folder, ...options, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 180_000,
  });
  const isThere = await once(child, 'close').then(
    ([code]) => code === 0,
    () => false,
  );
  console.log(isThere ? `${name} is in ${folder}` : `could not fetch ${name}: the tests that need it are skipped`);
  return isThere;
}
