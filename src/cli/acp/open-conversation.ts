// Conversations for the host: each with the settings, rules and models of its own folder.
import { isEmptySession, projectOf } from '../../agent/store/list-sessions.js';
import type { Surface } from '../../agent/store/presence.js';
import { readSession } from '../../agent/store/read-session.js';
import { restoreSession } from '../../agent/store/restore-session.js';
import { isSessionId, sessionFolder } from '../../agent/store/session-folder.js';
import { noSuchSession, SessionProblem } from '../../agent/store/session-problem.js';
import { ModelFailure } from '../../contract/model.js';
import {
  type ConversationPorts,
  ConversationRefused,
  type HostedConversation,
  type OpenConversation,
  type SessionPlace,
} from '../../host/hosted-conversation.js';
import { dataFolderOf, folderNames, isInside, realPathSync } from '../../platform/files/paths.js';
import { WorktreeProblem } from '../../platform/worktrees/worktree-problem.js';
import { hasWorktrees } from '../../platform/worktrees/worktree-record.js';
import type { OpenedSession } from '../../terminal/session/opened-session.js';
import { type CliEngineOptions, engineOptions } from '../engine-options.js';
import { instructionsNotFollowed } from '../instructions-not-followed.js';
import { openSession } from '../interactive/open-session.js';
import { readCatalogue } from '../read-catalogue.js';
import { goalOf, type RunFlags } from '../run-flags.js';
import { modelChoices, readModels } from '../run-models.js';
import { UsageProblem } from '../usage-problem.js';
import type { RunWorktree, WantedWorktree } from '../worktree/session-worktree.js';

export interface ConversationOpener {
  open: OpenConversation;
  /** Rejects with `ConversationRefused` if no model is set up. `root`: default the current folder. */
  checkModel(root?: string): Promise<void>;
}

