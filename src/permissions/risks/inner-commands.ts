// The commands that a program runs for its caller and that the shell does not show: `npx PROGRAM`, `docker exec box
// PROGRAM`, `git submodule foreach SCRIPT`.
import { type CommandLine, lineOf, optionValues } from './command-line.js';
import { beginningOf } from './partial-match.js';
import { scriptCommands } from './script-words.js';

export interface InnerCommands {
  lines: readonly CommandLine[];
  /** The script, if the program does not run one by its nature: that it runs commands at all is worth saying. */
  script?: string;
}

const none: InnerCommands = { lines: [] };

export function innerCommands(line: CommandLine): InnerCommands {
  const { name, words } = line;
  const found = launchers.find(({ names, after }) => names.test(name) && (!after || after.test(words.join(' '))));
  if (found) return ofWords(found.inner(line));
  const scripts = (Object.hasOwn(scriptsOf, name) ? scriptsOf[name] : undefined)?.(line) ?? [];
  const script = scripts.filter((text) => text.trim() !== '').join('; ');
  return script === '' ? none : { lines: linesOf(script), script };
}

/**
 * What a command that begins with these words may run: the words of the program as far as they are among them, or
 * nothing if it runs no other program. No words stand for any program.
 */
export function innerPrefix(line: CommandLine): readonly string[] | undefined {
  const text = `${line.words.join(' ')} `;
  const found = launchers.find(
    ({ names, after }) =>
      names.test(line.name) && (!after || (after.source.startsWith('^') ? beginningOf(after) : after).test(text)),
  );
  if (found) return found.inner(line);
  const after = Object.hasOwn(scriptsAfter, line.name) ? scriptsAfter[line.name] : undefined;
  return after && beginningOf(after).test(text) ? [] : undefined;
}

/** The subcommands that can be given a script. */
const scriptsAfter: Readonly<Record<string, RegExp>> = { git: /^(submodule foreach|bisect run|rebase)\b/ };

const linesOf = (script: string): CommandLine[] => scriptCommands(script).flatMap((words) => lineOf(words) ?? []);

/** `sh -c SCRIPT` among them is the script. */
function ofWords(words: readonly string[]): InnerCommands {
  const line = lineOf(words);
  if (!line) return none;
  const [script] = /^(ba|z|da|k)?sh$/.test(line.name) ? optionValues(line, /^-[a-z]*c$/) : [];
  return { lines: script === undefined ? [line] : linesOf(script) };
}

interface Launcher {
  names: RegExp;
  /** What the words after the name must match. */
  after?: RegExp;
  inner(line: CommandLine): readonly string[];
}

/** From the first word that is no option. */
function program(words: readonly string[], valued = /^$/): readonly string[] {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return words.slice(index + 1);
    if (!word.startsWith('-')) return words.slice(index);
    if (valued.test(word)) index += 1;
  }
  return [];
}

/** From the word after a subcommand. */
const behind =
  (subcommand: RegExp, valued?: RegExp) =>
  ({ words }: CommandLine): readonly string[] =>
    program(words.slice(words.findIndex((word) => subcommand.test(word)) + 1), valued);

/** Where `@1.2.3` begins in `name@1.2.3` or `@scope/name@1.2.3`. */
function versionStart(name: string): number {
  const at = name.lastIndexOf('@');
  return at > 0 && !name.includes('/', at) ? at : name.length;
}

const withoutVersion = ([first = '', ...rest]: readonly string[]): readonly string[] => [
  first.slice(0, versionStart(first)),
  ...rest,
];

/** `python -m MODULE`, also as `-mMODULE` and `-Im MODULE`. */
function pythonModule({ words }: CommandLine): readonly string[] {
  const at = words.findIndex((word) => /^-[bBdEhiIOPqsSuvVx]*m/.test(word));
  const glued = words[at]?.replace(/^-[a-zA-Z]*?m/, '') ?? '';
  return [...(glued === '' ? [] : [glued]), ...words.slice(at + 1)];
}

/** `nvm exec 20 npm test`; the version may be left out. */
function versioned(line: CommandLine): readonly string[] {
  const words = behind(/^(exec|run)$/, /^--using$/)(line);
  return /^(v?\d|lts|node$|default$)/.test(words[0] ?? '') ? words.slice(1) : words;
}

function afterDashes({ words }: CommandLine): readonly string[] {
  const at = words.indexOf('--');
  return at < 0 ? program(words, /^(-[ef]|--env|--file)$/) : words.slice(at + 1);
}

const isNoSetting = (word: string): boolean => !/^\w+=/.test(word);

const CONTAINER_VALUED =
  /^(-[uwevpmhcl]|--(user|workdir|env|env-file|volume|publish|name|network|net|mount|entrypoint|memory|cpus|platform|index|label|hostname|add-host|pid|ipc|cap-add|device|file|project-name))$/;

