// The agent inside Helve: that of programs, and what the command line and the terminal use in addition.
import type { AgentType } from '../agent/children/agent-types.js';
import type { Session } from '../agent/session.js';
import type { Agent } from '../contract/agent.js';
import type { FullEngine } from './engine.js';

export interface FullAgent extends Agent {
  readonly session: Session;
  readonly engine: FullEngine;
  /** The types of child agents that can be started. */
  agentTypes(): Promise<readonly AgentType[]>;
}
