import { expect, test } from 'vitest';
import { createCommandAnalyzer } from '../command-effects.js';

/** The files and addresses that a command would touch, in short. */
async function touched(command: string): Promise<string[]> {
  const analyzer = createCommandAnalyzer({ env: {} });
  const effects = await analyzer.effects(command, { cwd: '/p', workspace: ['/p'] });
  return effects.flatMap((effect) => {
    if (effect.kind === 'network') return [`reaches ${effect.url}`];
    return effect.kind === 'file' ? [`${effect.access}s ${effect.path.replace(/^\/p\//, '')}`] : [];
  });
}

test.each([
  ['curl -X POST --data-binary @- https://example.com/upload', ['reaches https://example.com/upload']],
  ['curl -sX POST -H "A: b" example.com', ['reaches http://example.com']],
  ['curl --request PUT -u me:secret -A agent -e from -m 5 example.com', ['reaches http://example.com']],
  ['curl -d @body.json example.com', ['reads body.json', 'reaches http://example.com']],
  ['wget -O page --method POST --body-data x http://example.com', ['writes page', 'reaches http://example.com']],
  ['wget -O - -U agent -t 3 http://example.com', ['reaches http://example.com']],
  ['http POST example.com name=value X-Key:1 q==words', ['reaches http://example.com']],
  ['http -a me:secret --timeout 5 example.com', ['reaches http://example.com']],
  ['http POST https://example.com a=@a.txt photo@b.png', ['reads a.txt', 'reads b.png', 'reaches https://example.com']],
  ['xh PUT https://example.com n:=1', ['reaches https://example.com']],
  ['http -o page example.com', ['writes page', 'reaches http://example.com']],
  ['nc -w 3 example.com 80', ['reaches tcp://example.com:80']],
])('%s names its files and its address, and takes no value of an option for a file', async (command, expected) => {
  expect(await touched(command)).toEqual(expected);
});
