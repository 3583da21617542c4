/** Drawing on a canvas in the page's own units and colours, sharp on every screen. */
export function prepare(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; width: number; height: number } | undefined {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = canvas.getContext("2d");
  if (!pen || width === 0 || height === 0) return undefined;
  const ratio = Math.min(window.devicePixelRatio, 2);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  return { pen, width, height };
}

/** A colour of the page by its name in the style sheet. */
export function theme(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Round numbers that divide a range into about so many parts. */
export function ticks(from: number, to: number, about: number): number[] {
  const raw = (to - from) / Math.max(about, 1);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10) * power;
  const found: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) found.push(i * step);
  return found;
}
