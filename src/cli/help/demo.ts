export const help = `helve demo: see it work without a key

  helve demo                a script plays the model, everything else is real: a project in a temporary folder, the tools,
                            the permission questions and the tests

It takes no options. Without a terminal and without input, helve alone does the same.`;
