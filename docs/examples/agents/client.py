"""Ask memory-lsp which notes belong in the next prompt: client.py FOLDER QUERY."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

command = [os.environ.get("MEMORY_LSP", "memory-lsp"), "--stdio"]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    server.stdin.flush()


def request(id, method, params):
    send(id=id, method=method, params=params)
    while True:  # skip what the server says on its own until the answer comes
        length = int(server.stdout.readline().split(b":")[1])
        while server.stdout.readline().strip():
            pass
        message = json.loads(server.stdout.read(length))
        if message.get("id") == id and "method" not in message:
            return message["result"]


folder = Path(sys.argv[1]).resolve().as_uri()
request(1, "initialize", {"processId": os.getpid(), "capabilities": {}, "rootUri": folder})
send(method="initialized", params={})
for attempt in range(60):  # the first answers may come before the model is loaded
    answer = request(2 + attempt, "memory/retrieve", {"query": sys.argv[2], "limit": 5, "includeContent": True})
    if not answer["isIncomplete"]:
        break
    time.sleep(0.5)
print("<memory>")
for note in answer["results"]:
    print(f"## {note['name']} ({note['type']})\n{note['description']}\n\n{note['content']}\n")
print("</memory>")
request(0, "shutdown", None)
send(method="exit")
