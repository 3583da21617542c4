/** Numbers in words: a few digits and the unit in which a person would say them. */
const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** Three digits with a prefix: 1.23 mN s. */
export function quantity(value: number, unit: string): string {
  if (value === 0) return `0 ${unit}`;
  const size = Math.abs(value);
  if (size < 1e-10) return `${value.toExponential(1)} ${unit}`;
  const [factor, prefix] = PREFIXES.find(([factor]) => size >= factor * 0.9995) ?? PREFIXES[PREFIXES.length - 1]!;
  return `${digits(value / factor)} ${prefix}${unit}`;
}

/** The same without idle zeros: 2 J, 1.5 mJ. */
export function brief(value: number, unit: string): string {
  const [number, rest] = quantity(Number(value.toPrecision(6)), unit).split(" ") as [string, string];
  return `${number.includes(".") ? number.replace(/\.?0+$/, "") : number} ${rest}`;
}

/** Three digits, without an exponent for what people read. */
export function digits(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential(2);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** A time with as many digits as slow motion needs. */
export function seconds(time: number, finest: number): string {
  const places = Math.min(Math.max(Math.ceil(-Math.log10(finest)), 2), 6);
  return `${time.toFixed(places)} s`;
}

/** 1/100 or 2. */
export function rate(speed: number): string {
  return speed >= 1 ? String(speed) : `1/${Math.round(1 / speed)}`;
}
