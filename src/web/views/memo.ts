import { Component, type ComponentChildren, type FunctionComponent } from 'preact';

/** A view that is drawn again only if its properties are others. */
export function memo<Props extends object>(
  view: (props: Props) => ComponentChildren,
  isSame: (one: Props, other: Props) => boolean,
): FunctionComponent<Props> {
  class Kept extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next);
    }

    override render(): ComponentChildren {
      return view(this.props);
    }
  }
  return Kept as unknown as FunctionComponent<Props>; // a class is a component too
}
