helve mcp add words -- node server.mjs
helve mcp doctor words
helve call mcp__words__count_words '{"text": "a handle for tools"}' --allowed-tools mcp__words
