// Tells the model when a JSON file that it has changed is no JSON any more. A PostToolUse hook.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const { tool_input, cwd } = JSON.parse(readFileSync(0, 'utf8'));
const path = tool_input.file_path ?? '';

if (path.endsWith('.json')) {
  try {
    JSON.parse(readFileSync(resolve(cwd, path), 'utf8'));
  } catch (error) {
    const reason = `${path} is not valid JSON now: ${error.message}`;
    process.stdout.write(JSON.stringify({ decision: 'block', reason }));
  }
}
