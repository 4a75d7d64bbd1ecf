import { nearestWords, wordSimilarity } from '../../platform/text/similar-text.js';

const TYPO = 0.6; // "groq" is no "openai"

/** The providers that `helve login` knows. */
export const loginProviders = ['openai', 'openrouter', 'copilot'] as const;

export type LoginProvider = (typeof loginProviders)[number];

export const loginTitles: Readonly<Record<LoginProvider, string>> = {
  openai: 'ChatGPT',
  openrouter: 'OpenRouter',
  copilot: 'GitHub Copilot',
};

/** The provider of that name, or a sentence about what there is. */
export function loginProvider(name: string): { provider: LoginProvider } | { problem: string } {
  const provider = loginProviders.find((one) => one === name.toLowerCase());
  if (provider) return { provider };
  if (/^(?:anthropic|claude)$/i.test(name)) {
    return {
      problem:
        "Anthropic's terms do not permit other programs to use a Claude plan, so Helve has no sign-in for it. Set ANTHROPIC_API_KEY to a key of the Anthropic API.",
    };
  }
  if (/^chatgpt$|^codex$/i.test(name)) return { provider: 'openai' };
  const nearest = nearestWords(name, loginProviders).find((one) => wordSimilarity(name, one) >= TYPO);
  return {
    problem: `There is no sign-in to "${name}". ${nearest === undefined ? `There are ${loginProviders.join(', ')}.` : `Did you mean ${nearest}?`} Other providers take a key: helve models lists them.`,
  };
}
