// One object per peer. To add a peer: copy one, and fill in
//   bin(root)          [command, ...args] of the installed program; root = BENCH_PEERS_DIR
//   args(prompt)       headless run with permission checks bypassed
//   env(base, home)    environment (added to a clean PATH/HOME/TERM/LANG); base = http://127.0.0.1:PORT
//   setup(base, home)  writes config files under the throw-away home (optional)
//   mainTool           a tool name that only the main agent's requests list (others are side requests)
//   tools              read/edit/bash/grep/glob -> {name, args}: one call in the peer's own vocabulary
import fs from 'node:fs';
import path from 'node:path';

const here = path.dirname(new URL(import.meta.url).pathname);
const write = (home, rel, data) => {
  const p = path.join(home, rel);
  fs.mkdirSync(path.dirname(p), { recursive: true });
  fs.writeFileSync(p, typeof data === 'string' ? data : JSON.stringify(data, null, 2));
};
const rel = (p, ctx) => path.relative(ctx.cwd, p);
const q = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
const node22 = (root) => process.env.BENCH_NODE22 || path.join(root, 'node22/node_modules/node/bin/node');
const patch = (p, a, b, ctx) => `*** Begin Patch\n*** Update File: ${rel(p, ctx)}\n@@\n-${a}\n+${b}\n*** End Patch`;

// The floor: a bare loop, what the machine and Node allow with no agent around it.
const floorTools = {
  read: (p) => ({ name: 'Read', args: { file_path: p } }),
  edit: (p, a, b) => ({ name: 'Edit', args: { file_path: p, old_string: a, new_string: b } }),
  bash: (c) => ({ name: 'Bash', args: { command: c } }),
  grep: (s) => ({ name: 'Grep', args: { pattern: s } }),
  glob: (s) => ({ name: 'Glob', args: { pattern: s } }),
};
const floor = (padBytes) => ({
  title: `floor (${padBytes / 1000} kB prompt)`,
  flavour: 'anthropic',
  mainTool: 'Read',
  tools: floorTools,
  isFloor: true,
  bin: () => [process.execPath, path.join(here, 'floor-agent.mjs')],
  args: (prompt) => [prompt],
  env: (base) => ({ FLOOR_BASE: base, FLOOR_PAD: String(padBytes) }),
});

