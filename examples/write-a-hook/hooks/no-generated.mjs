// Refuses to change what a program has generated. A PreToolUse hook for Edit, Write and their like.
import { readFileSync } from 'node:fs';

const { tool_input } = JSON.parse(readFileSync(0, 'utf8'));
const path = tool_input.file_path ?? '';

if (/(^|\/)generated\//.test(path)) {
  process.stderr.write(`${path} is generated. Change its template in templates/ and run make.`);
  process.exitCode = 2;
}
