// What a method needs. Every method that passes the gateway is in this table: one that is not
// is refused, so a method that is added to the host is closed until someone decides who may use it.
import type { ClientRole } from '../contract/client-role.js';

const neededRoles: Readonly<Record<string, ClientRole>> = {
  initialize: 'view',
  authenticate: 'view',
  'session/list': 'view',
  'session/load': 'view',
  'session/resume': 'view',
  'session/new': 'run',
  'session/prompt': 'run',
  'session/cancel': 'run',
  'session/close': 'run',
  'session/delete': 'admin',
  'session/set_mode': 'run',
  'session/set_config_option': 'run',
  '$/cancel_request': 'view',
  '_helve/host/status': 'view',
  '_helve/host/stop': 'admin',
  '_helve/prompt': 'run',
  '_helve/projects/list': 'run',
  '_helve/search': 'view',
  '_helve/session/answer': 'answer',
  '_helve/session/attach': 'view',
  '_helve/session/audit': 'view',
  '_helve/session/changes': 'view',
  '_helve/session/detach': 'view',
  '_helve/session/interrupt': 'run',
  '_helve/session/options': 'view',
  '_helve/session/overview': 'view',
  '_helve/session/read': 'view',
  '_helve/session/set': 'run',
  '_helve/session/stop': 'run',
  '_helve/session/timeline': 'view',
  '_helve/session/undo': 'run',
  '_helve/sessions/list': 'view',
  '_helve/sessions/unwatch': 'view',
  '_helve/sessions/watch': 'view',
};

/** The role that a method needs; undefined if there is no such method. */
export const neededRole = (method: string): ClientRole | undefined =>
  Object.hasOwn(neededRoles, method) ? neededRoles[method] : undefined;
