// Pages are not in the files of the commands: completion reads all pages each time that Tab is pressed, and would load
// the code of every command with them.
import { help as acp } from './acp.js';
import { help as attach } from './attach.js';
import { help as audit } from './audit.js';
import { help as auth } from './auth.js';
import { help as bg } from './bg.js';
import { help as call } from './call.js';
import { help as completion } from './completion.js';
import { help as config } from './config.js';
import { help as demo } from './demo.js';
import { help as doctor } from './doctor.js';
import { help as fleet } from './fleet.js';
import { help as host } from './host.js';
import { help as interactive } from './interactive.js';
import { help as login } from './login.js';
import { help as logout } from './logout.js';
import { help as logs } from './logs.js';
import { help as mcp } from './mcp.js';
import { help as models } from './models.js';
import { help as permissions } from './permissions.js';
import { help as plugin } from './plugin.js';
import { help as print } from './print.js';
import { help as ps } from './ps.js';
import { help as replay } from './replay.js';
import { help as schedule } from './schedule.js';
import { help as serve } from './serve.js';
import { help as sessions } from './sessions.js';
import { help as stop } from './stop.js';
import { help as tools } from './tools.js';
import { help as undo } from './undo.js';
import { help as worker } from './worker.js';
import { help as worktree } from './worktree.js';

/** Each command's own page. */
export const helpPages: Readonly<Record<string, string>> = {
  '-p': print,
  acp,
  attach,
  audit,
  auth,
  bg,
  call,
  completion,
  config,
  demo,
  doctor,
  fleet,
  host,
  interactive,
  login,
  logout,
  logs,
  mcp,
  models,
  permissions,
  plugin,
  ps,
  replay,
  schedule,
  serve,
  sessions,
  stop,
  tools,
  undo,
  worker,
  worktree,
};
