export const help = `helve models: show which model a run here would use, and list providers and models

  helve models              the model in use and what selects it, the providers and whether they are set up, servers on
                            this machine, known models, and short names
  helve models test NAME    try what an agent needs of a model: calls, their arguments, results, images, thinking

Options
  --json                    as one object
  --update                  ask each provider that you are signed in to for its models
  --timeout SECONDS         of test: how long one answer may take (default: 180)

Without test and --update, no request is sent to a provider. No key is shown. test sends about 15 small requests, which cost as any
others do, and prints the lines for models.json that follow from the answers.`;
