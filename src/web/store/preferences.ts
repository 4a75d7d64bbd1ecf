// What the person has chosen for this browser.
import { effect, type Signal, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type ColorChoice = (typeof themes)[number];

export class Preferences {
  readonly theme: Signal<ColorChoice>;
  /** Whether a question, or the end of a prompt, is notified while the page is not looked at. */
  readonly notifies: Signal<boolean>;

  constructor() {
    const theme = localStorage.getItem('helve.theme');
    this.theme = signal(themes.find((name) => name === theme) ?? 'system');
    this.notifies = signal(localStorage.getItem('helve.notify') === 'on' && canNotify());
    effect(() => {
      localStorage.setItem('helve.theme', this.theme.value);
      document.documentElement.dataset['theme'] = this.theme.value;
    });
    effect(() => localStorage.setItem('helve.notify', this.notifies.value ? 'on' : 'off'));
  }

  async setNotifies(on: boolean): Promise<void> {
    if (on && 'Notification' in globalThis && Notification.permission === 'default') {
      await Notification.requestPermission();
    }
    this.notifies.value = on && canNotify();
  }
}

const canNotify = (): boolean => 'Notification' in globalThis && Notification.permission === 'granted';
