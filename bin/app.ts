import { cdkApp } from "../cli/cdk-app.ts";
import { run } from "../cli/run.ts";

await run(cdkApp);
