/** One emulator for a test file, and the official clients set up for it. */
import { CreateRepositoryCommand, ECRClient } from "@aws-sdk/client-ecr";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import {
  type AwsEmulator,
  EMULATED_REGION,
  emulatorPython,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { pushImage } from "./pushed-image.ts";
import { TEST_REPOSITORY } from "./speech-template.ts";

export const python = await emulatorPython();

/** Call it at the top of a describe. Each test finds the emulator as new. */
export function useEmulator(): { readonly emulator: AwsEmulator } {
  const session: { emulator?: AwsEmulator } = {};
  beforeAll(async () => {
    session.emulator = await startAwsEmulator(python!);
    for (const [name, value] of Object.entries(session.emulator.env)) vi.stubEnv(name, value);
  });
  beforeEach(() => session.emulator!.reset());
  afterAll(async () => {
    await session.emulator?.close();
    vi.unstubAllEnvs();
  });
  return session as { emulator: AwsEmulator };
}

/** For every client; a refusal is not tried again. */
export const CLIENT = { region: EMULATED_REGION, maxAttempts: 1 };

/** The repository with an image under each tag. */
export async function prepareImages(emulator: AwsEmulator, ...tags: string[]): Promise<void> {
  const ecr = new ECRClient(CLIENT);
  await ecr.send(
    new CreateRepositoryCommand({ repositoryName: TEST_REPOSITORY, imageTagMutability: "IMMUTABLE" }),
  );
  for (const tag of tags) await pushImage(emulator.url, TEST_REPOSITORY, tag, { labels: { tag } });
}