export interface OpenerOptions {
  surface: Surface;
  /** See `FullEngineOptions`. */
  whenRecorded?: () => Promise<void>;
  /** Managed settings beside those of the machine, as JSON. */
  policy?: string | undefined;
  /** Default: those of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  home?: string;
}

export function conversationOpener(
  flags: RunFlags,
  { surface, whenRecorded, ...own }: OpenerOptions,
): ConversationOpener {
  return {
    open: async (place, ports) => {
      try {
        if (place.resume !== undefined) assertSessionOf(place, place.resume);
        const wanted = surface === 'background' ? await worktreeFor(flags, place) : undefined;
        const at = wanted ? { ...place, root: wanted.project } : place;
        const base = {
          ...(await optionsFor(flags, at, own)),
          surface,
          waitsFor: place.waitsFor,
          ...(whenRecorded && { whenRecorded }),
        };
        const worktree = wanted && (await openWorktreeOf(wanted, base, ports));
        const options: CliEngineOptions = { ...base, ...(worktree && { worktree: worktree.place }) };
        const isStored = place.resume !== undefined || hasConversation(place.id);
        const request = {
          ...(isStored && { resume: place.resume ?? place.id }),
          ...(place.mode && { mode: place.mode }),
          ...(place.model !== undefined && { model: place.model }),
          ...(place.reopens && { reopens: true }),
          ...(flags.goal && !(surface === 'acp' && isStored) && { goal: goalOf(flags, undefined) }),
        };
        const given = { ...flags, sessionId: isStored ? undefined : place.id };
        const past = isStored ? pastOf(request.resume ?? '', place.reopens) : undefined;
        let opened: OpenedSession | undefined;
        try {
          opened = await openSession(given, options, request, ports);
          return hosted(opened, { flags, options, past, choices: await choicesFor(options, opened), worktree });
        } catch (error) {
          await opened?.close();
          await (worktree?.isReopened === false ? worktree.finish('keep') : worktree?.leave());
          throw error;
        }
      } catch (error) {
        throw asRefusal(error);
      }
    },
    async checkModel(root) {
      try {
        const at = root === undefined ? own : { ...own, root };
        const options = await engineOptions(flags.engine, { asksForTrust: true, ...at });
        await readModels(flags, options, await readCatalogue(options.env));
      } catch (error) {
        throw asRefusal(error);
      }
    },
  };
}

/** The worktree that a new session is for, or that a session has worked in before. */
async function worktreeFor(
  { worktree, worktreeEnd }: RunFlags,
  { root, id, resume }: SessionPlace,
): Promise<WantedWorktree | undefined> {
  const dataFolder = dataFolderOf();
  if (worktree === undefined && !hasWorktrees(dataFolder)) return undefined;
  const { worktreeAt } = await import('../worktree/session-worktree.js');
  const before = worktreeAt(resume ?? id ?? '', root, realPathSync(dataFolder));
  if (before || worktree === undefined || resume !== undefined) return before;
  return { project: root, ...(worktree !== '' && { name: worktree }), end: worktreeEnd };
}

async function openWorktreeOf(
  wanted: WantedWorktree,
  options: CliEngineOptions,
  { tell }: Pick<ConversationPorts, 'tell'>,
): Promise<RunWorktree> {
  const { openRunWorktree } = await import('../worktree/session-worktree.js');
  try {
    return await openRunWorktree(wanted, options, (sentences) => {
      for (const sentence of sentences) tell(capitalized(sentence));
    });
  } catch (error) {
    if (!(error instanceof WorktreeProblem)) throw error;
    throw new ConversationRefused('settings', error.message, { cause: error });
  }
}

const capitalized = (sentence: string): string => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;

async function optionsFor(
  flags: RunFlags,
  place: SessionPlace,
  own: Pick<OpenerOptions, 'env' | 'home' | 'policy'>,
): Promise<CliEngineOptions> {
  const ours = folderNames(dataFolderOf(own));
  if (folderNames(place.root).some((root) => ours.some((folder) => isInside(folder, root)))) {
    throw new ConversationRefused(
      'settings',
      `${place.root} is in Helve's data folder, which no tool may touch. If it is a git worktree, start "helve" there in a terminal, or work in the folder of the project.`,
    );
  }
  const options = await engineOptions(flags.engine, { asksForTrust: true, root: place.root, ...own });
  return {
    ...options,
    interactive: true,
    additionalDirectories: [...(options.additionalDirectories ?? []), ...(place.additionalDirectories ?? [])],
    mcpServers: { ...options.mcpServers, ...place.mcpServers },
  };
}

/** The id must be exact, and the session one of this folder: its calls would run there, under other rules. */
function assertSessionOf({ root }: SessionPlace, id: string): void {
  const project = isSessionId(id) ? projectOf(dataFolderOf(), id) : undefined;
  if (project === undefined) throw noSuchSession(id.slice(0, 80));
  if (project === root) return;
  throw new ConversationRefused(
    'settings',
    `The session ${id} belongs to ${project} and uses its settings and rules, not those of ${root}. Send that folder as "cwd".`,
  );
}

/** False for a session that had no prompt. */
const hasConversation = (id: string | undefined): boolean =>
  id !== undefined &&
  isSessionId(id) &&
  projectOf(dataFolderOf(), id) !== undefined &&
  !isEmptySession(sessionFolder(dataFolderOf(), id));

/** All that was said, also what a summary has replaced. */
const pastOf = (id: string, reopen = false) =>
  restoreSession(readSession(sessionFolder(dataFolderOf(), id)), { whole: true, reopen });

interface HostedParts {
  flags: RunFlags;
  options: CliEngineOptions;
  past: ReturnType<typeof pastOf> | undefined;
  choices: ReturnType<HostedConversation['model']['choices']>;
  worktree: RunWorktree | undefined;
}

function hosted(opened: OpenedSession, { flags, options, past, choices, worktree }: HostedParts): HostedConversation {
  const { agent, settings, env, effort } = opened;
  if (!agent) throw new ConversationRefused('no_model', opened.withoutModel ?? 'No model is set up.');
  const dataFolder = dataFolderOf({ env });
  return {
    agent,
    past,
    spentUsd: opened.spent ? opened.spent.costUsd : 0,
    title: past?.title ?? '',
    left: past && { promptIds: past.promptIds, isUnfinished: past.isUnfinished },
    answerLimitMs: options.surface === 'background' ? answerLimitOf(options) : undefined,
    begin: () => opened.begin(),
    model: {
      get current() {
        return opened.model ?? '';
      },
      choices: () => choices,
      choose: async (name) => void (await opened.chooseModel(name)),
    },
    effort,
    refuseMode: (mode) => opened.refuseMode(mode),
    pendingTrust() {
      const { trust: report } = settings.current;
      const instructions = instructionsNotFollowed(flags, options).map(({ shown }) => shown);
      return report.pending.length > 0 || instructions.length > 0 ? { report, instructions } : undefined;
    },
    async trust() {
      const { trust } = settings.current;
      const { followInstructions, trustFolder } = await import('../../settings/trust.js');
      if (trust.pending.length > 0) await trustFolder(trust.folder, trust.covered, { dataFolder });
      else await followInstructions(trust.folder, { dataFolder });
    },
    worktree: worktree?.place,
    async close(why) {
      await opened.close();
      const ends = why === 'stopped' || (why === 'rested' && worktree?.end === 'merge');
      if (!worktree) return [];
      if (ends) return (await worktree.finish()).map(capitalized);
      await worktree.leave();
      return [];
    },
  };
}

const DEFAULT_ANSWER_MINUTES = 24 * 60;

const answerLimitOf = ({ settings }: CliEngineOptions): number =>
  (settings.current.answerMinutes?.value ?? DEFAULT_ANSWER_MINUTES) * 60_000;

/** Known models of providers that are set up. Servers on this machine are not asked: that would delay each session. */
async function choicesFor({ env }: CliEngineOptions, { model }: OpenedSession): Promise<HostedParts['choices']> {
  const [provider = '', ...rest] = (model ?? '').split('/');
  const choices = modelChoices(await readCatalogue(env), env, { provider, name: rest.join('/') });
  return choices
    .filter(({ value }) => value !== 'default')
    .map(({ value, displayName: name, description }) => ({ value, name, description }));
}

function asRefusal(error: unknown): unknown {
  if (error instanceof ModelFailure) return new ConversationRefused('no_model', error.message, { cause: error });
  if (error instanceof SessionProblem) return new ConversationRefused('session', error.message, { cause: error });
  if (error instanceof UsageProblem) return new ConversationRefused('settings', error.message, { cause: error });
  return error;
}
