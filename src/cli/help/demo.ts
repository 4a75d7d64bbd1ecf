export const help = `helve demo: see it work without a key

  helve demo                a script plays the model, everything else is real: a sample project in a temporary folder,
                            the tools, the permission questions and the tests

On a terminal you send the prompt and answer the questions. Without a terminal it plays by itself, as helve alone does.
It takes no options, sends nothing to the network, and removes its folder at the end.`;
