/** What holds for all five stacks. */
import { type App, Stack, TagManager, Validations } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { agentApp } from "../../stacks/agent-app.ts";
import { speechApp } from "../../stacks/speech-app.ts";
import {
  AGENT,
  agent,
  cfnResources,
  KMS_KEY_ARN,
  SPEECH,
  type SynthesizedApp,
  speech,
  synthesize,
} from "../helpers/synthesized-apps.ts";

const KEPT_NAMES: Readonly<Record<string, string>> = {
  "AWS::S3::Bucket": "BucketName",
  "AWS::ECR::Repository": "RepositoryName",
  "AWS::Logs::LogGroup": "LogGroupName",
};
const SIDES: [string, () => SynthesizedApp][] = [
  ["speech", () => speech()],
  ["agent", () => agent()],
];

describe("cdk-nag's AwsSolutions", () => {
  const key = { kmsKeyArn: KMS_KEY_ARN };
  const anywhere = { account: undefined, region: undefined };
  const check = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

  it.each<[string, (outdir: string) => App]>([
    ["speech", (outdir) => speechApp({ ...SPEECH, outdir })],
    ["speech with a key, anywhere", (outdir) => speechApp({ ...SPEECH, ...anywhere, options: key, outdir })],
    ["agent", (outdir) => agentApp({ ...AGENT, outdir })],
    ["agent with a key, anywhere", (outdir) => agentApp({ ...AGENT, ...anywhere, options: key, outdir })],
  ])("finds nothing that is not acknowledged: %s", (_side, make) => {
    expect(() => synthesize(make, check)).not.toThrow();
  });

  it("would find a bucket that is open", () => {
    const open = (app: App) => {
      new Bucket(new Stack(app, "open"), "Bucket");
      check(app);
    };
    expect(() => synthesize((outdir) => agentApp({ ...AGENT, outdir }), open)).toThrow("AwsSolutions-S10");
  });
});

describe.each(SIDES)("%s", (_side, side) => {
  it("keeps buckets, repositories and log groups, under names that the next deploy finds again", () => {
    const stores = [...side().resources].filter(([, { Type }]) => Type in KEPT_NAMES);
    expect(stores.length).toBeGreaterThan(3);
    for (const [id, { Type, Properties, DeletionPolicy, UpdateReplacePolicy }] of stores) {
      expect([DeletionPolicy, UpdateReplacePolicy], id).toEqual(["Retain", "Retain"]);
      expect(Properties[KEPT_NAMES[Type]!], id).toBeDefined();
    }
    const kept = [...side().resources].filter(([, { DeletionPolicy }]) => DeletionPolicy === "Retain");
    expect(kept).toEqual(stores);
  });

  it("tags all that can be tagged with product and stage", () => {
    const { app, resources } = side();
    const taggable = cfnResources(app).filter((resource) => TagManager.of(resource) !== undefined);
    expect(taggable.length).toBeGreaterThan(5);
    for (const resource of taggable) {
      const stack = Stack.of(resource);
      const { Type, Properties } = resources.get(`${stack.stackName}/${stack.resolve(resource.logicalId)}`)!;
      const tags = JSON.stringify(Properties.Tags ?? Properties.TagsMap ?? {});
      expect(tags, Type).toContain("kokoro-agent-voice:stage");
      expect(tags, Type).toMatch(/product"(,"Value")?:"kokoro-agent-voice"/);
    }
  });

  it("allows no action with an asterisk, and `*` as a resource only where a service knows none", () => {
    const open = new Set<string>();
    for (const { Type, Properties } of side().resources.values()) {
      if (Type !== "AWS::IAM::Role") continue;
      for (const { PolicyDocument } of Properties.Policies as {
        PolicyDocument: { Statement: Statement[] };
      }[]) {
        for (const { Action, Resource } of PolicyDocument.Statement) {
          for (const action of [Action].flat()) {
            expect(action).not.toContain("*");
            if (Resource === "*") open.add(action.split(":")[0] === "xray" ? "xray" : action);
          }
        }
      }
    }
    for (const action of open) {
      expect(["ecr:GetAuthorizationToken", "cloudwatch:PutMetricData", "xray"]).toContain(action);
    }
  });

  it("stays below the size from which a template needs a bucket to be uploaded to", () => {
    for (const stack of side().stacks) {
      const text = JSON.stringify(side().template(stack.stackName).toJSON(), null, 1);
      expect(text.length, stack.stackName).toBeLessThan(50 * 1024);
    }
  });
});

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

describe.each(["cn-north-1", "us-gov-west-1", "eu-west-1", undefined])("in %s", (region) => {
  it.each([
    ["speech", () => speech({ region })],
    ["agent", () => agent({ region })],
  ])("%s names no partition and no partition's host", (_side, side) => {
    const text = side().text.replaceAll(/"Service":"[a-z-]+\.amazonaws\.com"/g, "");
    expect(text).not.toMatch(/arn:aws/);
    expect(text).not.toMatch(/amazonaws/);
    expect(text).toContain('{"Ref":"AWS::Partition"}');
  });
});

describe("what an account asks for", () => {
  const OPTIONS = { permissionsBoundary: "team/boundary", qualifier: "team1" };
  it.each([
    ["speech", () => speech({ options: OPTIONS })],
    ["agent", () => agent({ options: OPTIONS })],
  ])("%s: every role is bounded, every stack deployed by the bootstrap of that qualifier", (_side, side) => {
    const roles = [...side().resources.values()].filter(({ Type }) => Type === "AWS::IAM::Role");
    expect(roles.length).toBeGreaterThan(0);
    for (const { Properties } of roles) {
      expect(JSON.stringify(Properties.PermissionsBoundary)).toContain(":policy/team/boundary");
    }
    for (const stack of side().stacks) {
      expect(stack.synthesizer.bootstrapQualifier).toBe("team1");
    }
    expect(side().text).toContain("/cdk-bootstrap/team1/version");
  });

  it("a boundary may be told by its ARN", () => {
    const permissionsBoundary = "arn:aws-cn:iam::999999999999:policy/outer";
    expect(agent({ options: { permissionsBoundary } }).text).toContain(
      `"PermissionsBoundary":"${permissionsBoundary}"`,
    );
  });
});

describe("the sides", () => {
  it("import nothing of each other, so that either is destroyed alone", () => {
    expect(agent().text).not.toContain("Fn::ImportValue");
    expect(agent().text).not.toContain('"Export"');
    const imports = [...speech().text.matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name!);
    expect(imports.length).toBeGreaterThan(0);
    for (const name of imports) expect(name).toMatch(/^speech-kokoro-82m-foundation:/);
  });

  it("own no name in common, whatever stage or model", () => {
    const apps = [
      speech(),
      speech({ stage: "cpu" }),
      speech({ modelId: "kokoro-82m-cpu" }),
      agent(),
      agent({ stage: "cpu" }),
    ];
    const names = apps.flatMap((app) => [
      ...app.stacks.map(({ stackName }) => stackName),
      ...ownedNames(app),
    ]);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  function ownedNames({ resources }: SynthesizedApp): string[] {
    return [...resources.values()].flatMap(({ Type, Properties }) =>
      ["BucketName", "RepositoryName", "LogGroupName", "Name", "EndpointName", "AlarmName", "DashboardName"]
        .map((key) => Properties[key])
        .filter((name) => typeof name === "string" && name !== "live")
        .map((name) => `${Type} ${name}`),
    );
  }
});
