/** The page that says what went wrong and what to do. */
import type { Failure } from "../data/failure";
import { element } from "../views/dom";

export function failurePage(failure: Failure): HTMLElement {
  document.title = `${failure.title} · Carom`;
  const page = element("main", "failure");
  page.setAttribute("role", "alert");
  page.append(element("h1", "", failure.title), element("p", "what", failure.message), withCode(failure.remedy));
  return page;
}

/** A line above a page that still shows what is good. */
export function failureBar(failure: Failure): HTMLElement {
  const bar = element("div", "failure-bar");
  bar.setAttribute("role", "alert");
  bar.append(element("strong", "", `${failure.title}.`), element("span", "", failure.message), withCode(`What comes before it is shown. ${failure.remedy}`));
  return bar;
}

/** Words between backquotes are commands. */
function withCode(text: string): HTMLElement {
  const line = element("p", "remedy");
  text.split("`").forEach((part, i) => line.append(i % 2 === 1 ? element("code", "", part) : part));
  return line;
}