export const adapters = {
  // the order is the order of the table
  floor: floor(4000),
  'floor-100k': floor(100000),

  helve: {
    title: 'Helve',
    flavour: 'anthropic',
    mainTool: 'Read',
    tools: floorTools,
    bin: () => [process.execPath, path.join(here, '../../bin/helve.cjs')],
    args: (prompt) => ['-p', '--dangerously-skip-permissions', '--model', 'anthropic/claude-sonnet-4-5', prompt],
    env: (base, home) => ({
      ANTHROPIC_BASE_URL: base,
      ANTHROPIC_API_KEY: 'sk-ant-bench',
      IS_SANDBOX: '1',
      HELVE_HOME: path.join(home, '.helve'),
    }),
  },

  claude: {
    title: 'Claude Code',
    flavour: 'anthropic',
    mainTool: 'Read',
    bin: (r) => [path.join(r, 'claude/node_modules/.bin/claude')],
    args: (prompt) => ['-p', '--dangerously-skip-permissions', '--model', 'claude-sonnet-4-5', prompt],
    env: (base, home) => ({
      ANTHROPIC_BASE_URL: base,
      ANTHROPIC_API_KEY: 'sk-ant-bench',
      IS_SANDBOX: '1',
      CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    }),
    setup: (_base, home) => write(home, '.claude/.claude.json', { hasCompletedOnboarding: true }),
    tools: {
      read: (p) => ({ name: 'Read', args: { file_path: p } }),
      edit: (p, a, b) => ({ name: 'Edit', args: { file_path: p, old_string: a, new_string: b } }),
      bash: (c) => ({ name: 'Bash', args: { command: c, description: 'bench' } }),
      // 2.1.325 offers no Grep and no Glob tool: the model is to search with the shell.
      grep: (s) => ({ name: 'Bash', args: { command: `grep -rln ${q(s)} .`, description: 'bench' } }),
      glob: (s) => ({
        name: 'Bash',
        args: { command: `find . -name ${q(s.replace('**/', ''))}`, description: 'bench' },
      }),
    },
  },

  opencode: {
    title: 'opencode',
    flavour: 'anthropic',
    mainTool: 'read',
    bin: (r) => [path.join(r, 'opencode/node_modules/.bin/opencode')],
    args: (prompt) => ['run', '--auto', '-m', 'anthropic/claude-sonnet-4-5', prompt],
    env: (_base, home) => ({
      ANTHROPIC_API_KEY: 'sk-ant-bench',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_SHARE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      XDG_CONFIG_HOME: path.join(home, '.config'),
      XDG_DATA_HOME: path.join(home, '.local/share'),
      XDG_CACHE_HOME: path.join(home, '.cache'),
      XDG_STATE_HOME: path.join(home, '.local/state'),
    }),
    setup: (base, home) =>
      write(home, '.config/opencode/opencode.json', {
        $schema: 'https://opencode.ai/config.json',
        autoupdate: false,
        share: 'disabled',
        permission: { '*': 'allow' },
        provider: {
          anthropic: {
            options: { baseURL: `${base}/v1`, apiKey: 'sk-ant-bench' },
            models: {
              'claude-sonnet-4-5': { name: 'fake', tool_call: true, limit: { context: 1000000, output: 8000 } },
            },
          },
        },
      }),
    tools: {
      read: (p) => ({ name: 'read', args: { filePath: p } }),
      edit: (p, a, b) => ({ name: 'edit', args: { filePath: p, oldString: a, newString: b } }),
      bash: (c) => ({ name: 'bash', args: { command: c, description: 'bench' } }),
      grep: (s) => ({ name: 'grep', args: { pattern: s } }),
      glob: (s) => ({ name: 'glob', args: { pattern: s } }),
    },
  },

  pi: {
    title: 'pi',
    flavour: 'anthropic',
    mainTool: 'read',
    bin: (r) => [node22(r), path.join(r, 'pi-latest/node_modules/@earendil-works/pi-coding-agent/dist/cli.js')],
    args: (prompt) => [
      '-p',
      '--provider',
      'bench',
      '--model',
      'fake-model',
      '--tools',
      'read,bash,edit,write,grep,find,ls',
      prompt,
    ],
    env: (_base, home) => ({
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      PI_SKIP_VERSION_CHECK: '1',
      PI_CODING_AGENT_DIR: path.join(home, '.pi/agent'),
    }),
    setup: (base, home) =>
      write(home, '.pi/agent/models.json', {
        providers: {
          bench: {
            baseUrl: base,
            api: 'anthropic-messages',
            apiKey: 'sk-bench',
            models: [{ id: 'fake-model', contextWindow: 1000000, maxTokens: 8000 }],
          },
        },
      }),
    tools: {
      read: (p) => ({ name: 'read', args: { path: p } }),
      edit: (p, a, b) => ({ name: 'edit', args: { path: p, edits: [{ oldText: a, newText: b }] } }),
      bash: (c) => ({ name: 'bash', args: { command: c } }),
      grep: (s) => ({ name: 'grep', args: { pattern: s } }),
      glob: (s) => ({ name: 'find', args: { pattern: s } }),
    },
  },

  gemini: {
    title: 'gemini-cli',
    flavour: 'gemini',
    mainTool: 'read_file',
    bin: (r) => [process.execPath, path.join(r, 'gemini/node_modules/@google/gemini-cli/bundle/gemini.js')],
    args: (prompt) => ['--yolo', '--skip-trust', '-m', 'gemini-2.5-pro', '-p', prompt],
    env: (base) => ({ GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: base, GEMINI_TELEMETRY_ENABLED: 'false' }),
    setup: (_base, home) =>
      write(home, '.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: {
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
          disableAutoUpdate: true,
          disableUpdateNag: true,
        },
      }),
    tools: {
      read: (p) => ({ name: 'read_file', args: { file_path: p } }),
      edit: (p, a, b) => ({
        name: 'replace',
        args: { file_path: p, old_string: a, new_string: b, instruction: 'bench edit' },
      }),
      bash: (c) => ({ name: 'run_shell_command', args: { command: c, description: 'bench' } }),
      grep: (s) => ({ name: 'grep_search', args: { pattern: s } }),
      glob: (s) => ({ name: 'glob', args: { pattern: s } }),
    },
  },

  codex: {
    title: 'codex',
    flavour: 'responses',
    mainTool: 'exec_command',
    bin: (r) => [process.execPath, path.join(r, 'codex/node_modules/@openai/codex/bin/codex.js')],
    args: (prompt) => ['exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', prompt],
    env: (_base, home) => ({ CODEX_HOME: path.join(home, '.codex'), BENCH_KEY: 'sk-bench' }),
    setup: (base, home) =>
      write(
        home,
        '.codex/config.toml',
        `model = "gpt-5.5"\nmodel_provider = "bench"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[features]\nplugins = false\n[model_providers.bench]\nname = "bench"\nbase_url = "${base}/v1"\nenv_key = "BENCH_KEY"\nwire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n`,
      ),
    tools: {
      read: (p) => ({ name: 'exec_command', args: { cmd: `cat ${q(p)}` } }),
      edit: (p, a, b, ctx) => ({ name: 'apply_patch', custom: true, args: patch(p, a, b, ctx) }),
      bash: (c) => ({ name: 'exec_command', args: { cmd: c } }),
      grep: (s) => ({ name: 'exec_command', args: { cmd: `rg -l ${q(s)} .` } }),
      glob: (s) => ({ name: 'exec_command', args: { cmd: `rg --files -g ${q(s)}` } }),
    },
  },

  qwen: {
    title: 'qwen-code',
    flavour: 'chat',
    mainTool: 'agent',
    bin: (r) => [node22(r), path.join(r, 'qwen-latest/node_modules/@qwen-code/qwen-code/cli.js')],
    args: (prompt) => ['--yolo', '--auth-type', 'openai', '--model', 'fake-model', prompt],
    env: (base) => ({ OPENAI_API_KEY: 'sk-bench', OPENAI_BASE_URL: `${base}/v1`, OPENAI_MODEL: 'fake-model' }),
    setup: (_base, home) =>
      write(home, '.qwen/settings.json', {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      }),
    tools: {
      read: (p) => ({ name: 'read_file', args: { file_path: p } }),
      edit: (p, a, b) => ({ name: 'edit', args: { file_path: p, old_string: a, new_string: b } }),
      bash: (c) => ({ name: 'run_shell_command', args: { command: c, is_background: false, description: 'bench' } }),
      grep: (s) => ({ name: 'grep_search', args: { pattern: s } }),
      glob: (s) => ({ name: 'glob', args: { pattern: s } }),
    },
  },
};

// Variants: the same peer with one default turned off, to see what that default costs.
adapters['opencode-nosnap'] = {
  ...adapters.opencode,
  title: 'opencode, snapshot off',
  setup: (base, home) => {
    adapters.opencode.setup(base, home);
    const p = path.join(home, '.config/opencode/opencode.json');
    fs.writeFileSync(p, JSON.stringify({ ...JSON.parse(fs.readFileSync(p, 'utf8')), snapshot: false }, null, 2));
  },
};
adapters['claude-bare'] = {
  ...adapters.claude,
  title: 'Claude Code --bare',
  args: (prompt) => ['--bare', ...adapters.claude.args(prompt)],
};
adapters['codex-native'] = {
  ...adapters.codex,
  title: 'codex without the Node launcher',
  bin: (r) => [path.join(r, 'codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex')],
};
