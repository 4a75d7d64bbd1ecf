export const help = `helve completion: let the shell complete commands, flags, sessions and models

  helve completion bash     print a script; put this into ~/.bashrc:   source <(helve completion bash)
  helve completion zsh      the same for ~/.zshrc, after compinit:     source <(helve completion zsh)
  helve completion fish     for config.fish:                           helve completion fish | source
  helve completion words -- WORD …   what the scripts ask: what could stand in the place of the last word

The scripts ask helve itself at each Tab, so they need not be made anew after an update.`;
