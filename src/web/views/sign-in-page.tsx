import { useRef, useState } from 'preact/hooks';
import { SignInProblem, signIn } from '../connection/sign-in.js';
import { useApp } from '../store/web-app.js';

const CODE = /^[A-Z0-9]{4}-?[A-Z0-9]{4}$/i;

/** `why`: what has ended the last visit, such as a token that was revoked. */
export function SignInPage({ why }: { why: string }) {
  const app = useApp();
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<SignInProblem | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = field.current?.value.trim() ?? '';
    if (given === '' || isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      app.signedIn(await signIn(CODE.test(given) ? { code: given.toUpperCase() } : { token: given }));
    } catch (error) {
      setProblem(error instanceof SignInProblem ? error : new SignInProblem(String(error), ''));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M11 7v18M21 7v18M11 16h10" />
        </svg>
        <h1>Sign in to Helve</h1>
        {why !== '' && <p class="warning">{why}</p>}
        <label class="field">
          One-time code or token
          <input
            ref={field}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            aria-describedby={problem ? 'sign-in-problem' : 'sign-in-help'}
            aria-invalid={problem !== undefined}
          />
        </label>
        {problem && (
          <p class="failure" id="sign-in-problem" role="alert">
            {problem.message} {problem.next}
          </p>
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          Sign in
        </button>
        <p class="muted" id="sign-in-help">
          <code>helve serve code</code> prints a code on the machine that runs the server. A token works as well.
        </p>
      </form>
    </main>
  );
}
