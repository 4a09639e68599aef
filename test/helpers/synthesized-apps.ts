/** Apps synthesized once a test run: loading aws-cdk-lib takes a second, an app some tenths. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App, CfnResource, Stack } from "aws-cdk-lib";
import { App as AppClass, CfnResource as CfnResourceClass, Stack as StackClass } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { type AgentAppProps, agentApp } from "../../stacks/agent-app.ts";
import { type SpeechAppProps, speechApp } from "../../stacks/speech-app.ts";

export const PLACE = { account: "123456789012", region: "eu-west-1" } as const;
export const SPEECH: SpeechAppProps = {
  ...PLACE,
  stage: "main",
  modelId: "kokoro-82m",
  imageTag: "0123abcd",
};
export const AGENT: AgentAppProps = {
  ...PLACE,
  stage: "main",
  bedrockModelId: "eu.amazon.nova-lite-v1:0",
  speechEndpointName: "speech-kokoro-82m",
  imageTag: "4567cdef",
};

export const KMS_KEY_ARN = "arn:aws-cn:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef";

export interface TemplateResource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string[];
}

export interface SynthesizedApp {
  readonly app: App;
  readonly stacks: readonly Stack[];
  template(stackName: string): Template;
  /** All templates as one JSON text. */
  readonly text: string;
  readonly resources: ReadonlyMap<string, TemplateResource>;
}

const made = new Map<string, SynthesizedApp>();

export function speech(changes: Partial<SpeechAppProps> = {}): SynthesizedApp {
  return once("speech", changes, (outdir) => speechApp({ ...SPEECH, ...changes, outdir }));
}

export function agent(changes: Partial<AgentAppProps> = {}): SynthesizedApp {
  return once("agent", changes, (outdir) => agentApp({ ...AGENT, ...changes, outdir }));
}

/** An app writes its folder as soon as it is made, and leaves it: here it goes, also when the app throws. */
export function synthesize(
  make: (outdir: string) => App,
  prepare: (app: App) => void = () => {},
): SynthesizedApp {
  const outdir = mkdtempSync(join(tmpdir(), "kokoro-cdk-"));
  try {
    const app = make(outdir);
    prepare(app);
    const assembly = app.synth();
    const stacks = app.node.findAll().filter((construct) => StackClass.isStack(construct));
    return describeApp(
      app,
      stacks,
      new Map(stacks.map(({ stackName }) => [stackName, assembly.getStackByName(stackName).template])),
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** A stack that is never written: for what a construct makes of a name. */
export function withStack<Result>(region: string, use: (stack: Stack) => Result): Result {
  const outdir = mkdtempSync(join(tmpdir(), "kokoro-cdk-"));
  try {
    return use(
      new StackClass(new AppClass({ outdir }), "stack", { env: { account: PLACE.account, region } }),
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function describeApp(
  app: App,
  stacks: readonly Stack[],
  templates: ReadonlyMap<string, { Resources: Record<string, TemplateResource> }>,
): SynthesizedApp {
  return {
    app,
    stacks,
    template: (stackName) => Template.fromJSON(templates.get(stackName)!),
    text: JSON.stringify([...templates.values()]),
    resources: new Map(
      [...templates].flatMap(([stackName, { Resources }]) =>
        Object.entries(Resources).map(([id, resource]) => [`${stackName}/${id}`, resource] as const),
      ),
    ),
  };
}

export function cfnResources(app: App): CfnResource[] {
  return app.node.findAll().filter((construct) => CfnResourceClass.isCfnResource(construct));
}

/** The statements of a role, by their actions. */
export function statements(
  resource: TemplateResource,
): Map<string, { Resource: unknown; Condition?: unknown }> {
  const policies = resource.Properties.Policies as {
    PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown; Condition?: unknown }[] };
  }[];
  const found = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return new Map(found.map((statement) => [[statement.Action].flat().join(" "), statement]));
}

/** A value of a template with its references written out: `arn:<AWS::Partition>:s3:::bucket/*`. */
export function flat(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(flat).join(" ");
  const [[name, argument]] = Object.entries(value as Record<string, unknown>) as [[string, unknown]];
  if (name === "Fn::Join") {
    const [delimiter, parts] = argument as [string, unknown[]];
    return parts.map(flat).join(delimiter);
  }
  return `<${[argument].flat().join(".")}>`;
}

function once(side: string, changes: object, make: (outdir: string) => App): SynthesizedApp {
  const key = `${side} ${JSON.stringify(changes, (_key, value) => (value === undefined ? "none" : value))}`;
  const app = made.get(key) ?? synthesize(make);
  made.set(key, app);
  return app;
}
