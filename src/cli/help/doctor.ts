export const help = `helve doctor: check the set-up

  helve doctor              Node, settings, the shell, limits, the sandbox, search, the model that a run here would
                            use, the data folder, model servers on this machine, and MCP servers

  helve doctor --database URL   the packages, the database, its schema and key, git, the clock, the workers and the
                            prompts of a fleet; creates nothing

Options
  --key-file PATH           with --database: whether the fleet encrypts with this key
  --json                    as an array of {what, state, detail}; state is ok, missing or broken

No request is sent to a provider. Exit status: 0, or 1 if something is broken and not merely missing`;
