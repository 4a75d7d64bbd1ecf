// The conversation. Only a window of it is in the page, so that ten thousand entries cost no more than a hundred. It
// follows the end until the person scrolls away from it.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { compactionSize } from '../../display/compaction-notice.js';
import { visibleLines } from '../../platform/text/visible-lines.js';
import type { Entry } from '../connection/wire.js';
import { type BlockWindow, lastWindow, windowAbove, windowAround, windowBelow } from '../store/block-window.js';
import type { Block, SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';
import { Calls } from './call.js';
import { FaultBoundary } from './fault-boundary.js';
import { Icon } from './icons.js';
import { MarkdownBlockView } from './markdown.js';

const NEAR_END = 60; // pixels
const LOAD_AT = 600; // pixels from an end of the window

export function Conversation({ store }: { store: SessionStore }) {
  const app = useApp();
  const blocks = store.blocks.value;
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  /** Undefined: the end, whatever comes. */
  const [chosen, setChosen] = useState<BlockWindow | undefined>(undefined);
  // After a reconnection there may be fewer.
  const shown = chosen && chosen.end <= blocks.length ? chosen : lastWindow(blocks);
  const { start, end } = shown;
  const anchor = useRef<{ id: string; top: number } | undefined>(undefined);
  const lastTop = useRef(0);

  const follow = (): void => {
    const element = scroller.current;
    if (!element || !isFollowing) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    const kept = anchor.current;
    anchor.current = undefined;
    if (!element) return;
    if (isFollowing) follow();
    else if (kept) element.scrollTop += topOf(element, kept.id) - kept.top;
  });
  useEffect(() => {
    const [element, content] = [scroller.current, scroller.current?.firstElementChild];
    if (!element || !content) return;
    // Text that streams changes the height without a new block.
    const observer = new ResizeObserver(follow);
    observer.observe(content);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isFollowing]);

  useShownCall({ store, scroller, onFound: (at) => showAround(at), onEarlier: () => void loadEarlier() });
  const showAround = (at: number): void => {
    setFollowing(false);
    setChosen(windowAround(blocks, at));
  };
  const keepPlace = (): void => {
    const element = scroller.current;
    const first = [...(element?.querySelectorAll<HTMLElement>('[data-block]') ?? [])].find(
      (each) => each.getBoundingClientRect().bottom > (element?.getBoundingClientRect().top ?? 0),
    );
    if (element && first) anchor.current = { id: first.dataset['block'] ?? '', top: first.offsetTop };
  };
  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    const moved = element.scrollTop - lastTop.current;
    lastTop.current = element.scrollTop;
    // A change of the content's height scrolls as well: only a move up is the person's.
    if (isFollowing && (moved > -1 || below < 1)) {
      follow();
      return;
    }
    const isAtEnd = moved > 0 && below < NEAR_END && end === blocks.length;
    if (isAtEnd !== isFollowing) setFollowing(isAtEnd);
    if (element.scrollTop < LOAD_AT && start > 0) {
      keepPlace();
      setChosen(windowAbove(blocks, shown));
    } else if (below < LOAD_AT && end < blocks.length) {
      keepPlace();
      setChosen(windowBelow(blocks, shown));
    } else if (isAtEnd) setChosen(undefined);
    else if (!chosen) setChosen(shown);
  };
  const loadEarlier = async (): Promise<void> => {
    const before = store.blocks.peek().length;
    keepPlace();
    setFollowing(false);
    await store.loadEarlier().catch((error: unknown) => app.tell(error));
    const added = store.blocks.peek().length - before;
    setChosen(windowAbove(store.blocks.peek(), { start: start + added, end: end + added }));
  };
  const toEnd = (): void => {
    setChosen(undefined);
    setFollowing(true);
  };
  return (
    <div class="conversation">
      <div
        class="scroller"
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
      >
        <div class="column">
          {start > 0 && <p class="muted earlier">{start} earlier</p>}
          {start === 0 && store.earlier.value !== undefined && (
            <p class="earlier">
              <button type="button" class="quiet small" onClick={() => void loadEarlier()}>
                Earlier entries
              </button>
            </p>
          )}
          {blocks.slice(start, end).map((block) => (
            <div key={block.id} data-block={block.id} class={`block block-${block.kind}`}>
              <FaultBoundary what="This entry">
                <BlockView block={block} store={store} />
              </FaultBoundary>
            </div>
          ))}
          {blocks.length === 0 && store.state.value !== 'loading' && <p class="empty">Nothing has been said yet.</p>}
          <Working store={store} />
        </div>
      </div>
      {!isFollowing && (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" /> To the end
        </button>
      )}
    </div>
  );
}

interface ShownCallOptions {
  store: SessionStore;
  scroller: { current: HTMLElement | null };
  onFound(block: number): void;
  onEarlier(): void;
}

