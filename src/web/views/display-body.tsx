// The content of a display: one case for each kind, as at a terminal.
import type { DisplayBody } from '../../contract/tool.js';
import { todoSigns, todoText } from '../../display/todo-words.js';
import { counted } from '../../platform/text/counted.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import { Diff } from './diff.js';
import { MarkdownBlockView } from './markdown.js';
import { Output } from './output.js';

const LIST_ITEMS = 200;

export function DisplayBodyView({ body, isDim = false }: { body: DisplayBody; isDim?: boolean }) {
  switch (body.type) {
    case 'text':
      return <Output text={body.text} isDim={isDim} />;
    case 'output':
      return <Output text={body.styled ?? body.text} isDim={isDim} />;
    case 'markdown':
      return (
        <div class="markdown">
          <MarkdownBlockView block={{ type: 'text', text: body.text }} />
        </div>
      );
    case 'diff':
      return (
        <>
          <Diff path={body.path} patch={body.patch} />
          {body.isPartial && <p class="muted">The change is too large to be shown whole.</p>}
        </>
      );
    case 'list':
      return (
        <>
          <ul class="items">
            {body.items.slice(0, LIST_ITEMS).map((item, index) => (
              <li key={index}>{visibleLine(item)}</li>
            ))}
          </ul>
          {body.items.length > LIST_ITEMS && (
            <p class="muted">… {counted(body.items.length - LIST_ITEMS, 'more line')}</p>
          )}
        </>
      );
    case 'todos':
      return <Todos items={body.items} />;
  }
}

const states = { pending: 'open', in_progress: 'at work', completed: 'done' } as const;

export const Todos = ({ items }: { items: Extract<DisplayBody, { type: 'todos' }>['items'] }) => (
  <ul class="todos">
    {items.map((todo, index) => (
      <li key={index} class={todo.status}>
        <span aria-hidden="true">{todoSigns[todo.status]}</span>
        <span class="unseen">{states[todo.status]}: </span>
        <span>{visibleLine(todoText(todo))}</span>
      </li>
    ))}
  </ul>
);
