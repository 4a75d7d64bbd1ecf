export const help = `helve models: show which model a run here would use, and list providers and models

  helve models              the model in use and what selects it, the providers and whether they are set up, servers on
                            this machine, known models, and short names

Options
  --json                    as one object

No request is sent to a provider, and no key is shown.`;
