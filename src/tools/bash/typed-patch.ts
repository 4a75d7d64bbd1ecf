import { refusal } from '../refusal.js';

const TYPED_PATCH = /(^|[;&|\n])\s*apply_patch\s[\s\S]*\*\*\* Begin Patch/;

/** Models that were trained on patches know apply_patch as a program, and type patches into shells. */
export function refuseTypedPatch(command: string): void {
  if (!TYPED_PATCH.test(command)) return;
  throw refusal(
    'apply_patch is a tool, not a program, so the command was not run. If you have the tool, send it the patch as its input, alone and with paths from the working directory. Otherwise make the changes by Edit, MultiEdit or Write.',
  );
}
