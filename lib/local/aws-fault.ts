/**
 * What a stand-in answers when an AWS service would refuse: HTTP status, error type, body. It is thrown inside
 * lib/local only and always ends as an answer on the wire, so it is no SpeechError: the caller's own client
 * makes one of it.
 */

/** Members beside the message, spelt as the service's model spells them. */
export type FaultMembers = Readonly<Record<string, string | number>>;

export class AwsFault extends Error {
  readonly status: number;
  readonly errorType: string;
  readonly members: FaultMembers;

  constructor(status: number, errorType: string, message: string, members: FaultMembers = {}) {
    super(message);
    this.name = errorType;
    this.status = status;
    this.errorType = errorType;
    this.members = members;
  }

  /** JSON body. Both spellings of the message: modelled errors of SageMaker say `Message`, common ones `message`. */
  body(): string {
    return JSON.stringify({ Message: this.message, message: this.message, ...this.members });
  }

  headers(requestId: string): Record<string, string> {
    return {
      "content-type": "application/json",
      "x-amzn-errortype": this.errorType,
      "x-amzn-requestid": requestId,
    };
  }
}

/** Anything that is no fault yet becomes the service's own 500; its message stays inside. */
export function toAwsFault(error: unknown): AwsFault {
  return error instanceof AwsFault ? error : new AwsFault(500, "InternalServerError", "internal error");
}
