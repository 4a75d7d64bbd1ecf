// Files that the examples of the program tables name, so that the commands find something to work on.
import type { SetupStep } from './attack.js';

const file = (name: string, content: string): SetupStep => ({ file: name, content });

export const exampleFiles: readonly SetupStep[] = [
  ...['a', 'b', 'x', 'names.txt', 'paths.txt', 'log.txt', 'README.md', 'notes.md', 'file'].map((name) =>
    file(name, 'foo\nbar/baz 3\nfoo 1\n'),
  ),
  file('a.ts', 'const foo = 1;\n'),
  file('src/a.ts', 'export const foo = "a b";\n// TODO start\n// end\n'),
  file('src/index.ts', 'import { foo } from "./a.js";\n'),
  file('test/a.ts', 'foo\n'),
  file('a.json', '{"x": 1, "name": "n", "env": 2}\n'),
  file('a.csv', 'a,b\n1,2\n'),
  ...['x.yml', 'a.yml', 'a.yaml'].map((name) => file(name, 'a: 1\nname: n\n')),
  file('a.b64', 'aGk=\n'),
  {
    run: [
      "printf '\\000\\001binary text here\\377' > a.bin",
      'tar cf a.tar a b && tar czf a.tgz a b',
      'gzip -c a > a.gz && xz -c a > a.xz 2> /dev/null || true',
      'zip -q a.zip a b 2> /dev/null || true',
      'git add -A . && git reset -q .env secrets && git commit -qm second',
      'git branch -f other HEAD~1 && git tag v1 HEAD~1',
      'printf "changed\\n" >> a.txt',
    ].join('\n'),
  },
];
