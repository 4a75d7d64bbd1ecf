// One call of a server's tool: its answer, or a task, which is waited for and goes to the background if it takes long.
import type { ToolContext } from '../../contract/tool-context.js';
import { MAX_TIMER_MS } from '../../platform/clock.js';
import { isObject } from '../../platform/is-object.js';
import { shortDuration } from '../../platform/text/duration.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import { type AnsweredCall, answeredCall } from './answered-call.js';
import type { Connection } from './connection.js';
import { createdTask, isTaskAnswer, RemoteTask, type ServerAnswer, type TaskAccess } from './remote-task.js';
import type { ServerTaskList } from './server-task-list.js';

const MAX_WORDS = 2_000;

/** What a server says for the model while its task runs, instead of a result (2025-11-25). */
const IMMEDIATE = 'io.modelcontextprotocol/model-immediate-response';

export interface CallHost {
  server: string;
  connection: Connection;
  /** How to reach the server about a task, also after a person has connected to it again. */
  access(): TaskAccess;
  /** The tasks of the session. */
  tasks: ServerTaskList | undefined;
}

export interface ServerCall {
  host: CallHost;
  /** The server's name for the tool. */
  tool: string;
  /** The call in a few words. */
  title: string;
  input: unknown;
  maxChars: number;
  context: Pick<ToolContext, 'callId' | 'session' | 'signal'>;
  onProgress(text: string): void;
}

/** A call that continues as a task in the background. */
export interface LeftInBackground {
  backgroundId: string;
  isServerTask: true;
  /** For the model. */
  note: string;
}

export async function callServer(call: ServerCall): Promise<AnsweredCall | LeftInBackground> {
  const { host, tool, input, context, maxChars, onProgress } = call;
  const { server, connection } = host;
  const { signal, session } = context;
  const tasks = session.serverTasks && host.tasks; // a child agent waits: it ends with its answer
  const answer = await connection.call(tool, input, { inBackground: tasks !== undefined, signal, onProgress });
  const answered = async (given: ServerAnswer) => await answeredCall(given, { server, session, maxChars });
  if (!isTaskAnswer(answer)) return await answered(answer);
  const { access } = host;
  const remote = new RemoteTask({ ...createdTask(answer, server), server, access, onReport: onProgress });
  const left = await inForeground(remote, answer, { ...call, tasks });
  if (left) return left;
  const end = await remote.finished;
  signal.throwIfAborted();
  if (end.how !== 'done') throw end.failure;
  return await answered(end.answer);
}

/** Waits until the task has ended, or goes to the background. */
async function inForeground(
  remote: RemoteTask,
  answer: ServerAnswer,
  { host, tool, title, context, maxChars, tasks }: ServerCall & { tasks: ServerTaskList | undefined },
): Promise<LeftInBackground | undefined> {
  const { signal, session, callId } = context;
  const { server } = host;
  const cancel = (): void => void remote.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const task = tasks?.add(remote, { server, tool, callId, title, maxChars });
  const moved = Promise.withResolvers<string>();
  const move = (why: string): boolean => {
    if (!tasks?.hasRoom) return false;
    moved.resolve(why);
    return true;
  };
  const said = immediateWords(answer);
  const waitMs = Math.min(tasks?.waitMs ?? 0, MAX_TIMER_MS);
  const isLong = said !== undefined || remote.pollMs > waitMs; // it would not be seen to end within the wait
  const timer = task && setTimeout(move, isLong ? 0 : waitMs, isLong ? 'at once' : `after ${shortDuration(waitMs)}`);
  const forget = task && session.whileInForeground?.(() => move('by the user'), callId);
  try {
    const why = await Promise.race([remote.finished.then(() => undefined), moved.promise]);
    if (why === undefined || !task || !tasks) return undefined;
    tasks.toBackground(task);
    const words = said === undefined ? '' : ` The server says meanwhile: ${plainText(said, MAX_WORDS)}`;
    const note = `The MCP server ${plainLine(server, 40)} works on this call as a task, which was moved to the background ${why} with ID: ${task.id}. It is ${task.state}. You are notified when it ends; AgentOutput gives its result, KillShell cancels it. Do not repeat the call.${words}`;
    return { backgroundId: task.id, isServerTask: true, note };
  } finally {
    signal.removeEventListener('abort', cancel);
    clearTimeout(timer);
    forget?.();
    if (task && !task.isInBackground) tasks?.finishedWithCall(task);
  }
}

function immediateWords({ _meta: meta }: ServerAnswer): string | undefined {
  const words = isObject(meta) ? meta[IMMEDIATE] : undefined;
  return typeof words === 'string' && words.trim() !== '' ? words : undefined;
}
