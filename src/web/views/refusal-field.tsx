import { useEffect, useRef } from 'preact/hooks';

export interface RefusalFieldProps {
  label: string;
  onBack(): void;
  onDeny(reason: string): void;
}

/** Asks what should be done instead. Enter denies: a denial does no harm. */
export function RefusalField({ label, onBack, onDeny }: RefusalFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="answers fields"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(field.current?.value.trim() ?? '');
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onBack();
      }}
    >
      <label>
        {label}
        <input ref={field} type="text" autocomplete="off" placeholder="You may leave this empty" />
      </label>
      <button type="button" class="quiet" onClick={onBack}>
        Back
      </button>
      <button type="submit" class="deny">
        Deny
      </button>
    </form>
  );
}
