// The prompt field: Enter sends, Shift+Enter starts a line, a slash lists commands. What waits to be sent is above it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { visibleLine } from '../../platform/text/visible-lines.js';
import type { SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';
import { Icon } from './icons.js';

const MOST_COMMANDS = 8;

export function Composer({ store }: { store: SessionStore }) {
  const app = useApp();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => app.drafts.get(store.id));
  const [chosen, setChosen] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const state = store.state.value;
  const isBusy = state === 'running' || state === 'requires_action';
  const commands = isClosed ? [] : matching(store.options.value?.commands ?? [], text);
  const change = (value: string): void => {
    setText(value);
    setClosed(false);
    setChosen(0);
    app.drafts.set(store.id, value);
  };
  useEffect(() => growWithText(field.current), [text]);
  const send = (): void => {
    if (text.trim() === '') return;
    app.outbox.send({ sessionId: store.id, cwd: store.root.value, text });
    change('');
  };
  const complete = (name: string): void => {
    change(`/${name} `);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const [first] = commands;
    if (first && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : commands.length - 1)) % commands.length);
    } else if (first && (event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey) {
      const command = commands[chosen] ?? first;
      if (event.key === 'Enter' && text.trim() === `/${command.name}`) {
        submit(event);
        return;
      }
      event.preventDefault();
      complete(command.name);
    } else if (first && event.key === 'Escape') {
      event.stopPropagation();
      setClosed(true);
    } else if (event.key === 'Enter' && !event.shiftKey) submit(event);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    send();
  };
  return (
    <form class="composer" onSubmit={submit}>
      <Waiting store={store} onEdit={change} />
      {commands.length > 0 && (
        <div class="commands" id="commands" role="listbox" aria-label="Commands">
          {commands.map(({ name, description = '' }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
            <div
              key={name}
              id={`command-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(name)}
            >
              <strong>/{name}</strong> <span class="muted">{visibleLine(description)}</span>
            </div>
          ))}
        </div>
      )}
      <div class="composer-box">
        <textarea
          ref={field}
          id="prompt"
          rows={1}
          value={text}
          placeholder={isBusy ? 'Add to the queue…' : 'Say what should be done…'}
          aria-label="Prompt"
          aria-autocomplete="list"
          aria-controls={commands.length > 0 ? 'commands' : undefined}
          aria-activedescendant={commands.length > 0 ? `command-${chosen}` : undefined}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <div class="composer-row">
          <SessionChoices store={store} />
          <span class="spacer" />
          {isBusy && (
            <button type="button" class="stop" onClick={() => void interrupt(store, app)}>
              <Icon name="stop" /> Interrupt
            </button>
          )}
          <button
            type="submit"
            class="send"
            disabled={text.trim() === ''}
            aria-label={isBusy ? 'Queue the prompt' : 'Send the prompt'}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}

export async function interrupt(store: SessionStore, app: ReturnType<typeof useApp>): Promise<void> {
  try {
    await app.link.request('_helve/session/interrupt', { sessionId: store.id });
  } catch (error) {
    app.tell(error);
  }
}

type Command = { name: string; description?: string };

function matching(commands: readonly Command[], text: string): readonly Command[] {
  const [, typed] = /^\/([\w:.-]*)$/.exec(text) ?? [];
  if (typed === undefined) return [];
  const starts = commands.filter(({ name }) => name.startsWith(typed));
  const others = commands.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...starts, ...others].slice(0, MOST_COMMANDS);
}

/** As high as its text, up to the limit of the style sheet. */
function growWithText(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}

/** Prompts that the server does not have yet, or has refused. */
function Waiting({ store, onEdit }: { store: SessionStore; onEdit(text: string): void }) {
  const app = useApp();
  const prompts = app.outbox.prompts.value.filter(({ sessionId }) => sessionId === store.id);
  if (prompts.length === 0) return null;
  return (
    <ul class="outgoing" aria-label="Prompts that wait">
      {prompts.map(({ promptId, text, problem, isAccepted }) => (
        <li key={promptId} class={problem === undefined ? undefined : 'failure'}>
          <span class="outgoing-text">{visibleLine(text)}</span>
          <span class="muted">{problem ?? (isAccepted ? 'waits for its turn' : 'is sent…')}</span>
          {problem !== undefined && (
            <button type="button" class="link" onClick={() => onEdit(app.outbox.take(promptId)?.text ?? '')}>
              Change it
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The mode and the model, as other windows have set them, too. */
function SessionChoices({ store }: { store: SessionStore }) {
  const app = useApp();
  const options = store.options.value;
  const overview = store.overview.value;
  if (!options || !overview) return null;
  const set = async (chosen: { mode?: string; model?: string }): Promise<void> => {
    try {
      await app.link.request('_helve/session/set', { sessionId: store.id, ...chosen });
    } catch (error) {
      app.tell(error);
    }
    await store.loadOverview();
  };
  const { mode, model } = overview;
  const models = options.models.some(({ id }) => id === model)
    ? options.models
    : [{ id: model, name: model }, ...options.models];
  const isOff = !app.may('run');
  return (
    <>
      <select
        aria-label="Mode"
        class={`mode mode-${mode}`}
        value={mode}
        disabled={isOff}
        onChange={(event) => void set({ mode: event.currentTarget.value })}
      >
        {options.modes.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Model"
        value={model}
        disabled={isOff}
        onChange={(event) => void set({ model: event.currentTarget.value })}
      >
        {models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
