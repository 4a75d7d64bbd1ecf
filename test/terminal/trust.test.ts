import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { palettes, rgbOf } from '../../src/terminal/screen/palettes.js';
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
  await terminal.shows(
    /Follow only the instructions[\s\S]*Nothing that needs trust is switched on[\s\S]*enter to choose/,
  );
  await terminal.press('y');
  await terminal.hides('Follow only the instructions');
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

inTerminal('the question about trust has the colours of the theme in the settings of the user', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-theme-')));
  const folders = { project: join(folder, 'project'), home: join(folder, 'home') };
  await mkdir(join(folders.home, '.helve'), { recursive: true });
  await writeFile(join(folders.home, '.helve/settings.json'), JSON.stringify({ theme: 'light' }));
  const shows = 'Do you trust this folder?';
  const { terminal } = await converse([], { files, folders, shows, env: { COLORTERM: 'truecolor', FORCE_COLOR: '3' } });
  await terminal.shows('❯ n  No');
  const { r, g, b } = rgbOf(palettes.light.colors.accent);
  expect(await terminal.styledScreen()).toContain(`38;2;${r};${g};${b}m❯`);
});
