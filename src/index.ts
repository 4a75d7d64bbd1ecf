export type { CompactionRefused } from './agent/context/compact.js';
export type { ContextOptions } from './agent/context/context-limits.js';
export type { ContextUsage } from './agent/context/conversation-context.js';
export type { Session } from './agent/session.js';
export {
  type StructuredAnswer,
  type StructuredOutput,
  type StructuredOutputOptions,
  structuredOutput,
} from './agent/structured-output.js';
export type { ToolCall } from './calls/assemble.js';
export type { CallEnvironment } from './calls/environment.js';
export type { AgentReport, AgentRequest, ChildAgents, StartedAgent } from './contract/agents.js';
export type { ListedCommand } from './contract/command.js';
export type * from './contract/effect.js';
export type * from './contract/event.js';
export { type FailureKind, ToolFailure } from './contract/failure.js';
export type * from './contract/message.js';
export type {
  Effort,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  StopReason,
  ToolDefinition,
  Usage,
} from './contract/model.js';
export { ModelFailure } from './contract/model.js';
export type * from './contract/permission.js';
export type * from './contract/planning.js';
export type * from './contract/question.js';
export { defineTool, type Tool, type ToolDisplay, type ToolProgress, type ToolSpec } from './contract/tool.js';
export type { ToolContext } from './contract/tool-context.js';
export type { SearchEndpoint, SearchProvider, SideModel, WebAccess } from './contract/web.js';
export { type Agent, type AgentOptions, type CompactOptions, createAgent } from './create-agent.js';
export { createEngine, type Engine, type EngineOptions, type RunCallsOptions } from './create-engine.js';
