/** What every page has: a heading, a stage, a panel, light or dark. */
import { button, element } from "../views/dom";

export interface Frame {
  root: HTMLElement;
  stage: HTMLElement;
  canvas: HTMLCanvasElement;
  panel: HTMLElement;
  /** Where hovering tells its numbers. */
  tip: HTMLElement;
}

export function makeFrame(title: string, about: string, repaint: () => void): Frame {
  document.title = `${title} · Carom`;
  const root = element("div", "frame");
  const header = element("header");
  const words = element("div", "words");
  words.append(element("h1", "", title), element("p", "", about));
  const panelButton = button("panel", "Panel (p)", () => {
    root.classList.toggle("wide");
    repaint();
  });
  header.append(words, button("theme", "Light or dark (d)", () => switchTheme(repaint)), panelButton);
  const stage = element("main", "stage");
  const canvas = element("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", "3D view: drag to orbit, scroll to zoom");
  const tip = element("div", "tip");
  tip.hidden = true;
  stage.append(canvas, tip);
  const panel = element("aside", "panel");
  root.append(header, stage, panel);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  return { root, stage, canvas, panel, tip };
}

/** Turns the theme that the system asked for into the other, and back. */
export function switchTheme(repaint: () => void): void {
  const root = document.documentElement;
  const dark = getComputedStyle(root).colorScheme === "dark";
  root.dataset["theme"] = dark ? "light" : "dark";
  repaint();
}

/** Puts the tip beside a place of the page, within the stage. */
export function placeTip(tip: HTMLElement, x: number, y: number, lines: string[]): void {
  tip.replaceChildren(...lines.map((line, i) => element(i === 0 ? "strong" : "span", "", line)));
  tip.hidden = false;
  const box = tip.parentElement!.getBoundingClientRect();
  const left = Math.min(x - box.left + 14, box.width - tip.offsetWidth - 8);
  const top = Math.min(y - box.top + 14, box.height - tip.offsetHeight - 8);
  tip.style.transform = `translate(${Math.max(left, 8)}px, ${Math.max(top, 8)}px)`;
}
