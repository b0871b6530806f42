"""Anthropic's memory tool: a model keeps files about a user, in key-value memory."""

from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.files import Files
from longterm.errors import InvalidInputError

P = ParamSpec("P")


class LongtermMemoryTool(BetaAbstractMemoryTool):
    """The memory tool of one user, for `Anthropic`; takes a tenant of `Longterm`."""

    def __init__(self, tenant: AnyTenant, user_id: str) -> None:
        super().__init__()
        self._calls = Calls(tenant)
        self._files = Files(self._calls.tenant, user_id)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return self._do(self._files.view, command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return self._do(self._files.create, command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text in a file."""
        return self._do(self._files.replace, command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line."""
        return self._do(self._files.insert, command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return self._do(self._files.delete, command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        return self._do(self._files.rename, command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """Delete every file."""
        return self._do(self._files.clear)

    def _do(
        self, work: Callable[P, Coroutine[Any, Any, str]], /, *args: P.args, **kwargs: P.kwargs
    ) -> str:
        try:
            return self._calls.wait(work, *args, **kwargs)
        except InvalidInputError as error:
            raise ToolError(str(error)) from error


class AsyncLongtermMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool of one user, for `AsyncAnthropic`."""

    def __init__(self, tenant: AnyTenant, user_id: str) -> None:
        super().__init__()
        self._calls = Calls(tenant)
        self._files = Files(self._calls.tenant, user_id)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return await self._do(self._files.view, command.path, command.view_range)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return await self._do(self._files.create, command.path, command.file_text)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text in a file."""
        return await self._do(self._files.replace, command.path, command.old_str, command.new_str)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line."""
        return await self._do(
            self._files.insert, command.path, command.insert_line, command.insert_text
        )

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return await self._do(self._files.delete, command.path)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        return await self._do(self._files.rename, command.old_path, command.new_path)

    async def clear_all_memory(self) -> str:
        """Delete every file."""
        return await self._do(self._files.clear)

    async def _do(
        self, work: Callable[P, Coroutine[Any, Any, str]], /, *args: P.args, **kwargs: P.kwargs
    ) -> str:
        try:
            return await self._calls.run(work, *args, **kwargs)
        except InvalidInputError as error:
            raise ToolError(str(error)) from error
