/** Elements of the page. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Signs of buttons, as paths in a square of 16: fonts do not have them all. */
const SIGNS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  back: "M12 3v10L5 8zM3 3h1.6v10H3z",
  ahead: "M4 3v10l7-5zM11.4 3H13v10h-1.6z",
  theme: "M8 1a7 7 0 1 0 0 14A7 7 0 1 0 8 1zM8 2.8a5.2 5.2 0 0 1 0 10.4z",
  panel: "M2 3h12v1.6H2zM2 7.2h12v1.6H2zM2 11.4h12V13H2z",
  sound: "M2 6v4h2.5L8 13V3L4.5 6zM10 5.2a4 4 0 0 1 0 5.6l1 1a5.4 5.4 0 0 0 0-7.6z",
  mute: "M2 6v4h2.5L8 13V3L4.5 6zM10 6.2l.8-.8 4 4-.8.8zM14 5.4l.8.8-4 4-.8-.8z",
} as const;

export type Sign = keyof typeof SIGNS;

export function setSign(button: HTMLButtonElement, sign: Sign): void {
  if (button.dataset["sign"] === sign) return;
  button.dataset["sign"] = sign;
  button.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill-rule="evenodd" d="${SIGNS[sign]}"/></svg>`;
}

/** A button with a sign, and words for those who do not see it. */
export function button(sign: Sign, words: string, press: () => void): HTMLButtonElement {
  const made = element("button");
  setSign(made, sign);
  made.type = "button";
  made.title = words;
  made.setAttribute("aria-label", words);
  made.addEventListener("click", press);
  return made;
}

/** A choice among words. */
export function choice<T extends string>(label: string, options: [T, string][], chosen: T, choose: (value: T) => void): { root: HTMLElement; select: HTMLSelectElement } {
  const root = element("label", "field", label);
  const select = element("select");
  for (const [value, text] of options) {
    const option = element("option", "", text);
    option.value = value;
    select.append(option);
  }
  select.value = chosen;
  select.addEventListener("change", () => choose(select.value as T));
  root.append(select);
  return { root, select };
}

/** A slider with its value in words. */
export function slider(label: string, range: { min: number; max: number; step: number; value: number }, words: (value: number) => string, change: (value: number) => void): { root: HTMLElement; input: HTMLInputElement } {
  const root = element("label", "field slider");
  const output = element("output", "", words(range.value));
  const input = element("input");
  input.type = "range";
  input.min = String(range.min);
  input.max = String(range.max);
  input.step = String(range.step);
  input.value = String(range.value);
  input.setAttribute("aria-label", label);
  input.addEventListener("input", () => {
    output.textContent = words(input.valueAsNumber);
    change(input.valueAsNumber);
  });
  root.append(element("span", "", label), output, input);
  return { root, input };
}
