"""Anthropic's memory tool, with the files of a user in Longterm.

With a key, the tool is handed to the client:

    client.beta.messages.tool_runner(model=..., max_tokens=1000, messages=[...], tools=[tool])

Here the commands are given by hand, as Claude would give them.
"""

from anthropic.lib.tools import ToolError

from longterm import Longterm
from longterm.adapters.anthropic import LongtermMemoryTool

COMMANDS = [
    {"command": "create", "path": "/memories/tea.txt", "file_text": "Ada drinks green tea.\n"},
    {"command": "insert", "path": "/memories/tea.txt", "insert_line": 1, "insert_text": "No milk."},
    {"command": "str_replace", "path": "/memories/tea.txt", "old_str": "green", "new_str": "black"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/tea.txt"},
    {"command": "view", "path": "/memories/../secrets"},
]


def main() -> None:
    """Run the commands of a session."""
    with Longterm() as lt:
        tool = LongtermMemoryTool(lt.tenant(1), "ada")
        for command in COMMANDS:
            try:
                print(tool.call(command))
            except ToolError as error:
                print("refused:", error)


if __name__ == "__main__":
    main()
