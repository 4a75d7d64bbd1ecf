import type { TokenIssuer } from './login-options.js';
import type { TokenProvider } from './sign-in-file.js';

/** Loaded only for the provider that is used. */
export async function tokenIssuer(provider: TokenProvider): Promise<TokenIssuer> {
  if (provider === 'openai') return (await import('./chatgpt.js')).chatgpt;
  return (await import('./copilot.js')).copilot;
}
