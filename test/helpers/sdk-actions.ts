/** Which IAM actions a source calls, by the SDK commands and paginators that it imports. */

/** IAM's prefix of each client's service, where it is not the client's name. */
const PREFIXES: Readonly<Record<string, string>> = {
  "application-auto-scaling": "application-autoscaling",
  "bedrock-agentcore-control": "bedrock-agentcore",
  "cloudwatch-logs": "logs",
  "service-quotas": "servicequotas",
};

/** Operations that IAM knows by another name (https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html). */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  "s3:CompleteMultipartUpload": ["s3:PutObject"],
  "s3:CreateMultipartUpload": ["s3:PutObject"],
  "s3:DeleteObjects": ["s3:DeleteObject", "s3:DeleteObjectVersion"],
  "s3:HeadBucket": ["s3:ListBucket"],
  "s3:HeadObject": ["s3:GetObject"],
  "s3:ListMultipartUploads": ["s3:ListBucketMultipartUploads"],
  "s3:ListObjectVersions": ["s3:ListBucketVersions"],
  "s3:ListObjectsV2": ["s3:ListBucket"],
  "s3:ListParts": ["s3:ListMultipartUploadParts"],
  "s3:UploadPart": ["s3:PutObject"],
  "logs:ListLogTags": ["logs:ListTagsLogGroup"],
  "logs:ListTagsLogGroup": ["logs:ListTagsLogGroup"],
  // No permission is needed to ask who one is.
  "sts:GetCallerIdentity": [],
};

const IMPORT =
  /(?:import|const)\s*\{([^}]*)\}\s*(?:from|=\s*await import\()\s*"@aws-sdk\/client-([a-z0-9-]+)"/g;

export function sdkActions(source: string): string[] {
  return [...source.matchAll(IMPORT)].flatMap(([, names, client]) => {
    const prefix = PREFIXES[client!] ?? client!;
    return names!.split(",").flatMap((part) => {
      const name = part.trim();
      const operation = /^(?:paginate(\w+)|(\w+)Command)$/.exec(name);
      if (operation === null) return [];
      const action = `${prefix}:${operation[1] ?? operation[2]}`;
      return OTHER_NAMES[action] ?? [action];
    });
  });
}
