"""Another embedder: its vectors are filled in beside the old ones, which serve until the end."""

from longterm.memory.indexing import Indexing, serving, vectors_of
from longterm.records.job import EMBED, NewJob
from longterm.records.passage import Generation
from longterm.records.report import EmbeddingProgress
from longterm.store import generations, jobs, passages

_VECTORS = 16
_DELETED = 5000


class Reembedding(Indexing):
    """Moves a tenant from one embedder to another while it is in use."""

    async def reembed(self) -> None:
        """Fill the vectors of the embedder in the settings, and let them serve when complete."""
        with self._operation("reembed"):
            await serving(self._parts, self._scope)
            while (filling := await self._filling()) is not None:
                if not await self._fill(filling):
                    await self._switch(filling)
            while await self._delete_retired():
                pass

    async def get_embedding_progress(self) -> EmbeddingProgress:
        """Which embedder serves, and how far another one is filled in."""
        with self._operation("get_embedding_progress"):
            async with self._transaction() as conn:
                known = await generations.current(conn)
                total = await generations.count_passages(conn, 2**62)
                filling = next((each for each in known if each.state == "filling"), None)
                filled = (
                    total
                    if filling is None
                    else await generations.count_passages(conn, filling.filled_through)
                )
        return EmbeddingProgress(
            serving=next((each.model for each in known if each.state == "serving"), None),
            filling=None if filling is None else filling.model,
            filled=filled,
            total=total,
        )

    async def _filling(self) -> Generation | None:
        async with self._transaction() as conn:
            known = await generations.current(conn)
        return next((each for each in known if each.state == "filling"), None)

    async def _fill(self, generation: Generation) -> bool:
        """Embed the next passages; False when there are none."""
        async with self._transaction() as conn:
            found = await passages.not_filled(conn, after=generation.filled_through, limit=_VECTORS)
        if not found:
            return False
        owners, vectors = await vectors_of(self._parts.embedders.current, found)
        async with self._transaction() as conn:
            if owners:
                await passages.insert_vectors(conn, owners, vectors, generation=generation.id)
            await generations.advance(conn, id_=generation.id, through=found[-1].id)
        return True

    async def _switch(self, generation: Generation) -> None:
        async with self._transaction() as conn:
            for user_id in await generations.serve(conn, generation.id):
                await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))

    async def _delete_retired(self) -> bool:
        async with self._transaction() as conn:
            return await generations.delete_retired(conn, _DELETED) == _DELETED
