/**
 * The CDK toolkit in this process, for one app: its stacks are deployed, destroyed, rolled back and compared one at a
 * time, by name. The app is synthesized once.
 */
import {
  BootstrapEnvironments,
  BootstrapStackParameters,
  type CachedCloudAssembly,
  DiffMethod,
  ExpandStackSelection,
  type StackDiff,
  StackSelectionStrategy,
  type StackSelector,
  Toolkit,
} from "@aws-cdk/toolkit-lib";
import type { speechApp } from "../../../stacks/speech-app.ts";
import { isSpeechError, SpeechError } from "../../errors.ts";
import type { DeployObserver } from "../progress.ts";
import { ToolkitHost } from "./toolkit-host.ts";
import { untilAborted } from "./until-aborted.ts";

type App = ReturnType<typeof speechApp>;

export interface StackToolkitOptions {
  readonly observe: DeployObserver;
  readonly signal: AbortSignal;
  /** Somebody agreed to the changes. Without it only diff works. */
  readonly consent: boolean;
  /** How often CloudFormation is asked. */
  readonly pollMs: number;
}

export class StackToolkit implements AsyncDisposable {
  readonly #host: ToolkitHost;
  readonly #toolkit: Toolkit;
  readonly #assembly: CachedCloudAssembly;
  readonly #options: StackToolkitOptions;

  private constructor(
    host: ToolkitHost,
    toolkit: Toolkit,
    assembly: CachedCloudAssembly,
    options: StackToolkitOptions,
  ) {
    this.#host = host;
    this.#toolkit = toolkit;
    this.#assembly = assembly;
    this.#options = options;
  }

  /** @param build the app, given where its templates are to be written and CDK's context. */
  static async open(
    build: (outdir: string | undefined, context: Record<string, unknown> | undefined) => App,
    options: StackToolkitOptions,
  ): Promise<StackToolkit> {
    const { host, toolkit } = newToolkit(options);
    const source = await toolkit.fromAssemblyBuilder(
      async ({ outdir, context }) => build(outdir, context).synth(),
      // The environment stays as it is: other clients of this process read it.
      { clobberEnv: false },
    );
    const assembly = await untilAborted(toolkit.synth(source), options.signal).catch((error: unknown) => {
      throw ownError(error) ?? error;
    });
    return new StackToolkit(host, toolkit, assembly, options);
  }

  /** @returns true when CloudFormation found nothing to change. @throws the toolkit's error */
  async deploy(stack: string): Promise<boolean> {
    this.#host.unchanged = false;
    await this.#wait(
      this.#toolkit.deploy(this.#assembly, {
        stacks: only(stack),
        // What an earlier deployment kept (bucket, repository, log groups) is taken over by its name.
        deploymentMethod: { method: "change-set", importExistingResources: true },
        stackEventPollingInterval: this.#options.pollMs,
      }),
    );
    return this.#host.unchanged;
  }

  async destroy(stack: string): Promise<void> {
    await this.#wait(
      this.#toolkit.destroy(this.#assembly, {
        stacks: only(stack),
        stackEventPollingInterval: this.#options.pollMs,
      }),
    );
  }

  async rollBack(stack: string): Promise<void> {
    await this.#wait(this.#toolkit.rollback(this.#assembly, { stacks: only(stack) }));
  }

  /** Against what is deployed; makes no change set. */
  async diff(stacks: readonly string[]): Promise<readonly StackDiff[]> {
    this.#host.diffs.length = 0;
    await this.#wait(
      this.#toolkit.diff(this.#assembly, {
        stacks: { ...only(""), strategy: StackSelectionStrategy.PATTERN_MUST_MATCH, patterns: [...stacks] },
        method: DiffMethod.TemplateOnly(),
      }),
    );
    return [...this.#host.diffs];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#assembly.dispose();
  }

  #wait<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#options.signal);
  }
}

/** Makes the CDK's own stack in an account and region: bucket, roles, version. Never more than once. */
export async function bootstrap(
  { account, region, qualifier }: { account: string; region: string; qualifier?: string | undefined },
  options: StackToolkitOptions,
): Promise<void> {
  const { toolkit } = newToolkit(options);
  const place = `aws://${account}/${region}`;
  await untilAborted(
    toolkit.bootstrap(BootstrapEnvironments.fromList([place]), {
      ...(qualifier !== undefined && { parameters: BootstrapStackParameters.withExisting({ qualifier }) }),
    }),
    options.signal,
  ).catch((cause: unknown) => {
    options.signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message.replace(/\s+/g, " ").replace(/\.$/, "") : "";
    throw new SpeechError(
      "DEPLOYMENT_FAILED",
      `cannot bootstrap ${place}: ${reason}; somebody who may make roles can run npx aws-cdk bootstrap ${place}`,
      { cause },
    );
  });
}

/** What our stacks refuse comes back wrapped in the toolkit's words. */
function ownError(error: unknown): SpeechError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isSpeechError(at)) return at;
  return undefined;
}

function newToolkit({ observe, consent }: StackToolkitOptions): { host: ToolkitHost; toolkit: Toolkit } {
  const host = new ToolkitHost(observe, consent);
  return { host, toolkit: new Toolkit({ ioHost: host, emojis: false, color: false }) };
}

function only(stack: string): StackSelector {
  return {
    strategy: StackSelectionStrategy.PATTERN_MUST_MATCH_SINGLE,
    patterns: [stack],
    expand: ExpandStackSelection.NONE,
  };
}
