declare const sheet: CSSStyleSheet;
export default sheet;
