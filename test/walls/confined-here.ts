import { runHelve } from '../cli/run-helve.js';

/** Whether this machine can confine commands: then programs that are free only behind walls run without a question. */
export async function isConfinedHere(): Promise<boolean> {
  const call = JSON.stringify({ command: "awk '{print $1}' a.txt" });
  const { stdout } = await runHelve(['permissions', 'explain', 'Bash', call, '--json']);
  return JSON.parse(stdout).decision === 'allow';
}
