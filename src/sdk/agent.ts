import { createAgent as createFullAgent } from '../compose/create-agent.js';
import type { Agent } from '../contract/agent.js';
import type { AgentOptions } from '../contract/options.js';
import { checkAgentOptions, checkResumeOptions } from './check-options.js';
import { agentOptions } from './program-options.js';

/** Creates an agent. Nothing is loaded, read or written before its first prompt. */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options);
  return createFullAgent(agentOptions(options));
}

/** Which session to resume. */
export interface ResumeOptions extends AgentOptions {
  /** Its id, the beginning of one, or `last` for the latest of the project. */
  session: string;
  /** Continue in a copy under a new id, and leave the session as it is. Possible also while it is in use. */
  fork?: boolean;
  /** With `fork`: leaves out everything from this prompt on, counted from 0. */
  beforePrompt?: number;
}

/**
 * Resumes a conversation that was kept, with its history and what the model has seen of files. Rejects if there is no such
 * session, if another process has it, and if it belongs to another project.
 */
export async function resumeAgent(given: ResumeOptions): Promise<Agent> {
  checkResumeOptions(given);
  const { session, fork = false, beforePrompt, ...options } = given;
  checkAgentOptions(options);
  if (typeof session !== 'string') {
    throw new TypeError(
      'resumeAgent needs a session: its id, the beginning of one, or "last". listSessions() has them.',
    );
  }
  const { openStoredSession } = await import('./stored-sessions.js');
  const full = agentOptions(options);
  const { root, dataFolder, env, home } = full;
  const { model, permissionMode: mode, onStoreProblem: onProblem } = options;
  const place = { root, dataFolder, env, home };
  const resumed = await openStoredSession({ session, fork, beforePrompt, model, mode, onProblem, ...place });
  return createFullAgent({ ...full, resumed });
}
