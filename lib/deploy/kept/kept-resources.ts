/**
 * What outlives its stacks: buckets, repositories, log groups. Found by their names, counted as ours only with our tags,
 * with what they cost to keep.
 */
import {
  CloudWatchLogsClient,
  ListTagsForResourceCommand as ListLogTagsCommand,
  paginateDescribeLogGroups,
} from "@aws-sdk/client-cloudwatch-logs";
import {
  DescribeRepositoriesCommand,
  ECRClient,
  ListTagsForResourceCommand,
  paginateDescribeImages,
} from "@aws-sdk/client-ecr";
import { GetBucketTaggingCommand } from "@aws-sdk/client-s3";
import { TAGS } from "../../config/deployment-names.ts";
import { clientOptions, s3Client } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import type { DeploymentPlace } from "../deployment-place.ts";
import { bucketVersions } from "./bucket-versions.ts";
import type { KeptKind, KeptName } from "./kept-names.ts";

export interface KeptResource {
  readonly kind: KeptKind;
  readonly name: string;
  readonly sizeBytes: number;
  readonly usdPerMonth: number;
}

/**
 * US dollars for a gigabyte and month in us-east-1: S3 Standard, ECR, CloudWatch Logs' archive. As remembered, not
 * fetched, for an order of magnitude (https://aws.amazon.com/s3/pricing/, /ecr/pricing/, /cloudwatch/pricing/).
 */
const USD_PER_GB_MONTH: Readonly<Record<KeptKind, number>> = {
  bucket: 0.023,
  repository: 0.1,
  "log group": 0.03,
};

/** @returns those that are there and carry our product's tag and the stage's. */
export async function findKept(
  place: DeploymentPlace,
  stage: string,
  names: readonly KeptName[],
  signal: AbortSignal,
): Promise<KeptResource[]> {
  const found = await Promise.all(
    names.map(async ({ kind, name }) => {
      const { action, find } = FINDERS[kind];
      const resources = await asking(action, place.region, signal, () => find(name, place, signal));
      return resources.filter(({ tags }) => isOurs(tags, stage)).map((resource) => priced(kind, resource));
    }),
  );
  return found.flat();
}

export function isOurs(tags: Readonly<Record<string, string>>, stage: string): boolean {
  return tags[TAGS.productKey] === TAGS.product && tags[TAGS.stageKey] === stage;
}

interface FoundResource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly tags: Readonly<Record<string, string>>;
}

type KeptFinder = (name: string, place: DeploymentPlace, signal: AbortSignal) => Promise<FoundResource[]>;

function priced(kind: KeptKind, { name, sizeBytes }: FoundResource): KeptResource {
  return { kind, name, sizeBytes, usdPerMonth: (sizeBytes / 1e9) * USD_PER_GB_MONTH[kind] };
}

const findBucket: KeptFinder = async (name, place, abortSignal) => {
  const client = s3Client(place);
  // Somebody else's bucket of this name answers AccessDenied: not ours either.
  const tagging = await unless(/NoSuchBucket|NoSuchTagSet|AccessDenied|Forbidden/, () =>
    client.send(new GetBucketTaggingCommand({ Bucket: name }), { abortSignal }),
  );
  if (tagging === undefined) return [];
  let sizeBytes = 0;
  for await (const page of bucketVersions(client, name, abortSignal)) {
    for (const version of page) sizeBytes += version.sizeBytes;
  }
  return [{ name, sizeBytes, tags: tagMap(tagging.TagSet) }];
};

const findRepository: KeptFinder = async (name, place, abortSignal) => {
  const client = new ECRClient(clientOptions(place));
  const found = await unless(/RepositoryNotFound/, () =>
    client.send(new DescribeRepositoriesCommand({ repositoryNames: [name] }), { abortSignal }),
  );
  const resourceArn = found?.repositories?.[0]?.repositoryArn;
  if (resourceArn === undefined) return [];
  const { tags } = await client.send(new ListTagsForResourceCommand({ resourceArn }), { abortSignal });
  let sizeBytes = 0;
  for await (const page of paginateDescribeImages({ client }, { repositoryName: name })) {
    for (const image of page.imageDetails ?? []) sizeBytes += image.imageSizeInBytes ?? 0;
  }
  return [{ name, sizeBytes, tags: tagMap(tags) }];
};

const findLogGroups: KeptFinder = async (name, place, abortSignal) => {
  const client = new CloudWatchLogsClient(clientOptions(place));
  const prefix = name.replace(/\*$/, "");
  const found: FoundResource[] = [];
  for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePrefix: prefix })) {
    for (const group of page.logGroups ?? []) {
      if (name === prefix && group.logGroupName !== name) continue;
      const resourceArn = group.logGroupArn ?? group.arn!.replace(/:\*$/, "");
      const { tags } = await client.send(new ListLogTagsCommand({ resourceArn }), { abortSignal });
      found.push({ name: group.logGroupName!, sizeBytes: group.storedBytes ?? 0, tags: tags ?? {} });
    }
  }
  return found;
};

const FINDERS: Readonly<Record<KeptKind, { readonly action: string; readonly find: KeptFinder }>> = {
  bucket: { action: "s3:ListBucketVersions", find: findBucket },
  repository: { action: "ecr:DescribeImages", find: findRepository },
  "log group": { action: "logs:DescribeLogGroups", find: findLogGroups },
};

function tagMap(tags: readonly { Key?: string | undefined; Value?: string | undefined }[] = []) {
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key ?? "", Value ?? ""]));
}

/** @returns undefined for errors whose name fits: what is absent is no failure. */
async function unless<T>(names: RegExp, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && names.test(error.name)) return undefined;
    throw error;
  }
}
