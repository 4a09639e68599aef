"""What a build is made from: the build spec's docker command, and the zip that it runs in."""

import io
import json
import posixpath
import re
import zipfile
from fnmatch import fnmatch

from container_images import LABEL
from ministack.services import s3


class BuildFailure(Exception):
    """A phase of the build failed; the message is the phase's."""


class BuildSource:
    def __init__(self, source):
        self._source = source
        spec = str(source.get("buildspec", ""))
        command = re.search(r"docker buildx build[^\"\n]*", spec.replace('\\"', "'"))
        self.command = command[0] if command else "docker buildx build"
        platform = re.search(r"--platform linux/(\w+)", self.command)
        self.architecture = platform[1] if platform else "amd64"
        dockerfile = re.search(r"--file (\S+)", self.command)
        self._dockerfile = dockerfile[1] if dockerfile else None
        self._files = None
        # Without a source to read, as from the Dockerfile of a speech container.
        self.config = {"Labels": {LABEL: "true"}, "User": "65532", "Entrypoint": ["node", "main.ts"], "Cmd": ["serve"]}

    def download(self):
        if self._source.get("type") != "S3":
            return
        location = self._source["location"].removeprefix("arn:aws:s3:::")
        bucket, _, key = location.partition("/")
        found = (s3._buckets.get(bucket) or {"objects": {}})["objects"].get(key)
        if found is None:
            raise BuildFailure(f"NoSuchKey: The specified key does not exist. ({location})")
        try:
            with zipfile.ZipFile(io.BytesIO(_bytes_of(found))) as archive:
                self._files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        except zipfile.BadZipFile:
            raise BuildFailure(f"error while unpacking {location}: zip: not a valid zip file") from None

    def check(self):
        """As docker does: the Dockerfile must be there, and what it copies."""
        if self._files is None or self._dockerfile is None:
            return
        if self._dockerfile not in self._files:
            raise BuildFailure(f"failed to read dockerfile: open {self._dockerfile}: no such file or directory")
        text = self._files[self._dockerfile].decode().replace("\\\n", " ")
        for sources in re.findall(r"^COPY +((?:--\S+ +)*)(.+)$", text, re.MULTILINE | re.IGNORECASE):
            if "--from" not in sources[0]:
                self._check_copied(sources[1].split()[:-1])
        self.config = _config_of(text)

    def _check_copied(self, patterns):
        for pattern in patterns:
            wanted = posixpath.normpath(pattern.lstrip("/"))
            if wanted == ".":
                continue
            if not any(fnmatch(name, wanted) or name.startswith(f"{wanted}/") for name in self._files):
                raise BuildFailure(f'failed to calculate checksum of ref: "/{wanted}": not found')


def _bytes_of(stored):
    body = stored["body"] if isinstance(stored, dict) else stored
    return bytes(body)


def _config_of(dockerfile):
    """What the last stage says of the image, as far as a deployment looks at it."""
    last_stage = re.split(r"^FROM ", dockerfile, flags=re.MULTILINE | re.IGNORECASE)[-1]
    config = {"Labels": {}}
    for instruction, rest in re.findall(r"^(LABEL|USER|ENTRYPOINT|CMD) +(.+)$", last_stage, re.MULTILINE):
        if instruction == "LABEL":
            config["Labels"].update(re.findall(r"\"?([\w.\-]+)\"?=\"?([^\"\s]+)", rest))
        elif instruction == "USER":
            config["User"] = rest.strip()
        else:
            # The shell form starts a shell.
            command = json.loads(rest) if rest.startswith("[") else ["/bin/sh", "-c", rest]
            config[instruction.capitalize()] = command
    return config
