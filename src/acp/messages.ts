// The parts of ACP's messages that Helve sends, as schema/v1 of the protocol has them. Tests check all traffic against
// that schema.

export const PROTOCOL_VERSION = 1;

export type AcpContent = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export type AcpToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';

export type AcpToolContent =
  | { type: 'content'; content: AcpContent }
  | { type: 'diff'; path: string; oldText: string | null; newText: string };

export interface AcpToolCall {
  toolCallId: string;
  title: string;
  name?: string;
  kind?: AcpToolKind;
  status?: 'pending' | 'in_progress' | 'completed' | 'failed';
  content?: readonly AcpToolContent[];
  locations?: ReadonlyArray<{ path: string; line?: number }>;
  rawInput?: unknown;
  _meta?: Readonly<Record<string, unknown>>;
}

export interface AcpCommand {
  name: string;
  description: string;
  input?: { hint: string };
}

export interface AcpConfigOption {
  id: string;
  name: string;
  description: string;
  category: 'mode' | 'model' | 'thought_level';
  type: 'select';
  currentValue: string;
  options: ReadonlyArray<{ value: string; name: string; description?: string }>;
}

export interface AcpModes {
  currentModeId: string;
  availableModes: ReadonlyArray<{ id: string; name: string; description: string }>;
}

export type AcpUpdate =
  | {
      sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
      content: AcpContent;
      messageId?: string;
    }
  | ({ sessionUpdate: 'tool_call' } & AcpToolCall)
  | ({ sessionUpdate: 'tool_call_update' } & Partial<AcpToolCall> & { toolCallId: string })
  | {
      sessionUpdate: 'plan';
      entries: ReadonlyArray<{ content: string; priority: 'medium'; status: 'pending' | 'in_progress' | 'completed' }>;
    }
  | { sessionUpdate: 'available_commands_update'; availableCommands: readonly AcpCommand[] }
  | { sessionUpdate: 'current_mode_update'; currentModeId: string }
  | { sessionUpdate: 'config_option_update'; configOptions: readonly AcpConfigOption[] }
  | { sessionUpdate: 'session_info_update'; title?: string; updatedAt: string }
  | { sessionUpdate: 'usage_update'; used: number; size: number; cost?: { amount: number; currency: 'USD' } }
  | { sessionUpdate: 'notice'; severity: 'info'; title: string }
  | { sessionUpdate: 'compaction_update'; compactionId: string; status: 'completed' };

export type AcpStopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';

/** What a client has said that it can do; everything else is not used with it. */
export interface ClientAbilities {
  readTextFile: boolean;
  /** Shows forms: elicitation/create. */
  forms: boolean;
  notices: boolean;
  compaction: boolean;
}