const launchers: readonly Launcher[] = [
  {
    names: /^(npx|pnpx|bunx|uvx)$/,
    inner: ({ words }) => withoutVersion(program(words, /^(-p|--package|--from|--with|-w|--workspace|--python)$/)),
  },
  {
    names: /^(npm|pnpm|yarn|bun)$/,
    after: /^(exec|x|dlx)\b/,
    inner: (line) => withoutVersion(behind(/^(exec|x|dlx)$/, /^(-p|--package)$/)(line)),
  },
  { names: /^yarn$/, after: /^run\b/, inner: behind(/^run$/) },
  {
    names: /^(pipx|poetry|pdm|hatch|pipenv|conda|mamba|op|doppler|rye)$/,
    after: /^run\b/,
    inner: behind(/^run$/, /^(-n|-p|--name)$/),
  },
  { names: /^uv$/, after: /^(tool )?run\b/, inner: behind(/^run$/, /^(--with|--python|-p|--from|--project)$/) },
  {
    names: /^(bundle|bundler|rbenv|asdf|mise|volta|devbox)$/,
    after: /^(exec|run|x)\b/,
    inner: behind(/^(exec|run|x)$/),
  },
  { names: /^(python[\d.]*|pypy\d*)$/, after: /^(-[WX] \S+ |-\S+ )*-[bBdEhiIOPqsSuvVx]*m/, inner: pythonModule },
  { names: /^corepack$/, inner: ({ words }) => withoutVersion(program(words)) },
  { names: /^rustup$/, after: /^run\b/, inner: (line) => behind(/^run$/)(line).slice(1) },
  { names: /^(nvm|fnm|nodenv|pyenv)$/, after: /^(exec|run)\b/, inner: versioned },
  { names: /^direnv$/, after: /^exec\b/, inner: (line) => behind(/^exec$/)(line).slice(1) },
  { names: /^(aws-vault|chamber)$/, after: /^exec\b/, inner: afterDashes },
  { names: /^(dotenv|dotenvx|env-cmd|infisical)$/, inner: afterDashes },
  { names: /^(cross-env|cross-env-shell)$/, inner: ({ words }) => words.slice(words.findIndex(isNoSetting)) },
  {
    names:
      /^(xvfb-run|dbus-run-session|fakeroot|rlwrap|unbuffer|proxychains4?|torsocks|strace|ltrace|valgrind|firejail)$/,
    inner: ({ words }) => program(words, /^(-[eofplsnu]|--server-args)$/),
  },
  {
    names: /^(python[\d.]*|php|ruby|perl)$/,
    after: /^(\S*\/)?(manage\.py|setup\.py|artisan|rails|rake)( |$)/,
    inner: ({ words }) => words,
  },
  {
    names: /^(docker|podman|nerdctl|docker-compose)$/,
    after: /(^| )(exec|run)\b/,
    inner: (line) => behind(/^(exec|run)$/, CONTAINER_VALUED)(line).slice(1),
  },
  { names: /^(wsl|wsl\.exe)$/, inner: ({ words }) => program(words, /^(-d|-u|--user|--distribution|--cd)$/) },
];

type Scripts = (line: CommandLine) => readonly string[];

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

const awk: Scripts = ({ words }) =>
  words.flatMap((word) =>
    [...all(word, /\bsystem\s*\(\s*"((?:[^"\\]|\\.)*)"/g), ...all(word, /\|&?\s*"((?:[^"\\]|\\.)*)"/g)].map(unescaped),
  );

const editor: Scripts = (line) =>
  [...optionValues(line, /^(-c|--cmd)$/), ...line.words.flatMap((word) => all(word, /^\+(.+)$/gs))].flatMap((word) =>
    all(word, /^:?[\d,%.$]*!(.+)$/gs),
  );

const powershell: Scripts = ({ words }) => {
  const at = words.findIndex((word) => /^-(c|command)$/i.test(word));
  return at < 0 ? [] : [words.slice(at + 1).join(' ')];
};

const multiplexer: Scripts = ({ words }) => {
  const at = words.findIndex((word) =>
    /^(send-keys|send|new-session|new|new-window|neww|split-window|splitw|run-shell|run|respawn-pane|stuff)$/.test(
      word,
    ),
  );
  if (at < 0) return [];
  const typed = program(words.slice(at + 1), /^-[tsncFxye]$/).filter((word) => !/^(Enter|C-m|Return)$/.test(word));
  return [typed.join(' ')];
};

const debuggers: Scripts = (line) =>
  optionValues(line, /^(-ex|-iex|--eval-command|-o|-O)$/).flatMap((word) =>
    all(word, /^(?:shell|!|platform shell|make)\s*(.+)$/gs),
  );

const git: Scripts = (line) => {
  const { words } = line;
  const at = words.indexOf('foreach');
  if (words.includes('submodule') && at >= 0) return [program(words.slice(at + 1)).join(' ')];
  if (words.includes('bisect') && words.includes('run')) return [words.slice(words.indexOf('run') + 1).join(' ')];
  if (!words.includes('rebase')) return [];
  return optionValues(line, /^(-x|--exec)$/);
};

const scriptsOf: Readonly<Record<string, Scripts>> = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  vim: editor,
  vi: editor,
  nvim: editor,
  ex: editor,
  pwsh: powershell,
  powershell,
  'powershell.exe': powershell,
  tmux: multiplexer,
  screen: multiplexer,
  gdb: debuggers,
  lldb: debuggers,
  git,
  expect: (line) => optionValues(line, /^-c$/).flatMap((word) => all(word, /\b(?:spawn|exec|system)\s+([^;\n]+)/g)),
  osascript: (line) =>
    optionValues(line, /^-e$/).flatMap((word) => all(word, /do shell script "((?:[^"\\]|\\.)*)"/g).map(unescaped)),
  npx: (line) => optionValues(line, /^(-c|--call)$/),
  'nix-shell': (line) => optionValues(line, /^(--run|--command)$/),
  cmd: ({ words }) => (/^\/[ck]$/i.test(words[0] ?? '') ? [words.slice(1).join(' ')] : []),
};
