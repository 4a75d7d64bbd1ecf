import { expect, test, vi } from 'vitest';
import type { AgentEvent, AgentHappening } from '../contract/event.js';
import { emitter, type SessionComponent } from './session-component.js';

const notice = (text: string): AgentHappening => ({ type: 'notice', text });
const textOf = (event: AgentEvent): string => (event.type === 'notice' ? event.text : event.type);

function listener(name: string, log: string[]): SessionComponent {
  return { name, onEvent: (event) => void log.push(`${name}: ${textOf(event)}`) };
}

test('shows an event to the components in order, and then to the caller', () => {
  const log: string[] = [];
  const emit = emitter([listener('a', log), listener('b', log)], (event) => void log.push(`caller: ${textOf(event)}`));
  emit(notice('hello'));
  expect(log).toEqual(['a: hello', 'b: hello', 'caller: hello']);
});

test('an event that a component emits is delivered after the event that it handles', () => {
  const log: string[] = [];
  const answering: SessionComponent = {
    name: 'answering',
    onEvent: (event) => {
      if (textOf(event) === 'first') emit(notice('second'));
    },
  };
  const emit = emitter([answering, listener('a', log)], (event) => void log.push(`caller: ${textOf(event)}`));
  emit(notice('first'));
  emit(notice('third'));
  expect(log).toEqual(['a: first', 'caller: first', 'a: second', 'caller: second', 'a: third', 'caller: third']);
});

test('a component that throws gets no more events, unless it is essential, and the others do', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const calls: string[] = [];
  const failing = (name: string, isEssential: boolean): SessionComponent => ({
    name,
    isEssential,
    onEvent: () => {
      calls.push(name);
      throw new Error(`${name} failed`);
    },
  });
  const emit = emitter([failing('watcher', false), failing('writer', true), listener('a', calls)], () => {
    calls.push('caller');
    throw new Error('the caller failed');
  });
  emit(notice('1'));
  emit(notice('2'));
  warned.mockRestore();
  expect(calls).toEqual(['watcher', 'writer', 'a: 1', 'caller', 'writer', 'a: 2', 'caller']);
});

test('notifies the components once a summary has replaced the history', () => {
  const told = vi.fn();
  const emit = emitter([{ name: 'announcer', onCompacted: told }], () => {});
  const compaction = { type: 'compaction', summarisedMessages: 0 } as AgentHappening;
  emit({ ...compaction });
  expect(told).not.toHaveBeenCalled();
  emit({ ...compaction, summarisedMessages: 3 } as AgentHappening);
  expect(told).toHaveBeenCalledOnce();
});
