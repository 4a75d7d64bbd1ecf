import type { Script } from '../../models/scripted.js';

export const demoPrompt = 'Give 10 % off from ten pieces on, as the tests ask for, and make the tests pass.';

/** The scripted model's output. The calls are real: their results come from the tools, not from the script. */
export const demoScript: Script = {
  name: 'a script, not a model',
  turns: [
    {
      text: 'I look at what is here.',
      calls: [
        { name: 'LS', input: { path: '.' } },
        { name: 'Grep', input: { pattern: 'lineTotal', output_mode: 'content' } },
      ],
    },
    {
      text: 'The price is computed in one place. I read it together with its test.',
      calls: [
        { name: 'Read', input: { file_path: 'src/price.js' } },
        { name: 'Read', input: { file_path: 'test/price.test.js' } },
      ],
    },
    {
      text: 'I add the discount and run the tests.',
      calls: [
        {
          name: 'Edit',
          input: {
            file_path: 'src/price.js',
            old_string: '  return price * quantity;',
            new_string: '  const total = price * quantity;\n  return quantity > 10 ? Math.round(total * 0.9) : total;',
          },
        },
        { name: 'Bash', input: { command: 'node --test --test-reporter=spec', description: 'Run the tests' } },
      ],
    },
    {
      text: 'Ten pieces themselves still cost the full price: the comparison leaves them out. I fix it and run the tests again.',
      calls: [
        {
          name: 'Edit',
          input: { file_path: 'src/price.js', old_string: 'quantity > 10', new_string: 'quantity >= 10' },
        },
        { name: 'Bash', input: { command: 'node --test --test-reporter=spec', description: 'Run the tests' } },
      ],
    },
    { text: 'Ten pieces and more are now 10 % cheaper, and all tests pass.' },
  ],
};
