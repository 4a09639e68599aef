/** May this account ask the chosen language model of Bedrock, here and streaming? */
import {
  BedrockClient,
  type FoundationModelDetails,
  GetFoundationModelAvailabilityCommand,
  type GetFoundationModelAvailabilityResponse,
  GetFoundationModelCommand,
  GetInferenceProfileCommand,
  ListInferenceProfilesCommand,
} from "@aws-sdk/client-bedrock";
import type { AwsPlace } from "../aws-clients.ts";
import { asking, exceptionName, isMissing } from "../aws-failure.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, type Finding, failed, ok, warning } from "./finding.ts";

export function languageModelCheck(place: AwsPlace, modelId: string): Check {
  return {
    name: "language-model",
    subject: `Bedrock's model ${modelId}`,
    needsAws: true,
    run: async (signal) => {
      if (
        /^arn:.*:(provisioned-model|imported-model|custom-model-deployment|application-inference-profile)\//.test(
          modelId,
        )
      ) {
        return warning(
          "language-model",
          `${modelId} is the account's own: whether it answers is not checked`,
        );
      }
      return await new ModelAccess(place, signal).check(modelId);
    },
  };
}

class ModelAccess {
  readonly #client: BedrockClient;
  readonly #region: string;
  readonly #signal: AbortSignal;

  constructor(place: AwsPlace, signal: AbortSignal) {
    this.#client = new BedrockClient(checkOptions(place));
    this.#region = place.region;
    this.#signal = signal;
  }

  async check(modelId: string): Promise<Finding> {
    const [model, profile] = await Promise.all([this.#model(modelId), this.#profile(modelId)]);
    if (profile !== undefined) {
      const base = profile.find((arn) => arn.includes(`:${this.#region}:`)) ?? profile[0];
      const baseId = base?.split("/").at(-1);
      if (baseId === undefined) return ok("language-model", `${modelId}, an inference profile`);
      const [details, availability] = await Promise.all([this.#model(baseId), this.#availability(baseId)]);
      return judgeModel(modelId, details, availability, this.#region, "profile");
    }
    if (model !== undefined) {
      if (isByProfileOnly(model)) {
        return failed(
          "language-model",
          `${modelId} is to be had by an inference profile only`,
          await this.#profileAdvice(modelId),
        );
      }
      return judgeModel(modelId, model, await this.#availability(modelId), this.#region, "direct");
    }
    return failed(
      "language-model",
      `Bedrock has no model or inference profile ${modelId} in ${this.#region}`,
      `aws bedrock list-inference-profiles --region ${this.#region}, then --bedrock-model-id ID`,
    );
  }

  async #model(modelIdentifier: string): Promise<FoundationModelDetails | undefined> {
    return await this.#asked("bedrock:GetFoundationModel", async () => {
      const command = new GetFoundationModelCommand({ modelIdentifier });
      return (await this.#client.send(command, { abortSignal: this.#signal })).modelDetails;
    });
  }

  /** ARNs of the models that a profile routes to. */
  async #profile(inferenceProfileIdentifier: string): Promise<string[] | undefined> {
    return await this.#asked("bedrock:GetInferenceProfile", async () => {
      const command = new GetInferenceProfileCommand({ inferenceProfileIdentifier });
      const { models = [] } = await this.#client.send(command, { abortSignal: this.#signal });
      return models.map(({ modelArn }) => modelArn!);
    });
  }

  async #availability(modelId: string): Promise<GetFoundationModelAvailabilityResponse | undefined> {
    const id = modelId.split("/").at(-1)!;
    return await this.#asked("bedrock:GetFoundationModelAvailability", () =>
      this.#client.send(new GetFoundationModelAvailabilityCommand({ modelId: id }), {
        abortSignal: this.#signal,
      }),
    );
  }

  async #profileAdvice(modelId: string): Promise<string> {
    const profiles = await this.#asked("bedrock:ListInferenceProfiles", async () => {
      const command = new ListInferenceProfilesCommand({ maxResults: 1_000 });
      return (await this.#client.send(command, { abortSignal: this.#signal })).inferenceProfileSummaries;
    }).catch(() => undefined);
    const ids = (profiles ?? []).flatMap(({ inferenceProfileId }) => inferenceProfileId ?? []);
    const fitting = ids.filter((id) => id.endsWith(`.${modelId}`));
    return fitting.length === 0
      ? `aws bedrock list-inference-profiles --region ${this.#region}, then --bedrock-model-id ID`
      : `--bedrock-model-id ${fitting.join(" or ")}`;
  }

  /** undefined when Bedrock does not know the id: it says so by a validation error too. */
  async #asked<Answer>(action: string, call: () => Promise<Answer>): Promise<Answer | undefined> {
    return await asking(action, this.#region, this.#signal, async () => {
      try {
        return await call();
      } catch (cause) {
        if (isMissing(cause) || exceptionName(cause) === "ValidationException") return undefined;
        throw cause;
      }
    });
  }
}

function isByProfileOnly({ inferenceTypesSupported }: FoundationModelDetails): boolean {
  // INFERENCE_PROFILE is not in the SDK's list of kinds, but is what Bedrock answers.
  const kinds: readonly string[] = inferenceTypesSupported ?? [];
  return kinds.includes("INFERENCE_PROFILE") && !kinds.includes("ON_DEMAND");
}

/** @param kind a profile routes past a region that lacks the model. */
export function judgeModel(
  modelId: string,
  details: Pick<FoundationModelDetails, "responseStreamingSupported" | "modelLifecycle"> | undefined,
  availability: Partial<GetFoundationModelAvailabilityResponse> | undefined,
  region: string,
  kind: "direct" | "profile",
): Finding {
  const access = `open Bedrock's model catalog in ${region} and request access to it`;
  if (details?.responseStreamingSupported === false) {
    return failed(
      "language-model",
      `${modelId} cannot stream its answer`,
      "choose another --bedrock-model-id",
    );
  }
  if (kind === "direct" && availability?.regionAvailability === "NOT_AVAILABLE") {
    return failed(
      "language-model",
      `${modelId} is not available in ${region}`,
      "choose another --region, or an inference profile as --bedrock-model-id",
    );
  }
  if (
    availability?.authorizationStatus === "NOT_AUTHORIZED" ||
    availability?.entitlementAvailability === "NOT_AVAILABLE"
  ) {
    return failed("language-model", `this account has no access to ${modelId}`, access);
  }
  const agreement = availability?.agreementAvailability?.status;
  if (agreement !== undefined && agreement !== "AVAILABLE") {
    return failed("language-model", `the agreement for ${modelId} is not accepted`, access);
  }
  if (details?.modelLifecycle?.status === "LEGACY") {
    return warning("language-model", `${modelId} is to be withdrawn by its maker`, "choose a newer model");
  }
  return ok("language-model", `${modelId}${kind === "profile" ? ", an inference profile" : ""}`);
}
