export const help = `helve models: which model a run here would use, and which ones there are

  helve models              the one in use and who says so, the providers and whether they are set up, what runs on
                            this machine, the models that are known, and the short names

Options
  --json                    as one object

No request is sent to a provider, and no key is shown.`;
