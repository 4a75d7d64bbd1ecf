import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve acp: run Helve inside an editor or another client of the Agent Client Protocol

  helve acp                 speak the protocol on standard input and output; the client starts it

Sessions, prompts, modes and models are chosen in the client. The options are for all of its sessions.

Options
  --model NAME              the model of new sessions: PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE
  --fallback-model A,B      models to use while the first is overloaded
  --effort LEVEL            how much the model thinks: none, low, medium, high or max
  --answer-timeout TIME     how long a client may take to answer a question, as 90s, 10m or 2h; 0 for any time. Default 10m
  --max-turns N             requests that one prompt may make
  --max-time TIME           time that one prompt may take
  --max-budget-usd N        no request after all sessions together spent N US dollars
  --max-budget-tokens N, --max-budget-turns N, --max-budget-minutes N   the same for tokens, requests and time
  --goal TEXT               work on in each new session until this is met; --until COMMAND: until it exits with 0
  --system-prompt TEXT, --append-system-prompt TEXT   instructions instead of Helve's own, or after them
  --no-instructions         send no HELVE.md, AGENTS.md or CLAUDE.md to the model
  --disable-slash-commands  no commands and skills
  --debug, --debug-file F   write a debug log to Helve's data folder, or to F

Permissions and tools
${engineFlagsHelp}`;
