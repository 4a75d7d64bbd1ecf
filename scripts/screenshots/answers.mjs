// The answers of the model, and the environment with its address.

const PIECE = 8; // characters in one event of the fake model server
const FIRST_EVENTS = 3; // the message begins, a ping, the block begins

/** A text that is still streaming. */
export const unfinished = (text, usage) => ({
  text,
  usage,
  holdAfter: { events: FIRST_EVENTS + Math.ceil([...text].length / PIECE), until: new Promise(() => {}) },
});

/** The environment that sends requests for Anthropic's models to a server. */
export const anthropicAt = (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' });

export const call = (name, input) => ({ name, input });

/** Tokens of one request, as a server would count them. */
export const used = (input_tokens, output_tokens) => ({ input_tokens, output_tokens });
