import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve worker: run prompts of a fleet

  helve worker --database postgres://…    take prompts from this database until it is told to end

Workers on any number of machines meet in one PostgreSQL database. helve fleet send gives them prompts. A session whose
worker ends or falls silent is continued by another one. The packages pg and @dbos-inc/dbos-sdk must be installed.

Options
  --database URL            the database; or HELVE_DATABASE, which keeps its password out of the list of processes
  --concurrency N           how many prompts run here at once; default: 4
  --project-limit N         how many prompts of a project are queued or run at once, on all workers; default: 1000
  --silence SECONDS         a worker that does not report for so long is lost, and others take over; default: 5
  --drain SECONDS           at SIGTERM, how long prompts may go on before others continue them; default: 20
  --keep-days N             remove sessions that nothing was written to for so long; default: 30
  --workspaces PATH         where sessions of repositories work: the same path on every worker; default: a folder in /var/tmp
  --workspace-limit MB      how much all snapshots of one workspace may have; default: 4000
  --max-losses N            a prompt has failed once so many workers were lost with it; default: 10
  --key-file PATH           encrypt contents with the key in this file: 64 hexadecimal digits
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE
  --fallback-model A,B      models to use while the first is overloaded
  --effort LEVEL            how much to think: none, low, medium, high or max
  --max-turns N             at most N requests to the model for each prompt
  --max-time TIME           a time limit for each prompt, such as 90s, 10m or 2h
  --max-budget-usd N        stop at this cost; also --max-budget-tokens, --max-budget-turns, --max-budget-minutes
  --system-prompt TEXT, --append-system-prompt TEXT   instructions instead of Helve's own, or after them
  --no-instructions         leave out HELVE.md, AGENTS.md and CLAUDE.md
  --disable-slash-commands  no commands and no skills

Permissions and tools
${engineFlagsHelp}

Exit status: 0 it was told to end, 1 it was lost or the database can't be used, 2 wrong usage`;
