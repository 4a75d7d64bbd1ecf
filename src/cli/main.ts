import { movedSpareData } from '../agent/store/moved-spare-data.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { hideInitialSecrets } from '../platform/hide-initial-secrets.js';
import { visible } from '../platform/text/visible.js';
import { exitCode } from './exit-codes.js';
import { shownError } from './shown-error.js';
import { SetupProblem, UsageProblem } from './usage-problem.js';

type Command = (argv: readonly string[]) => Promise<number>;

/** Loaded on demand, so that no command pays for another. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  acp: async () => (await import('./acp.js')).acp,
  attach: async () => (await import('./attach.js')).attach,
  audit: async () => (await import('./audit.js')).audit,
  auth: async () => (await import('./auth.js')).auth,
  bg: async () => (await import('./bg.js')).bg,
  call: async () => (await import('./call.js')).call,
  completion: async () => (await import('./completion.js')).completion,
  config: async () => (await import('./config.js')).config,
  demo: async () => (await import('./demo.js')).demo,
  doctor: async () => (await import('./doctor.js')).doctor,
  fleet: async () => (await import('./fleet.js')).fleet,
  host: async () => (await import('./host.js')).host,
  login: async () => (await import('./login.js')).login,
  logout: async () => (await import('./logout.js')).logout,
  logs: async () => (await import('./logs.js')).logs,
  mcp: async () => (await import('./mcp.js')).mcp,
  models: async () => (await import('./models.js')).models,
  permissions: async () => (await import('./permissions.js')).permissions,
  plugin: async () => (await import('./plugin.js')).plugin,
  ps: async () => (await import('./ps.js')).ps,
  replay: async () => (await import('./replay.js')).replay,
  schedule: async () => (await import('./schedule.js')).schedule,
  serve: async () => (await import('./serve.js')).serve,
  sessions: async () => (await import('./sessions.js')).sessions,
  stop: async () => (await import('./stop.js')).stop,
  tools: async () => (await import('./tools.js')).tools,
  undo: async () => (await import('./undo.js')).undo,
  worker: async () => (await import('./worker.js')).worker,
  worktree: async () => (await import('./worktree.js')).worktree,
};

declare const HELVE_VERSION: string; // defined by the build

export async function main(argv: readonly string[]): Promise<void> {
  hideInitialSecrets(); // before starting anything that could read them from /proc
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return; // the reader has closed the pipe, as `head` does, which ends the work
    process.stderr.write(`helve: the output could not be written (${error.message}).\n`);
    process.exit(exitCode.failed);
  });
  process.stderr.on('error', () => {}); // stderr is closed; the work continues without it
  reportWarnings();
  // The event loop is empty while a result is still pending: that must not look like success.
  const onUnfinished = (): void => {
    process.stderr.write(
      'helve: stopped without a result, since nothing was left to wait for. This is a bug in Helve; run again with --debug to see where.\n',
    );
    process.exit(exitCode.failed);
  };
  process.once('beforeExit', onUnfinished);
  const code = await run(argv);
  process.off('beforeExit', onUnfinished);
  process.exitCode = code;
}

/** Replaces Node's own listener: the user gets the warnings that are meant for users, the debug log the others. */
function reportWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => {
    if (name === 'HelveWarning') process.stderr.write(`helve: ${visible(message)}\n`);
    else if (process.env['HELVE_DEBUG']) process.stderr.write(`helve: ${visible(stack ?? message)}\n`);
  });
}

