/** Keys and gestures, in a part of the panel that opens. */
import { element } from "../views/dom";

const KEYS = {
  run: [
    ["space", "play or pause"],
    ["← →", "one frame; with shift ten"],
    ["[ ]", "slower, faster"],
    ["Home End", "to the start, to the end"],
    ["drag, scroll", "orbit, zoom; two fingers on a screen"],
    ["double click", "follow a body"],
    ["m", "sound on or off; of two runs one after the other"],
    ["h d p", "camera home, dark, panel"],
  ],
  object: [
    ["click", "strike the body there and hear it"],
    ["drag, scroll", "orbit, zoom; two fingers on a screen"],
    ["↑ ↓", "the mode before, the next"],
    ["space", "hear the mode"],
    ["h d p", "camera home, dark, panel"],
  ],
} as const;

export function helpOf(page: keyof typeof KEYS): HTMLElement {
  const details = element("details", "help");
  const list = element("dl");
  for (const [key, words] of KEYS[page]) list.append(element("dt", "", key), element("dd", "", words));
  details.append(element("summary", "", "Keys and gestures"), list);
  return details;
}