/** Goes to the call in the address, once. */
function useShownCall({ store, scroller, onFound, onEarlier }: ShownCallOptions): void {
  const call = useApp().routeCall.value;
  const done = useRef<string | undefined>(undefined);
  const blocks = store.blocks.value;
  const earlier = store.earlier.value;
  const [isFound, setFound] = useState(false);
  useEffect(() => {
    if (call === undefined || done.current === call || isFound || store.state.peek() === 'loading') return;
    const own = store.calls.get(call)?.peek().agent?.parentCallId ?? call;
    const at = blocks.findIndex(
      (block) => block.kind === 'calls' && block.calls.peek().some(({ value }) => value.id === own),
    );
    if (at >= 0) {
      setFound(true);
      onFound(at);
    } else if (earlier !== undefined) onEarlier();
  }, [call, blocks, earlier]);
  useEffect(() => {
    if (!isFound || call === undefined) return;
    const element = scroller.current?.querySelector<HTMLElement>(`[data-call="${CSS.escape(call)}"]`);
    element?.scrollIntoView({ block: 'center' });
    element?.querySelector<HTMLElement>('.call-line')?.focus({ preventScroll: true });
    done.current = call;
    setFound(false);
  }, [isFound]);
}

const topOf = (element: HTMLElement, id: string): number =>
  element.querySelector<HTMLElement>(`[data-block="${CSS.escape(id)}"]`)?.offsetTop ?? 0;

function BlockView({ block, store }: { block: Block; store: SessionStore }) {
  if (block.kind === 'calls') return <Calls calls={block.calls} store={store} />;
  if (block.kind === 'entry') return <EntryView entry={block.entry.value} />;
  return block.kind === 'text' ? <StreamedView block={block} /> : <Thought block={block} />;
}

type TextBlock = Extract<Block, { kind: 'text' | 'thought' }>;

/** Settled blocks are drawn once: only the last one changes. */
function StreamedView({ block: { text } }: { block: TextBlock }) {
  void text.version.value; // draws again with each change
  const { tail, settled } = text;
  return (
    <div class="markdown">
      {settled.map((each, index) => (
        <MarkdownBlockView key={index} block={each} />
      ))}
      {tail && <MarkdownBlockView key={settled.length} block={tail} />}
    </div>
  );
}

function Thought({ block }: { block: TextBlock }) {
  const [isOpen, setOpen] = useState(false);
  void block.text.version.value;
  const [begin = block.text.tail] = block.text.settled;
  const words = begin === undefined ? '' : begin.type === 'code' ? begin.code : begin.text;
  const first = visibleLines(words.slice(0, 400)).find((line) => line.trim() !== '') ?? '';
  return (
    <div class="thought">
      <button type="button" class="call-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="sign role-muted" aria-hidden="true">
          ✻
        </span>
        <span class="call-title">
          <span class="muted">Thought</span>{' '}
          {!isOpen && <span class="muted faint">{first.replaceAll(/[*_`#]/g, '')}</span>}
        </span>
        <Icon name="chevron" />
      </button>
      {isOpen && <StreamedView block={block} />}
    </div>
  );
}

function EntryView({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case 'prompt':
      return <Prompt content={entry.content} />;
    case 'notice':
      return <Notice tone="warning" text={entry.text} />;
    case 'compaction':
      return <Notice tone="info" text={`The context was compacted ${compactionSize(entry)}.`} />;
    case 'end':
      return <Notice tone={entry.outcome === 'interrupted' ? 'warning' : 'failure'} text={entry.text} />;
    default:
      return null;
  }
}

const MAX_PROMPT_CHARS = 3_000;

function Prompt({ content }: { content: Extract<Entry, { kind: 'prompt' }>['content'] }) {
  const [isOpen, setOpen] = useState(false);
  const words = content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim();
  const images = content.filter(({ type }) => type === 'image').length;
  const shown = isOpen ? words : words.slice(0, MAX_PROMPT_CHARS);
  return (
    <div class="prompt">
      <span class="unseen">You: </span>
      <div class="prompt-text">{visibleLines(shown).join('\n')}</div>
      {images > 0 && <p class="muted">{images === 1 ? '1 image' : `${images} images`}</p>}
      {shown !== words && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          Show all of it
        </button>
      )}
    </div>
  );
}

const noticeSigns = { info: '·', warning: '!', failure: '✗' } as const;

export const Notice = ({ tone, text }: { tone: keyof typeof noticeSigns; text: string }) => (
  <div class={`notice ${tone}`}>
    <span class="sign" aria-hidden="true">
      {noticeSigns[tone]}
    </span>
    <span class="notice-text">{visibleLines(text).join('\n')}</span>
  </div>
);

/** That the session works, and for how long. */
function Working({ store }: { store: SessionStore }) {
  const [since, setSince] = useState<number | undefined>(undefined);
  const [now, setNow] = useState(() => Date.now());
  const isRunning = store.state.value === 'running';
  useSignalEffect(() => {
    const works = store.state.value === 'running';
    setSince((before) => (works ? (before ?? Date.now()) : undefined));
  });
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (!isRunning) return null;
  const seconds = Math.max(0, Math.floor((now - (since ?? now)) / 1_000));
  return (
    <p class="working">
      <span class="pulse" aria-hidden="true" /> Working{seconds > 4 && <span class="muted"> {seconds}s</span>}
    </p>
  );
}
