// Tools that other parts of Helve call, offer or leave out by what they are for.

/** The tool by whose name rules speak of types of agents, whichever tool starts one. */
export const AGENT_TOOL = 'Task';

/** By whose name hosts and programs get the model's questions to the person. */
export const QUESTION_TOOL = 'AskUserQuestion';

/** Switches for an engine without a model: an agent of ours would have none to ask. */
export const withoutAgents = { Task: false, AgentOutput: false } as const;

/** By which a command that a person has written runs what it says, and reads what it names. */
export const ownCallTools = { shell: 'Bash', file: 'Read' } as const;

/** What the `simple` mode keeps. */
export const simpleToolNames = ['Bash', 'Read', 'Edit'] as const;
