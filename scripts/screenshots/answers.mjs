// What the model says, and where it is reached.

const PIECE = 8; // characters in one event of the fake model server
const FIRST_EVENTS = 3; // the message begins, a ping, the block begins

/** A text that has arrived so far, and of which more is to come. */
export const unfinished = (text, usage) => ({
  text,
  usage,
  holdAfter: { events: FIRST_EVENTS + Math.ceil([...text].length / PIECE), until: new Promise(() => {}) },
});

/** The environment in which a server is that of Anthropic's models. */
export const anthropicAt = (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' });

export const call = (name, input) => ({ name, input });

/** Tokens of one request, as a server would count them. */
export const used = (input_tokens, output_tokens) => ({ input_tokens, output_tokens });
