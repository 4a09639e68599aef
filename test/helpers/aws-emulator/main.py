"""AWS for the tests of a deployment: MiniStack with what it lacks, on a free port of 127.0.0.1.

Started by aws-emulator.ts, which reads the one line on stdout, {"port": N}. Ends with its standard input, so that no
emulator outlives the test process that started it, however that one died.

Each module here adds one service to MiniStack, or makes one stricter, by its `install()`. What AWS does was looked up,
and is cited where it is done; where no source was found, the comment says so.
"""

import asyncio
import json
import os
import socket
import sys
import threading


def main():
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    # MiniStack reads its environment while it is imported.
    os.environ.update(
        GATEWAY_PORT=str(port),
        MINISTACK_HOST="localhost",
        LOG_LEVEL=os.environ.get("EMULATOR_LOG_LEVEL", "ERROR"),
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
        MINISTACK_WORKER_THREADS="16",
    )
    import agentcore
    import alarms
    import bedrock_models
    import builds
    import control
    import ministack.app
    import registry
    import sagemaker_api
    import sagemaker_resources
    import scaling
    import service_quotas
    import stack_operations
    import storage
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    parts = (stack_operations, storage, registry, builds, scaling, sagemaker_api, sagemaker_resources,
             service_quotas, agentcore, bedrock_models, alarms, control)
    for part in parts:
        part.install()

    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.keep_alive_timeout = 75
    config.loglevel = "ERROR"
    threading.Thread(target=end_with_standard_input, daemon=True).start()
    # The socket listens before anybody is told of it: an early request waits in its backlog.
    listener.listen(128)
    print(json.dumps({"port": port}), flush=True)
    asyncio.run(serve(ministack.app.app, config))


def end_with_standard_input():
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
