/** Spectra: a fast Fourier transform, the loudest partials of a sound, and spectrograms. */

/** In place, of a length that is a power of two. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j]!, re[i]!];
      [im[i], im[j]] = [im[j]!, im[i]!];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1;
    const step = (-2 * Math.PI) / size;
    for (let k = 0; k < half; k++) {
      const [c, s] = [Math.cos(step * k), Math.sin(step * k)];
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const x = c * re[j]! - s * im[j]!;
        const y = s * re[j]! + c * im[j]!;
        re[j] = re[i]! - x;
        im[j] = im[i]! - y;
        re[i]! += x;
        im[i]! += y;
      }
    }
  }
}

/** Magnitudes of a piece of a sound under a Hann window, from 0 to half the rate. */
export function magnitudes(samples: ArrayLike<number>, from: number, size: number): Float64Array {
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let i = 0; i < size; i++) re[i] = (samples[from + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
  fft(re, im);
  return Float64Array.from({ length: size / 2 }, (_, k) => Math.hypot(re[k]!, im[k]!));
}

/** Frequencies of the strongest peaks, strongest first, Hz. */
export function strongest(samples: ArrayLike<number>, rate: number, count: number, size = 32768): number[] {
  const spectrum = magnitudes(samples, 0, size);
  const peaks: number[] = [];
  for (let k = 2; k < spectrum.length - 1; k++) {
    if (spectrum[k]! > spectrum[k - 1]! && spectrum[k]! >= spectrum[k + 1]!) peaks.push(k);
  }
  peaks.sort((a, b) => spectrum[b]! - spectrum[a]!);
  return peaks.slice(0, count).map((k) => {
    // The top of a parabola through three logarithms lies between bins.
    const [a, b, c] = [spectrum[k - 1]!, spectrum[k]!, spectrum[k + 1]!].map((x) => Math.log(x + 1e-300)) as [number, number, number];
    return ((k + (a - c) / (2 * (a - 2 * b + c))) * rate) / size;
  });
}

/** Decibels below the loudest, in columns of time and rows of frequency from 0 to `top` Hz. */
export function spectrogram(samples: ArrayLike<number>, rate: number, columns: number, rows: number, top: number, size = 1024): Float32Array {
  const out = new Float32Array(columns * rows).fill(-Infinity);
  let loudest = -Infinity;
  for (let column = 0; column < columns; column++) {
    const middle = Math.round(((column + 0.5) / columns) * samples.length);
    const spectrum = magnitudes(samples, Math.max(Math.min(middle - size / 2, samples.length - size), 0), size);
    // A row shows the loudest of its bins, so that a tone between two rows is not lost.
    const bin = (row: number) => Math.min(Math.floor(((row / rows) * top * size) / rate), spectrum.length - 1);
    for (let row = 0; row < rows; row++) {
      let most = 0;
      for (let k = bin(row); k <= Math.max(bin(row + 1) - 1, bin(row)); k++) most = Math.max(most, spectrum[k]!);
      const level = 20 * Math.log10(most + 1e-12);
      out[column * rows + row] = level;
      if (level > loudest) loudest = level;
    }
  }
  return out.map((level) => level - loudest);
}
