// A fault while a part of the page is drawn leaves the other parts as they are.
import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

/** `what` names the part in the sentence that stands in its place. */
export function FaultBoundary({ what, children }: { what: string; children: ComponentChildren }) {
  const [fault, retry] = useErrorBoundary();
  if (fault === undefined) return <>{children}</>;
  return (
    <p class="failure padded" role="alert">
      {what} can't be shown: {fault instanceof Error ? fault.message : String(fault)}. Nothing in the session is changed
      by this; helve attach shows it in a terminal.{' '}
      <button type="button" class="link" onClick={retry}>
        Try again
      </button>
    </p>
  );
}