async function run(argv: readonly string[]): Promise<number> {
  try {
    const [first = '', ...rest] = argv;
    if (first === '--version' || first === '-v') return print(`helve ${HELVE_VERSION}`);
    if (first === 'help') return print(await helpFor(rest[0]));
    if (asksForHelp(argv)) return print(await helpFor(first));
    if (first !== 'completion') await moveSpareData();
    if (first === '') return isAtTerminal() ? await interactive(argv) : await withoutArguments();
    const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
    if (command) return await (await command())(rest);
    if (runsInBackground(argv)) {
      return await (await import('./bg.js')).bg(argv);
    }
    if (first.startsWith('-') || runsAlone(argv)) {
      if (isAtTerminal() && !runsAlone(argv)) return await interactive(argv);
      return await (await import('./headless.js')).headless(argv, HELVE_VERSION);
    }
    const { isPrompt, meantCommand } = await import('./unknown-command.js');
    if (!isAtTerminal()) {
      if (!isPrompt(argv, Object.keys(commands))) throw new UsageProblem(await unknownCommand(first));
      throw new UsageProblem(`${needsTerminal()} To send a prompt without one, use helve -p "…".`);
    }
    const meant = meantCommand(argv, Object.keys(commands));
    if (meant !== undefined) throw new UsageProblem(meant);
    return await interactive(argv);
  } catch (error) {
    if (error instanceof UsageProblem) {
      const page = error instanceof SetupProblem ? '' : `\nSee helve ${pageNameFor(argv)}--help.`;
      await fail(`helve: ${error.message}${page}`);
      return exitCode.usage;
    }
    await fail(`helve: ${await shownError(error)}`);
    return exitCode.failed;
  }
}

async function fail(text: string): Promise<void> {
  const { wrapped } = await import('./write-line.js');
  process.stderr.write(`${wrapped(visible(text), process.stderr)}\n`);
}

/** Before anything reads the data folder: moves what an earlier session could not write to it. */
async function moveSpareData(): Promise<void> {
  for (const sentence of await movedSpareData(dataFolderOf())) process.stderr.write(`helve: ${visible(sentence)}\n`);
}

/** Anywhere among the options, but not after `--`, where a prompt may contain anything. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).some((word) => word === '--help' || word === '-h');
}

/** The page of a command, or the main page if none is named. */
async function helpFor(word = ''): Promise<string> {
  if (word === '' || /^(?:-h|--help)$/.test(word)) return (await import('./help.js')).help;
  const { helpPages } = await import('./help/pages.js');
  const name = word === '--bg' || word === '--background' ? 'bg' : word.startsWith('-') ? '-p' : word;
  const page = Object.hasOwn(helpPages, name) ? helpPages[name] : undefined;
  if (page === undefined) throw new UsageProblem(await unknownCommand(word));
  return page;
}

/** The page with more about an error. */
function pageNameFor(argv: readonly string[]): string {
  const [first = '', second] = argv;
  if (runsInBackground(argv)) return 'bg ';
  if (first.startsWith('-')) return runsAlone(argv) ? '-p ' : '';
  const name = first === 'help' ? second : first;
  return name !== undefined && Object.hasOwn(commands, name) ? `${name} ` : '';
}

const isAtTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Why there is no conversation here. */
const needsTerminal = (): string =>
  `A conversation needs a terminal, but standard ${process.stdin.isTTY ? 'output' : 'input'} is not one.`;

/** Whether an option means a run without a user. */
const runsAlone = (argv: readonly string[]): boolean =>
  optionsIn(argv).some((word) => /^(?:-[a-z]*p|--print|--(?:input|output)-format(?:=.*)?)$/.test(word));

const runsInBackground = (argv: readonly string[]): boolean =>
  optionsIn(argv).some((word) => word === '--bg' || word === '--background');

function optionsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end);
}

async function interactive(argv: readonly string[]): Promise<number> {
  return await (await import('./interactive.js')).interactive(argv, HELVE_VERSION);
}

async function withoutArguments(): Promise<number> {
  const { hasPipedInput } = await import('./headless/read-piped.js');
  if (await hasPipedInput()) {
    throw new UsageProblem(
      `${needsTerminal()} To send the input as a prompt, use helve -p. To see the demo, use helve demo.`,
    );
  }
  const { demo } = await import('./demo.js');
  return await demo([]);
}

async function unknownCommand(word: string): Promise<string> {
  return (await import('./unknown-command.js')).unknownCommand(word, Object.keys(commands));
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitCode.ok;
}
