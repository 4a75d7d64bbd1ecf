import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve serve: the sessions of this machine for browsers, editors and other machines

  helve serve                          serve them on http://127.0.0.1:7433, until it is interrupted
  helve serve tokens add NAME          make a token and print it, once
  helve serve tokens list              the tokens, and the browsers that are signed in
  helve serve tokens revoke NAME       end what was opened with it, at once
  helve serve code                     print a code that signs one browser in, within five minutes

Options
  --port N                 the port; 0 for any that is free
  --listen ADDRESS         another address of this machine. It needs encryption: one of the next two options
  --tls-cert FILE --tls-key FILE   a certificate and its key, in PEM
  --behind-proxy           a proxy in front encrypts. Its X-Forwarded-Proto and X-Forwarded-Host are believed
  --allowed-host NAME      a name under which clients reach the server; may be given several times
  --database URL           show and steer the sessions of a fleet in place of those of this machine; see helve worker
  --fleet                  the same, with the database of HELVE_DATABASE, which keeps its password out of the list of processes
  --key-file PATH          the key of the workers of the fleet, if they encrypt contents
  --open                   open it in the browser
  --drain SECONDS          at the end, wait so long for running sessions, then end the host process too: for containers
  --role view|answer|run|admin   of tokens add, and of code: view reads, answer answers questions, run sends prompts
                           and changes sessions, admin deletes sessions and ends the host process
  --expires TIME           of tokens add: a time such as 30m, 12h or 90d
  --project NAME           of tokens add, and of code: only sessions of this project of a fleet
  --running N              of tokens add: how many of its prompts run at once in a fleet
  --per-day N              of tokens add: how many prompts it may send to a fleet on a day, in UTC
  --json                   of tokens list

Sessions run in the host process and go on when the server ends. Clients use /acp (WebSocket), /healthz and /metrics.

For the sessions that are opened for clients, as of helve bg: --model, --fallback-model, --effort, --max-turns, --max-time,
--max-budget-usd, --max-budget-tokens, --max-budget-turns, --max-budget-minutes, --goal, --until, --system-prompt,
--append-system-prompt, --no-instructions, --disable-slash-commands, and

Permissions and tools
${engineFlagsHelp}

Exit status: 0 success, 1 failed, 2 wrong usage or the port is in use`;
