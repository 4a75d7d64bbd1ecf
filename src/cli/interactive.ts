import { existsSync } from 'node:fs';
import type { OpenElsewhere } from '../agent/store/open-elsewhere.js';
import type { Goal } from '../contract/goal.js';
import type { SessionWorktree } from '../contract/worktree.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { pluginFolders } from '../plugins/plugin-folders.js';
import { goalOf, type RunFlags, readRunFlags } from './run-flags.js';
import { UsageProblem } from './usage-problem.js';
import type { WantedWorktree } from './worktree/session-worktree.js';
import { worktreeOf } from './worktree-of.js';

/** A conversation at the terminal. Its code is loaded after the first frame. */
export async function interactive(argv: readonly string[], version: string): Promise<number> {
  const flags = readRunFlags(argv, { isInteractive: true });
  const words = flags.words.length === 0 ? undefined : flags.words.join(' ');
  const goal = goalOf(flags, words);
  const prompt = words ?? goal?.text;
  const [unfit] = withoutEffectHere(flags);
  if (unfit !== undefined) throw new UsageProblem(`${unfit} works only with -p. Add -p and the prompt.`);
  const wanted = await worktreeOf(flags);
  if (wanted) return await inWorktree(wanted, { flags, prompt, goal, version });
  const used = await openElsewhere(flags);
  if (flags.model !== undefined) {
    await (await import('./interactive/refuse-unknown-model.js')).refuseUnknownModel(flags.model, process.env);
  }
  await askAboutPlugins(flags);
  return await converse({ flags, prompt, goal, version, used });
}

interface Conversation {
  flags: RunFlags;
  prompt: string | undefined;
  goal: Goal | undefined;
  version: string;
  /** The session to resume, if another process uses it. */
  used: OpenElsewhere | undefined;
  /** The project of the worktree. */
  project?: string;
  worktree?: SessionWorktree;
}

/** The conversation in a worktree, which is merged, kept or removed after it. */
async function inWorktree(wanted: WantedWorktree, given: Omit<Conversation, 'used'>): Promise<number> {
  const { flags } = given;
  const options = await optionsOf(flags, wanted.project);
  const { openRunWorktree } = await import('./worktree/session-worktree.js');
  const opened = await openRunWorktree(wanted, options);
  let asks = false;
  try {
    const used = await openElsewhere(flags, opened.place.root);
    await askAboutPlugins(flags);
    const code = await converse({ ...given, used, project: wanted.project, worktree: opened.place });
    asks = code === 0 && flags.worktreeEnd === undefined;
    return code;
  } finally {
    const { endAtTerminal } = await import('./worktree/ask-end.js');
    await endAtTerminal(opened, { asks, end: flags.worktreeEnd });
  }
}

async function openElsewhere({ resume, fork }: RunFlags, root?: string): Promise<OpenElsewhere | undefined> {
  if (resume === undefined) return undefined;
  const { findOpenElsewhere } = await import('./sessions/resume.js');
  return await findOpenElsewhere({ resume, fork }, process.env, root);
}

async function converse(given: Conversation): Promise<number> {
  const { flags, prompt, version, used, project, worktree } = given;
  let attachTo: string | undefined;
  let { setup } = flags;
  let { goal } = given;
  // A wrong option is reported before anything is drawn; without options there is nothing to check.
  let checked = Object.values(flags.engine).some((value) => value !== undefined)
    ? await optionsOf(flags, project)
    : undefined;
  const { startTerminal } = await import('../terminal/start-terminal.js');
  const code = await startTerminal({
    version,
    prompt,
    root: worktree?.root ?? process.cwd(),
    env: process.env,
    isPlain: flags.screenReader,
    first: { resume: flags.resume, picks: flags.picksSession, fork: flags.fork, openElsewhere: used },
    attach(id) {
      attachTo = id;
    },
    async open(ports) {
      const { openSession } = await import('./interactive/open-session.js');
      const options = { ...(checked ?? (await optionsOf(flags, project))), ...(worktree && { worktree }) };
      checked = undefined; // settings may have changed by the time of another start
      const { instructionsNotFollowed } = await import('./instructions-not-followed.js');
      return {
        settings: options.settings,
        notFollowed: instructionsNotFollowed(flags, options),
        async openSession(request) {
          const opened = await openSession({ ...flags, setup }, options, { ...request, goal }, ports);
          setup = undefined; // only for the first session, not after /clear
          goal = undefined;
          return opened;
        },
      };
    },
  });
  return attachTo === undefined ? code : await (await import('./attach.js')).attach([attachTo]);
}

async function optionsOf(flags: RunFlags, project?: string) {
  const { interactiveOptions } = await import('./interactive/open-session.js');
  return await interactiveOptions(flags, project);
}

/** Before the interface takes over the terminal: plugins that are new or changed need an answer. */
async function askAboutPlugins({ engine }: RunFlags): Promise<void> {
  const folders = engine['plugin-dir'] ?? [];
  if (folders.length === 0 && !existsSync(pluginFolders(dataFolderOf()).file)) return;
  if (folders.length > 0) (await import('./engine-options.js')).refuseMissingFolders(folders);
  const { approveHeld } = await import('./plugin/approve-held.js');
  await approveHeld({ folders, settings: engine.settings, trust: engine.trust });
}

/** Flags that have no effect at a terminal. */
function withoutEffectHere({ jsonSchema, format, permissionTool, quiet }: RunFlags): string[] {
  return [
    ...(jsonSchema === undefined ? [] : ['--json-schema']),
    ...(format === 'text' ? [] : ['--output-format']),
    ...(quiet ? ['--quiet'] : []),
    ...(permissionTool === undefined ? [] : ['--permission-prompt-tool']),
  ];
}
