export const help = `helve auth: say whether a provider is set up

  helve auth status         the first provider that is set up, and the variable of its key; exit status 1 if there is none

Options
  --json                    as one object, as hosts of other agents read it

No request is sent to a provider, and no key is shown.`;
