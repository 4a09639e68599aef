/** An account with both sides deployed, made once for a test file. Commands run inside, started ones as processes. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { agentNames, modelBucketName, speechNames } from "../../../lib/config/deployment-names.ts";
import { imageTag } from "../../../lib/deploy/images/content-hash.ts";
import { agentApp } from "../../../stacks/agent-app.ts";
import { MODEL_PREFIX_DEFAULT, speechApp } from "../../../stacks/speech-app.ts";
import {
  type AwsEmulator,
  EMULATED_ACCOUNT as account,
  EMULATED_REGION as region,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { type CliResult, killCommands, type Program, RunningCli } from "../../helpers/run-cli.ts";
import { runInside } from "../../helpers/run-inside.ts";
import { CdkSession } from "./cdk-session.ts";
import { CLIENT, python } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";

export const SPEECH = speechNames("kokoro-82m", "main");
export const AGENT = agentNames("main");
/** Another image than the source's, which is pushed too. */
export const OTHER_TAG = "other";

export class DeployedAccount {
  readonly emulator: AwsEmulator;
  readonly #cdk = new CdkSession();

  constructor(emulator: AwsEmulator) {
    this.emulator = emulator;
  }

  async deployFoundations(): Promise<void> {
    await bootstrapEmulator(this.emulator);
    const speech = await this.#speech();
    await this.#cdk.deploy(speech, SPEECH.stacks.foundation, SPEECH.stacks.modelCache);
    await this.#cdk.deploy(await this.#agent(), AGENT.stacks.foundation);
    const Bucket = modelBucketName(SPEECH, account, region);
    await new S3Client({ ...CLIENT, forcePathStyle: true }).send(
      new PutObjectCommand({ Bucket, Key: `${MODEL_PREFIX_DEFAULT}manifest.json`, Body: "{}" }),
    );
    for (const tag of [await imageTag("tts", "cuda"), OTHER_TAG]) {
      await pushImage(this.emulator.url, SPEECH.repository, tag, { labels: { tag } });
    }
    for (const tag of [await imageTag("agent", "cpu"), OTHER_TAG]) {
      await pushImage(this.emulator.url, AGENT.repository, tag, { labels: { tag } });
    }
  }

  /** @param tag the source's when absent. */
  async deployEndpoint(tag?: string): Promise<void> {
    await this.#cdk.deploy(await this.#speech(tag), SPEECH.stacks.endpoint);
  }

  async deployRuntime(tag?: string): Promise<void> {
    await this.#cdk.deploy(await this.#agent(tag), AGENT.stacks.runtime);
  }

  run(program: Program, ...args: string[]): Promise<CliResult> {
    return runInside(program, args);
  }

  start(program: Program, ...args: string[]): RunningCli {
    return new RunningCli(program, args, { env: this.env });
  }

  /** No prepared model of the machine that runs the tests: what is deployed would differ from it, or not. */
  get env(): Readonly<Record<string, string | undefined>> {
    return {
      ...this.emulator.env,
      XDG_CACHE_HOME: join(tmpdir(), "no-model-cache"),
      KOKORO_MODEL_DIR: undefined,
      KOKORO_WEIGHT_SOURCES: "none",
    };
  }

  async #speech(tag?: string) {
    const content = { imageTag: tag ?? (await imageTag("tts", "cuda")) };
    return speechApp({ modelId: "kokoro-82m", stage: "main", account, region, ...content });
  }

  async #agent(tag?: string) {
    return agentApp({
      stage: "main",
      account,
      region,
      imageTag: tag ?? (await imageTag("agent", "cpu")),
      bedrockModelId: "us.amazon.nova-lite-v1:0",
      speechEndpointName: SPEECH.endpoint,
    });
  }
}

/** Call it at the top of a describe. Each test finds the account as `prepare` left it. */
export function useDeployedAccount(prepare: (account: DeployedAccount) => Promise<void>): {
  readonly account: DeployedAccount;
} {
  const session: { account?: DeployedAccount } = {};
  let restore: () => Promise<void>;
  beforeAll(async () => {
    const emulator = await startAwsEmulator(python!);
    session.account = new DeployedAccount(emulator);
    for (const [name, value] of Object.entries(session.account.env)) vi.stubEnv(name, value);
    await prepare(session.account);
    restore = await emulator.snapshot();
  });
  beforeEach(() => restore());
  afterEach(killCommands);
  afterAll(async () => {
    await session.account?.emulator.close();
    vi.unstubAllEnvs();
  });
  return session as { account: DeployedAccount };
}
