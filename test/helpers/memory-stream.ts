/** stdout or stderr of a command under test: keeps what was written, and can be a terminal. */
import type { OutputStream } from "../../cli/output.ts";

export class MemoryStream implements OutputStream {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(options: { isTTY?: boolean; columns?: number } = {}) {
    this.isTTY = options.isTTY ?? false;
    this.columns = options.columns;
  }

  write(text: string, done?: () => void): void {
    this.text += text;
    done?.();
  }

  on(): void {}
}
