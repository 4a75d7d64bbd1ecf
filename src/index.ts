export { SessionProblem, type SessionProblemKind } from './agent/store/session-problem.js';
export type { Agent, CompactOptions } from './contract/agent.js';
export type { AgentActivity, AgentReport, AgentRequest, ChildAgents, StartedAgent } from './contract/agents.js';
export type * from './contract/background.js';
export type {
  AgentBudget,
  BudgetLimits,
  BudgetOptions,
  BudgetScope,
  BudgetUnit,
  BudgetUse,
} from './contract/budget.js';
export type { CallWait, WaitReason } from './contract/call-timing.js';
export type { CallAbout, CanUseTool, ToolPermission } from './contract/can-use-tool.js';
export type * from './contract/command.js';
export type { CompactionRefused, ContextOptions, ContextUsage } from './contract/context.js';
export type * from './contract/editor-buffers.js';
export type * from './contract/effect.js';
export type { Engine, EngineTool, ResultImage, RunCallsOptions, ToolCall, ToolResult } from './contract/engine.js';
export type * from './contract/event.js';
export { type FailureKind, ToolFailure, type ToolFailureOptions } from './contract/failure.js';
export { type FileChange, type FileChanges, StaleFile, type TemporaryJournal } from './contract/file-change.js';
export type { Goal, GoalCheck } from './contract/goal.js';
export type { HookCallback, HookEvent, HookInput, HookOutput, HookPayloads } from './contract/hook.js';
export type * from './contract/message.js';
export {
  type Effort,
  type FailureSubject,
  type JsonSchema,
  type Model,
  type ModelEvent,
  type ModelFacts,
  ModelFailure,
  type ModelFailureKind,
  type ModelFailureOptions,
  type ModelRequest,
  type RetryFacts,
  type StopReason,
  type TextCallFacts,
  type ToolDefinition,
  type ToolProfileName,
  type Usage,
} from './contract/model.js';
export type {
  AgentOptions,
  EngineOptions,
  HookCallbacks,
  HookGroup,
  LoadedSettings,
  McpOauthEntry,
  McpServerEntry,
  PermissionRules,
} from './contract/options.js';
export type {
  AskPermission,
  Behavior,
  Confinement,
  Decision,
  DecisionBasis,
  DecisionRequest,
  HookAnswer,
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
  Risk,
  RiskKind,
  SandboxMode,
  SentCall,
  TrailEntry,
  Walls,
} from './contract/permission.js';
export type * from './contract/planning.js';
export type { Answer, AskUser, Question } from './contract/question.js';
export type { RetryOptions } from './contract/retry-options.js';
export {
  NoOutput,
  type OutputOf,
  type OutputOptions,
  type OutputSchema,
  type Prompt,
  type Run,
  type RunEnd,
  type RunOptions,
} from './contract/run.js';
export type { ServerTask, ServerTasks, TaskOutcome, TaskResult } from './contract/server-tasks.js';
export type { SessionSummary } from './contract/session-summary.js';
export type { Todo } from './contract/todo.js';
export type {
  AcceptedInput,
  BoundCall,
  DisplayBody,
  InputIssue,
  Tool,
  ToolCheck,
  ToolDisplay,
  ToolExposure,
  ToolListing,
  ToolOutcome,
  ToolProgress,
  ToolSpec,
} from './contract/tool.js';
export type * from './contract/tool-context.js';
export type { SearchEndpoint, SearchProvider, SideModel, WebAccess } from './contract/web.js';
export type { SessionWorktree, WorktreeEnd, WorktreeOutcome } from './contract/worktree.js';
export { WorktreeProblem } from './platform/worktrees/worktree-problem.js';
export { createAgent, type ResumeOptions, resumeAgent } from './sdk/agent.js';
export { defineTool } from './sdk/define-tool.js';
export { createEngine } from './sdk/engine.js';
export {
  type ChatResultMessage,
  type ChatTool,
  type ChatToolCall,
  type ChatTools,
  chatTools,
  type ResponsesItem,
  type ResponsesOutput,
  type ResponsesTool,
  type ResponsesTools,
  responsesTools,
} from './sdk/openai.js';
export { type ListOptions, listSessions } from './sdk/sessions.js';
export { loadSettings, type SettingsOptions } from './sdk/settings.js';
export { type FinishOptions, openWorktree, type Worktree, type WorktreeOptions } from './sdk/worktree.js';
