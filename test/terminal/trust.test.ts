import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const mcpServers = { notes: { command: 'run-notes' } };
const files = { '.mcp.json': JSON.stringify({ mcpServers }), 'CLAUDE.md': 'Always answer in verse.\n' };
const AS_NOTES = 'has not agreed to follow the instructions of this project';

inTerminal('instructions can be followed in a folder whose servers are refused', async () => {
  const { terminal, say, server } = await converse([{ text: 'A rose.' }], {
    files,
    shows: 'Do you trust this folder?',
  });
  await terminal.shows(/first, a question about this folder[\s\S]*CLAUDE\.md[\s\S]*esc to continue without/);
  await terminal.press('Enter');
  await terminal.shows(/Follow the instructions of this folder\?[\s\S]*enter to choose/);
  await terminal.press('y');
  await terminal.hides('Follow the instructions of this folder?');
  await terminal.shows('To review and trust them later: /trust');
  await terminal.hides('first, a question');
  await say('hello');
  await terminal.shows('A rose.');
  expect(server.requests[0]?.text).not.toContain(AS_NOTES);
  await say('/trust');
  await terminal.shows(/starts the MCP server notes: run-notes[\s\S]*y {2}Yes, trust the folder, with all of this/);
  const asked = await terminal.shows('❯ n  No, leave it as it is');
  expect(asked.match(/\.mcp\.json/g)).toHaveLength(1);
});
