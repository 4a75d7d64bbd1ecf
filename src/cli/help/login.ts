export const help = `helve login: sign in to a provider of models, instead of a key

  helve login NAME          openai: a ChatGPT plan; openrouter: an account there; copilot: GitHub Copilot, which needs an
                            OAuth app of your own, see docs/models.md

Options
  --no-browser              only print the address, for a browser on another machine
  --new                     register again, to sign in as another account

The browser comes back to this machine. If it runs on another one, as over SSH, paste the address of the page that it
can't load. Tokens are kept in the data folder, for you alone. A key in the environment comes before a sign-in.
Anthropic's terms do not permit other programs to use a Claude plan, so there is no sign-in for it.`;
