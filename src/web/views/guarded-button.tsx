// A button that allows something. It must be hard to hit by accident: it is off at first, it is never focused by itself,
// Enter does not press it, and what can't be taken back needs a second press.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const OFF_MS = 400; // the time in which a press was meant for what stood there before
const ARMED_MS = 6_000;

interface GuardedButtonProps {
  class: string;
  needsTwo: boolean;
  onPress(): void;
  children: ComponentChildren;
}

export function GuardedButton({ class: name, needsTwo, onPress, children }: GuardedButtonProps) {
  const [isOn, setOn] = useState(false);
  const [isArmed, setArmed] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const arm = (): void => {
    setOn(false);
    setArmed(true);
  };
  useEffect(() => {
    const off = setTimeout(() => setOn(true), OFF_MS);
    return () => clearTimeout(off);
  }, [isArmed]);
  useEffect(() => {
    if (isArmed) timer.current = setTimeout(() => setArmed(false), ARMED_MS);
    return () => clearTimeout(timer.current);
  }, [isArmed]);
  const press = (): void => {
    if (!isOn) return;
    if (needsTwo && !isArmed) arm();
    else onPress();
  };
  return (
    <button
      type="button"
      class={isArmed ? `${name} armed` : name}
      aria-disabled={!isOn}
      onClick={press}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault(); // Space presses it
      }}
    >
      {isArmed ? 'Press again to allow' : children}
    </button>
  );
}
