// Schedules as work of the host. They run with what the host has: its environment without keys, so that keys are those
// that are stored. A time is taken only when its prompt can start; until then the schedule says why it waits.
import { nextOf, noteSchedule, readSchedules, type Schedule, takeDue } from '../../agent/schedule/schedules.js';
import { listPresence } from '../../agent/store/presence.js';
import type { DueWork, HandedPrompt } from '../../host/background-host.js';
import type { Caller } from '../../host/hosted-conversation.js';
import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import { conversationOpener } from '../acp/open-conversation.js';
import { readArgs, withOpenValues } from '../args.js';
import { readRunFlags } from '../run-flags.js';
import { SHORT_CHARS } from './background-sessions.js';
import { environmentOfHost } from './connect-host.js';
import { sessionArgv, sessionFlags } from './session-argv.js';

const RETRY_MS = 30_000;

export function dueSchedules(dataFolder: string, tell: (sentence: string) => void): DueWork {
  const env = { ...environmentOfHost(process.env), HELVE_HOME: dataFolder };
  const heldUntil = new Map<string, number>();
  const ids = new Map<string, string>(); // of schedules, by the prompts that were handed out
  let unreadable = '';

  const schedules = (): Schedule[] => {
    try {
      const read = readSchedules(dataFolder);
      unreadable = '';
      return read;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== unreadable) tell(problem);
      unreadable = problem;
      return [];
    }
  };

  /** Why the prompt can't start now; undefined if it can. */
  const obstacleOf = async (one: Schedule): Promise<string | undefined> => {
    const running = await sessionOf(one, dataFolder);
    if (running) {
      const does = running.state === 'waiting' ? 'waits for an answer' : 'still runs';
      return `The session ${running.id.slice(0, SHORT_CHARS)} of an earlier time ${does}. This time runs after it.`;
    }
    try {
      await scheduledOpener(one, env).checkModel(one.root);
      return undefined;
    } catch (error) {
      return `${messageOf(error)} ${whereKeysAre}`;
    }
  };

  return {
    nextAt() {
      const now = new Date();
      const times = schedules().flatMap((one) => {
        const next = nextOf(one, now)?.getTime();
        return next === undefined ? [] : [Math.max(next, heldUntil.get(one.id) ?? 0)];
      });
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async take(now) {
      const at = new Date(now);
      const sessions = new Map<string, string>();
      for (const one of schedules()) {
        const next = nextOf(one, at);
        if (!next || next > at) continue;
        const held = await obstacleOf(one);
        if (held === undefined) {
          sessions.set(one.id, randomId());
          heldUntil.delete(one.id);
          continue;
        }
        heldUntil.set(one.id, now + RETRY_MS);
        if (one.held === held) continue;
        tell(`The schedule ${one.id} waits. ${held}`);
        await noteSchedule(dataFolder, one.id, { held });
      }
      const prompts: HandedPrompt[] = [];
      if (sessions.size === 0) return prompts;
      for (let due = await takeDue(dataFolder, at, sessions); due; due = await takeDue(dataFolder, at, sessions)) {
        const { schedule: one } = due;
        const promptId = `schedule:${one.id}:${one.taken}`;
        ids.set(promptId, one.id);
        prompts.push({
          sessionId: sessions.get(one.id) ?? randomId(),
          promptId,
          content: [{ type: 'text', text: one.prompt }],
          place: { root: one.root, caller: callerOf(one, env) },
        });
      }
      return prompts;
    },
    async started({ promptId, sessionId }, problem) {
      const id = ids.get(promptId);
      ids.delete(promptId);
      if (id === undefined) return;
      const last: Schedule['last'] =
        problem === undefined
          ? { outcome: 'started', session: sessionId }
          : { outcome: 'failed', session: sessionId, problem };
      await noteSchedule(dataFolder, id, { last });
    },
  };
}

export const whereKeysAre =
  'The host process runs schedules with stored keys and sign-ins only: /key or helve login stores one. What a schedule needs from an environment runs with helve schedule run.';

/** Throws if no model can be used with what the host has, or an option is one of helve -p alone. */
export async function checkForHost(
  one: Pick<Schedule, 'options' | 'prompt' | 'root'>,
  dataFolder: string,
): Promise<void> {
  await scheduledOpener(one, { ...environmentOfHost(process.env), HELVE_HOME: dataFolder }).checkModel(one.root);
}

function scheduledOpener(one: Pick<Schedule, 'options' | 'prompt' | 'root'>, env: Caller['env']) {
  const home = env['HOME'];
  const flags = readRunFlags(callerOf(one, env).argv, { isInteractive: true });
  return conversationOpener(flags, { surface: 'background', env, ...(home?.startsWith('/') && { home }) });
}

/** Throws for an option that background sessions do not have: without it, the prompt would not run as it was meant to. */
function callerOf(
  { options, prompt, root }: Pick<Schedule, 'options' | 'prompt' | 'root'>,
  env: Caller['env'],
): Caller {
  const { values } = readArgs(withOpenValues(options), sessionFlags);
  const goal = values.goal ?? (values.until === undefined ? undefined : prompt);
  return { env, argv: sessionArgv({ ...values, ...(goal !== undefined && { goal }) }, root) };
}

async function sessionOf({ last }: Schedule, dataFolder: string) {
  if (last?.session === undefined) return undefined;
  const found = (await listPresence(dataFolder)).find(({ id }) => id === last.session);
  return found?.isLive && (found.state === 'running' || found.state === 'waiting') ? found : undefined;
}
