import { test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const mcpServers = { notes: { command: 'no-such-program-of-notes' } };
const files = { '.mcp.json': JSON.stringify({ mcpServers }) };

inTerminal('a server that fails is noted in one line', async () => {
  const { terminal, say } = await converse([{ text: 'A rose.' }], { files, shows: 'Do you trust this folder?' });
  await terminal.shows('esc to continue without');
  await terminal.press('y');
  await terminal.hides('Do you trust this folder?');
  await say('hello');
  await terminal.shows(/1 MCP server failed: notes · \/mcp/);
});
