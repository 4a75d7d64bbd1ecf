import { execFileSync } from 'node:child_process';

/** Scenario tests run the built command line, so the bundle must be of this source. */
export default function buildOnce(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}
