import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../store/web-app.js';
import { shortcuts } from './use-shortcuts.js';

export function Help() {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = app.isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="help-title"
      onClose={() => {
        app.isHelpOpen.value = false;
      }}
    >
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {shortcuts.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">Helve {app.me.value?.version}. A session goes on without this page.</p>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  );
}
