/** Colours for numbers: the maps of Carom's pictures, even to the eye and safe for colour-blind ones. */
export type Rgb = [number, number, number];

const TABLES = {
  viridis: [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725],
  cividis: [0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838],
  "blue-red": [0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b],
} as const;

export type Colormap = keyof typeof TABLES;
export const COLORMAPS = Object.keys(TABLES) as Colormap[];

/** The colour of a number in [0, 1], as sRGB in [0, 1]; numbers outside take the nearer end. */
export function colourOf(map: Colormap, value: number): Rgb {
  const table = TABLES[map];
  const place = Math.min(Math.max(value || 0, 0), 1) * (table.length - 1);
  const index = Math.min(Math.floor(place), table.length - 2);
  const share = place - index;
  const channel = (colour: number, shift: number) => ((colour >> shift) & 255) / 255;
  const mix = (shift: number) => (1 - share) * channel(table[index]!, shift) + share * channel(table[index + 1]!, shift);
  return [mix(16), mix(8), mix(0)];
}

/** Linear light of an sRGB channel: what shaders compute in. */
export function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

/** A map in linear light, in 256 steps: what thousands of bodies are coloured from at every picture. */
export function linearTable(map: Colormap): Float32Array {
  const table = new Float32Array(3 * 256);
  for (let i = 0; i < 256; i++) table.set(colourOf(map, i / 255).map(linear), 3 * i);
  return table;
}

/** A map as a gradient for a legend. */
export function gradient(map: Colormap): string {
  const stops = TABLES[map].map((colour) => `#${colour.toString(16).padStart(6, "0")}`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
