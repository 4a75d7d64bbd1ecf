// Recognises commands that run Helve's own command line: it changes settings, trust, rules, servers and sessions,
// which no tool may change without a question. Such a command counts as a write to the settings file, which is
// protected.
import type { FoundAccess, FoundCommand } from './findings.js';

const RUNNERS = /^(node|nodejs|bun|bunx|deno|npx|npm|pnpm|pnpx|yarn|tsx|corepack|volta|mise|asdf|fnm|nvm)$/;
const OWN_NAME = /^(@[\w.-]+\/)?helve(@[^/]*)?(\.[cm]?[jt]s|\.exe|\.cmd)?$/i;
const OWN_PROGRAM =
  /\.[cm]?[jt]s$(?<=(?:^|\/)helve\/(?:dist|src|bin)\/.*\.[cm]?[jt]s|(?:^|\/)(?:dist|src)\/cli\/main\.[cm]?[jt]s)/;

// Read-only commands; for those with subcommands, which ones.
const READING: Readonly<Record<string, RegExp | undefined>> = {
  audit: /./,
  completion: /./,
  config: /^(list|get|path|keys|schema)$/,
  doctor: undefined,
  help: undefined,
  mcp: /^(list|get|doctor)$/,
  models: /./,
  permissions: /^(explain|check|test|list)$/,
  sessions: /^(list|show|search)$/,
  tools: undefined,
};

// Options by which a run grants itself permissions, or reads settings from elsewhere.
const LOOSENING =
  /^--(dangerously-skip-permissions|allow-dangerously-skip-permissions|permission-mode|allowed-?tools|settings|setting-sources|trust|mcp-config|add-dir|permission-prompt-tool)(=|$)/i;

/** The settings that commands of Helve's own command line may change. */
export function helveSettingsWrites(commands: readonly FoundCommand[], cwd: string): FoundAccess[] {
  return commands.flatMap(({ words, directories }, index): FoundAccess[] => {
    if (!changesOwnSettings(words.map(({ value }) => value))) return [];
    const [folder = cwd] = directories ?? [];
    const by = { command: index, as: 'operand' as const };
    return [{ access: 'write', path: `${folder}/.helve/settings.json`, text: '.helve/settings.json', by }];
  });
}

function changesOwnSettings(words: ReadonlyArray<string | undefined>): boolean {
  const at = ownPosition(words);
  if (at < 0) return false;
  const rest = words.slice(at + 1);
  if (rest.length === 0 || rest.every((word) => word !== undefined && /^(--version|-v|--help|-h|--)$/.test(word)))
    return false;
  const loosens = rest.some((word) => word === undefined || LOOSENING.test(word));
  const [command, ...more] = rest.filter((word) => word === undefined || !word.startsWith('-'));
  if (command !== undefined && command === rest[0] && Object.hasOwn(READING, command)) {
    const shown = READING[command];
    const [action] = more;
    return shown !== undefined && more.length > 0 && (action === undefined || !shown.test(action));
  }
  const isRun = rest.some((word) => word !== undefined && /^(-[a-z]*p|--print|call|demo)$/.test(word));
  return isRun ? loosens : true;
}

/** The index of Helve among the words; -1 if it is not run. */
function ownPosition(words: ReadonlyArray<string | undefined>): number {
  const isOwn = (word: string | undefined): boolean =>
    word !== undefined &&
    (OWN_NAME.test(word.startsWith('@') ? word : (word.split('/').at(-1) ?? '')) || OWN_PROGRAM.test(word));
  if (isOwn(words[0])) return 0;
  const runner = words[0]?.split('/').at(-1) ?? '';
  return RUNNERS.test(runner) ? words.findIndex((word, index) => index > 0 && isOwn(word)) : -1;
}
