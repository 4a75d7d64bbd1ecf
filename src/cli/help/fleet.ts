export const help = `helve fleet: prompts and sessions on many machines

  helve fleet send "…"      give a prompt to the workers, and print the id of its session
  helve fleet [list]        the sessions, with their state and their worker
  helve fleet show ID       one session: how its prompts have ended and why, and what the model said last
  helve fleet stop ID…      interrupt the prompt of a session, and drop those that wait
  helve fleet result ID     what a session has done to its repository: --branch, --patch or --archive
  helve fleet answer ID ANSWER   answer the question that a session waits for: allow, deny, or one of its choices
  helve fleet schedule add "CRON" "…"   send a prompt at times of the day or the week, in UTC; also: list, remove ID
  helve fleet projects set NAME   limit a project, in place of what was set before; also: list, remove NAME
  helve fleet audit         what all sessions have done, and for whom

helve worker runs them. ID is an id or the beginning of one.

Options
  --database URL            the database; or HELVE_DATABASE, which keeps its password out of the list of processes
  --key-file PATH           the key of the workers, if they encrypt contents
  --resume ID, -r ID        send the prompt to this session
  --repo URL                the git repository to work on; each session gets a workspace of its own
  --ref REF                 with --repo: a branch, a tag or a commit; default: the branch that the server names
  --root PATH               without --repo: the folder to work in, which every worker must have; default: this one
  --branch NAME             result: a new branch of this repository, with the commits of the session and what it left uncommitted
  --patch FILE              result: all changes since the commit that the session started from; - for standard output
  --archive FILE            result: all files of the workspace as .tar.gz, also ignored ones
  --project NAME            projects get equal shares of the workers; default: the name of the folder
  --priority N              0 to 9; prompts with a higher number run first; default: 0
  --session-id ID           the id of the new session
  --prompt-id TEXT          an id of the prompt: one that was sent before does not run again
  --reason TEXT             with deny: what the model is told
  --since TIME              of audit: a time such as 24h, 7d or 2026-11-01
  --json                    print JSON

Of projects set; the first five may be given several times
  --folder PATH             its sessions work in this folder or below; default: in any
  --repository URL          or on this repository; one that ends with / allows all below it
  --model NAME              its sessions run only on workers with this model (PROVIDER/NAME); default: with any
  --deny RULE, --ask RULE   rules beside those of the workers
  --running N               how many of its prompts are queued or run at once
  --per-day N               how many prompts it may be sent on a day, in UTC

Exit status: 0 success, 1 the database can't be used, 2 wrong usage`;
