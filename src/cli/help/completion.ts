export const help = `helve completion: print a completion script for the shell

  helve completion bash     print a script; put this into ~/.bashrc:   source <(helve completion bash)
  helve completion zsh      the same for ~/.zshrc, after compinit:     source <(helve completion zsh)
  helve completion fish     for config.fish:                           helve completion fish | source
  helve completion words -- WORD …   used by the scripts: candidates for the last word

The scripts run helve at each Tab, so they need not be regenerated after an update.`;
