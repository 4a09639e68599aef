/** The stretch of a turn's text that is still looked at. Positions count UTF-16 units from the begin of the turn. */
import { isHighSurrogate } from "./characters.ts";

const SPACE = 0x20;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
/** 1 for ASCII letters and digits. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[a-zA-Z0-9]/.test(String.fromCharCode(unit)) ? 1 : 0,
);

export class TextWindow {
  #text = "";
  #origin = 0;

  append(fragment: string): void {
    this.#text = this.#text === "" ? fragment : this.#text + fragment;
  }

  get end(): number {
    return this.#origin + this.#text.length;
  }

  /** undefined behind the end, and for half a character whose other half is in the next fragment. */
  codeAt(position: number): number | undefined {
    const index = position - this.#origin;
    const code = this.#text.codePointAt(index);
    if (code === undefined || (isHighSurrogate(code) && index + 1 === this.#text.length)) return undefined;
    return code;
  }

  unitAt(position: number): number {
    return this.#text.charCodeAt(position - this.#origin);
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from - this.#origin, to - this.#origin);
  }

  /** Where a run of plain letters and digits ends, at `to` at the latest. */
  wordRunEnd(from: number, to: number): number {
    const last = Math.min(this.#text.length, to - this.#origin);
    let index = from - this.#origin;
    while (index < last) {
      const unit = this.#text.charCodeAt(index);
      if (PLAIN[unit] !== 1) break;
      index++;
    }
    return index + this.#origin;
  }

  /** Whether a space and a small letter stand here. */
  beginsPlainWord(position: number): boolean {
    const index = position - this.#origin;
    if (this.#text.charCodeAt(index) !== SPACE) return false;
    const unit = this.#text.charCodeAt(index + 1);
    return unit >= SMALL_A && unit <= SMALL_Z;
  }

  forgetBefore(position: number): void {
    this.#text = this.#text.slice(position - this.#origin);
    this.#origin = position;
  }

  clear(): void {
    this.#text = "";
    this.#origin = 0;
  }
}
