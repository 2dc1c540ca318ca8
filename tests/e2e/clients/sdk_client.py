"""Lists and calls Pillion's tools with the official Python SDK: sdk_client.py BINARY URL"""

import asyncio
import os
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def text(result):
    words = "\n".join(part.text for part in result.content if part.type == "text")
    failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
    if failed:
        raise SystemExit(words)
    return words


async def main(binary, url):
    server = StdioServerParameters(command=binary, args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            for tool in (await session.list_tools()).tools:
                print("listed", tool.name)
            opened = text(await session.call_tool("browser_navigate", {"url": url}))
            tab = int(re.search(r"tab (\d+)", opened).group(1))
            click = {"tab": tab, "target": 'button "Add"'}
            print(text(await session.call_tool("browser_click", click)))


asyncio.run(main(*sys.argv[1:3]))
