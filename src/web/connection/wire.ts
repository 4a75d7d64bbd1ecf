// What the server answers. The types of entries and questions are those of the host; methods that lists and pages need
// have their types here.
import type { PermissionMode } from '../../contract/permission.js';
import type { Todo } from '../../contract/todo.js';
import type { PastEntry } from '../../host/past-entries.js';
import type { SearchResult } from '../../host/search-sessions.js';
import type { EntryLine, SentEntry } from '../../host/sent-entry.js';
import type { SessionChangesPage } from '../../host/session-changes.js';
import type { SessionRow } from '../../host/session-index.js';
import type { TimelinePage } from '../../host/session-timeline.js';
import type { UsagePoint } from '../../host/session-usage.js';

export type Entry = SentEntry;

export type RowState = SessionRow['state'];

export interface Attached {
  sessionId: string;
  epoch: string;
  seq: number;
  title: string;
  state: RowState;
  root: string;
  past: readonly PastEntry[];
  /** Where the page before this one ends; absent at the beginning. */
  earlier?: string;
}

export interface ReadPage {
  title: string;
  root: string;
  past: readonly PastEntry[];
  earlier?: string;
}

export interface EntryNotice extends EntryLine {
  sessionId: string;
  seq: number;
}

export interface Overview {
  todos: readonly Todo[];
  mode: PermissionMode;
  model: string;
  contextTokens: number;
  /** Null if it is not known, as of a session that is not open. */
  contextWindow: number | null;
  contextParts: ReadonlyArray<{ name: string; tokens: number }>;
  costUsd: number | null;
  budgets: ReadonlyArray<{ name: string; used: number; limit: number; unit: string }>;
  usage: readonly UsagePoint[];
}

interface Choice {
  id: string;
  name: string;
  description?: string;
}

export interface OptionsToChoose {
  modes: readonly Choice[];
  models: readonly Choice[];
  commands: ReadonlyArray<{ name: string; description?: string; hint?: string }>;
}

export interface Project {
  root: string;
  name: string;
  isTrusted: boolean;
}

/** The methods that the page calls. */
export interface Methods {
  initialize: [{ protocolVersion: number }, unknown];
  '_helve/host/status': [Record<string, never>, { isBusy: boolean }];
  '_helve/sessions/list': [
    { query?: string; limit?: number; before?: string },
    { sessions: SessionRow[]; next?: string },
  ];
  '_helve/sessions/watch': [Record<string, never>, unknown];
  '_helve/session/attach': [{ sessionId: string; after?: { epoch: string; seq: number } }, Attached];
  '_helve/session/detach': [{ sessionId: string }, unknown];
  '_helve/session/read': [{ sessionId: string; before?: string }, ReadPage];
  '_helve/session/overview': [{ sessionId: string }, Overview];
  '_helve/session/timeline': [{ sessionId: string; after?: string }, TimelinePage & { promptAt: number | null }];
  '_helve/session/changes': [{ sessionId: string }, SessionChangesPage];
  '_helve/session/undo': [{ sessionId: string; callId: string }, { isDone: boolean; message: string }];
  '_helve/session/answer': [{ sessionId: string; questionId: string; answer: unknown }, { isAccepted: boolean }];
  '_helve/session/interrupt': [{ sessionId: string }, { wasBusy: boolean }];
  '_helve/session/set': [{ sessionId: string; mode?: string; model?: string; title?: string }, Partial<Overview>];
  '_helve/session/options': [{ sessionId?: string; cwd?: string }, OptionsToChoose];
  '_helve/prompt': [
    { sessionId: string; promptId: string; cwd: string; prompt: ReadonlyArray<{ type: 'text'; text: string }> },
    { sessionId: string; isNew: boolean },
  ];
  '_helve/search': [{ text: string; limit?: number }, SearchResult];
  '_helve/projects/list': [Record<string, never>, { projects: Project[] }];
}

export type RoleName = 'view' | 'answer' | 'run' | 'admin';

/** Who is signed in. */
export interface Me {
  name: string;
  role: RoleName;
  version: string;
}

const roles: readonly RoleName[] = ['view', 'answer', 'run', 'admin'];

export const mayDo = (me: Me | undefined, needed: RoleName): boolean =>
  me !== undefined && roles.indexOf(me.role) >= roles.indexOf(needed);
