/**
 * What a speech session needs of a connection, whichever it is: a WebSocket straight to a container, or
 * SageMaker's bidirectional stream. A connection that dies must throw, never look like a clean end.
 */

export interface SpeechTransport {
  /**
   * Sends one JSON message. Resolves when the transport took it (back-pressure), rejects when it is broken.
   * Sends are kept in order. Need not await `opened`.
   */
  send(message: string): Promise<void>;
  /**
   * What the container sent, whole parts in order; control and audio are not told apart here. Ends only after
   * the peer ended the stream properly. Reading slowly slows the sender down. Iterate once.
   * @throws {SpeechError} TRANSPORT_FAILED, THROTTLED, MODEL_NOT_READY, ...
   */
  readonly parts: AsyncIterable<Uint8Array>;
  /** No more messages from us; the peer's go on. */
  end(): Promise<void>;
  /** Both ways, now; the peer sees a cancelled stream. `parts` throws `reason`. */
  destroy(reason: Error): void;
}
