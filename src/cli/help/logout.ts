export const help = `helve logout: sign out of a provider of models

  helve logout NAME         openai, openrouter or copilot: remove its tokens here, and revoke them where that is possible`;
