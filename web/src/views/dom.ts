/** Elements of the page. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** A button with a sign, and words for those who do not see it. */
export function button(sign: string, words: string, press: () => void): HTMLButtonElement {
  const made = element("button", "", sign);
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
