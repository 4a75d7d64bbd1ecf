// A machine for tests of plugins.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startFakeModelServer } from '../../src/testing/index.js';
import { runHelve, shareCode } from './run-helve.js';

export type Files = Readonly<Record<string, unknown>>;

/** A machine of its own, with a home and a project, on which the built command line runs. */
export function place() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-plugins-')));
  const at = (name: string): string => join(folder, name);
  const write = (files: Files): void => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
    }
  };
  for (const name of ['home', 'project']) mkdirSync(at(name));
  shareCode(at('home/.helve'));
  const base = { HOME: at('home') };
  const helve = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    await runHelve(args, { cwd: at('project'), env: { ...base, ...env } });
  const plugin = async (...args: string[]) => await helve(['plugin', ...args]);
  /** Runs a prompt; `sent` has all requests. */
  const prompt = async (...args: string[]) => {
    const server = await startFakeModelServer([{ text: 'ok' }]);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', HELVE_MODEL: 'claude-test' };
    const done = await helve(['-p', ...args], env);
    await server.close();
    return { ...done, sent: server.requests.map(({ text }) => text).join('\n') };
  };
  const plugins = (name = ''): string => at(`home/.helve/plugins/${name}`);
  return { at, write, helve, plugin, prompt, plugins };
}

/** `${NAME}`, as plugins write it. */
export const variable = (name: string): string => `\${${name}}`;

export const goodPlugin: Files = {
  'good/.claude-plugin/plugin.json': {
    name: 'good',
    version: '1.2.3',
    userConfig: {
      token: { type: 'string', title: 'Token', sensitive: true, required: true },
      tone: { type: 'string', default: 'dry' },
    },
  },
  'good/commands/greet.md': `---\ndescription: Greets\n---\nGreet $1 in a ${variable('user_config.tone')} tone, see ${variable('CLAUDE_PLUGIN_ROOT')}/notes.md. ${variable('user_config.token')}`,
  'good/skills/report/SKILL.md': '---\nname: report\ndescription: Reports things\n---\nReport.',
  'good/agents/helper.md': '---\nname: helper\ndescription: Helps\n---\nYou help.',
  'good/output-styles/terse.md': '---\nname: terse\nkeep-coding-instructions: true\n---\nAnswer in three words.',
  'good/hooks/hooks.json': {
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            {
              type: 'command',
              command: `printf %s "$CLAUDE_PLUGIN_OPTION_TOKEN:${variable('CLAUDE_PLUGIN_ROOT##*/')}" > "${variable('CLAUDE_PLUGIN_DATA')}/ran"`,
            },
          ],
        },
      ],
    },
  },
  'good/.lsp.json': {},
};

/** All text in the files below a folder. */
export function readFolderText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}
